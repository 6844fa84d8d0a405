"""``naming``: puts the name of a file into the errors of code that writes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from actors_rs.errors import ActorsRsError, WriteError

__all__ = ["naming"]


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn each error raised inside into a ``WriteError`` that names ``path``."""
    try:
        yield
    except ActorsRsError:
        raise
    except Exception as error:
        raise WriteError(os.fspath(path), error) from error
