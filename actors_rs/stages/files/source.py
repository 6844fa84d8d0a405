"""``FileSource``: what sources share that read files as ``Inputs`` finds them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.stages.files.bytes_read import BytesRead
from actors_rs.stages.files.inputs import Input, Inputs
from actors_rs.stages.source import IteratorSource

__all__ = ["FileSource"]


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
