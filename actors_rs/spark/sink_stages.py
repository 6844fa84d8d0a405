"""The stages behind ``SparkSink``: they gather Arrow batches and hand them on, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from actors_rs.delivery.ack import Unit
from actors_rs.delivery.carrying.units import UnitSink
from actors_rs.stages.linear import SinkLogic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkWrite", "SparkWritten", "UnitSparkWrite"]


@dataclass(frozen=True, slots=True)
class SparkWritten:
    """What a ``SparkSink`` has done: how many writes, and of how many rows."""

    writes: int
    rows: int


class SparkWrite(SinkLogic):
    """Pieces of about ``rows`` rows, numbered from 0."""

    def __init__(self, write: Callable[[pa.Table, int], None], rows: int) -> None:
        super().__init__()
        self._write = write
        self._piece = rows
        self._tables: list[pa.Table] = []
        self._gathered = 0
        self._writes = self._rows = 0

    def consume(self, elements: Iterator[Any], /) -> None:
        for element in elements:
            table = _table_of(element)
            self._tables.append(table)
            self._gathered += table.num_rows
            if self._gathered >= self._piece:
                try:
                    self._flush()
                except Exception:
                    del self._tables[-1]  # its failure; the others are held for the next write
                    self._gathered -= table.num_rows
                    raise

    def finish(self) -> SparkWritten:
        self._flush()
        return SparkWritten(self._writes, self._rows)

    def held(self) -> list[Any]:
        return self._tables

    def details(self) -> dict[str, Any]:
        return {"writes": self._writes, "rows": self._rows}

    def _flush(self) -> None:
        if self._gathered:
            self._write(_joined(self._tables), self._writes)
            self._writes += 1
            self._rows += self._gathered
        self._tables, self._gathered = [], 0


class UnitSparkWrite(UnitSink["list[pa.Table]"]):
    """Each unit is one write under its number; ``own`` is told first whose output that is."""

    def __init__(self, write: Callable[[pa.Table, Any], None], own: Callable[[str], None]) -> None:
        super().__init__()
        self._write = write
        self._own = own
        self._owned = False
        self._writes = self._rows = 0

    def begin(self, unit: Unit) -> list[pa.Table]:
        if not self._owned and unit.entry is not None:
            self._own(f"{unit.entry.run_key} {self.context.name}")
        self._owned = True
        return []

    def add(self, held: list[pa.Table], value: Any, /) -> None:
        held.append(_table_of(value))

    def commit(self, unit: Unit, held: list[pa.Table], /, *, last: bool) -> None:
        table = _joined(held)
        self._write(table, unit.key)
        self._writes += 1
        self._rows += table.num_rows

    def finish(self) -> SparkWritten:
        return SparkWritten(self._writes, self._rows)


def _table_of(element: Any) -> pa.Table:
    import pyarrow as pa

    if isinstance(element, pa.RecordBatch):
        return pa.Table.from_batches([element])
    if isinstance(element, pa.Table):
        return element
    raise TypeError(f"SparkSink takes record batches or tables, got a {type(element).__name__}")


def _joined(tables: list[pa.Table]) -> pa.Table:
    import pyarrow as pa

    return pa.concat_tables(tables)
