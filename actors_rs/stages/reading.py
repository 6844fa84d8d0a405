"""What sources that read files share: whatever goes wrong names the file and the line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from actors_rs.errors import ActorsRsError, ReadError

__all__ = ["Place", "reading"]


class Place:
    """How far a file was read: ``line`` is 0 where there are none."""

    def __init__(self) -> None:
        self.line = 0


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[Place]:
    """Turn whatever goes wrong inside into a ``ReadError`` that names ``path`` and the line."""
    place = Place()
    try:
        yield place
    except ActorsRsError:
        raise
    except Exception as error:
        raise ReadError(os.fspath(path), error, place.line) from error
