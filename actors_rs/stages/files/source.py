"""``FileSource``: what sources share that read files as ``Inputs`` finds them.

``RowSource`` is for sources that can go on after a bad row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.errors import ReadError
from actors_rs.stages.files.bad_row import BadRow, OnBadRow
from actors_rs.stages.files.bytes_read import BytesRead
from actors_rs.stages.files.inputs import Input, Inputs
from actors_rs.stages.files.reading import Place
from actors_rs.stages.source import IteratorSource

__all__ = ["FileSource", "RowSource"]


class FileSource(IteratorSource):
    """Reads ``inputs`` one after the other, and says how many of their bytes it has read."""

    def __init__(self, inputs: Inputs) -> None:
        super().__init__()
        self._inputs = inputs
        self._read = BytesRead()

    def files(self) -> Iterator[Input]:
        """The files, each to be read before the next one is asked for."""
        return self._inputs.counted_by(self._read)

    def details(self) -> dict[str, Any]:
        return self._read.details()


class RowSource(FileSource):
    """Fails at a bad row, or skips it, or gives what a function of the user makes of it."""

    def __init__(self, inputs: Inputs, on_bad_row: OnBadRow) -> None:
        super().__init__(inputs)
        self._on_bad_row = on_bad_row
        self._skipped = 0

    def bad(self, path: str, place: Place, text: str, fields: list[str], error: Exception) -> Any:
        """The element for a bad row, or ``None``; raises ``error`` if the stream is to fail."""
        if self._on_bad_row == "fail":
            raise error
        row = BadRow(path, place.line, text, tuple(fields), error)
        element = None if self._on_bad_row == "skip" else self._on_bad_row(row)
        if element is None:
            self._skipped += 1
            self.context.report(row, "a bad row, skipped", ReadError(path, error, place.line))
        return element

    def details(self) -> dict[str, Any]:
        skipped = {"skipped": self._skipped} if self._skipped else {}
        return super().details() | skipped
