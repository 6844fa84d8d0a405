"""lines("access.log")

    "first line" "second line" |

Reads the lines of a text file. Lines come without their line end; the file is opened on first
demand and closed at any end.

Back-pressure: reads what was asked for; the file buffers on its own.
Completes: at the end of the file; when drained, behind what was read.
Fails: when the file cannot be opened, read or decoded, behind what came before (ReadError).
Cancels: by closing the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from os import PathLike

from actors_rs.stages.files.reading import lines_of, reading
from actors_rs.stages.source import IteratorSource


class Lines(IteratorSource):
    """The lines of a text file."""

    def __init__(self, path: str | PathLike[str], encoding: str) -> None:
        super().__init__()
        self._path = path
        self._encoding = encoding

    def elements(self) -> Iterator[str]:
        with (
            reading(self._path) as place,
            closing(lines_of(self._path, self._encoding, place)) as lines,
        ):
            for line in lines:
                yield line.rstrip("\r\n")
