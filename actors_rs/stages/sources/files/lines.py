"""lines("access.log")

    "first line" "second line" |

Reads the lines of text files, also of compressed ones. Lines come without their line end; a file
is opened on first demand and closed at any end, unless the user opened it.

Back-pressure: reads what was asked for; the file buffers on its own.
Completes: at the end of the file; when drained, after what was read.
Fails: when the file cannot be opened, read or decoded, after what came before (ReadError).
Cancels: by closing the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from actors_rs.stages.files.inputs import Inputs
from actors_rs.stages.files.reading import reading
from actors_rs.stages.files.source import FileSource


class Lines(FileSource):
    """The lines of text files, one file after the other."""

    def __init__(self, inputs: Inputs, encoding: str, errors: str) -> None:
        super().__init__(inputs)
        self._encoding = encoding
        self._errors = errors

    def elements(self) -> Iterator[str]:
        for one in self.files():
            with (
                reading(one.name) as place,
                closing(one.lines(self._encoding, place, errors=self._errors)) as lines,
            ):
                for line in lines:
                    yield line.rstrip("\r\n")
