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
from os import PathLike

from actors_rs.stages.reading import reading
from actors_rs.stages.source import IteratorSource


class Lines(IteratorSource):
    """The lines of a text file."""

    def __init__(self, path: str | PathLike[str], encoding: str) -> None:
        super().__init__()
        self._path = path
        self._encoding = encoding

    def elements(self) -> Iterator[str]:
        with reading(self._path) as place, open(self._path, encoding=self._encoding) as file:
            for place.line, line in enumerate(file, 1):
                yield line.rstrip("\r\n")
