"""What sources that read files share: whatever goes wrong names the file and the line.

Text is decoded many lines at a time. A byte that cannot be is let through there and refused with
its own line, so that the lines before it are given, and it is known which one it was.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from actors_rs.errors import ActorsRsError, ReadError

__all__ = ["Place", "lines_of", "reading"]


class Place:
    """How far a file was read: ``line`` is 0 where there are none.

    ``in_line``: bytes that cannot be decoded are in that line, and not somewhere behind it.
    """

    def __init__(self) -> None:
        self.line = 0
        self.in_line = False


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[Place]:
    """Turn whatever goes wrong inside into a ``ReadError`` that names ``path`` and the line."""
    place = Place()
    try:
        yield place
    except ActorsRsError:
        raise
    except Exception as error:
        behind = isinstance(error, UnicodeError) and not place.in_line
        raise ReadError(os.fspath(path), error, place.line, behind=behind) from error


def lines_of(
    path: str | os.PathLike[str], encoding: str, place: Place, newline: str | None = None
) -> Generator[str]:
    """The lines of a text file with their ends; ``place`` is told where it is."""
    with open(path, encoding=encoding, errors="surrogateescape", newline=newline) as file:
        for place.line, line in enumerate(file, 1):
            if not line.isascii():
                _check(line, encoding, place)
            yield line


def _check(line: str, encoding: str, place: Place) -> None:
    """Raise what decoding ``line`` would have raised, had it not been let through."""
    try:
        line.encode()
    except UnicodeEncodeError:  # it holds a surrogate: half a character, or a byte let through
        name = codecs.lookup(encoding).name
        bare = "utf-8" if name == "utf-8-sig" else name  # that mark would count as bytes of it
        place.in_line = True
        line.encode(bare, "surrogateescape").decode(bare)
