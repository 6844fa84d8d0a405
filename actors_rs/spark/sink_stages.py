"""The stages behind ``SparkSink``: they gather Arrow batches and hand them on, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from actors_rs.delivery.ack import Tracked, Unit
from actors_rs.delivery.carrying.units import UnitSink
from actors_rs.errors import InvalidArgumentError, LedgerError
from actors_rs.stages.arrow_schema import loose
from actors_rs.stages.linear import SinkLogic

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkWrite", "SparkWritten", "UnitSparkWrite", "data_frame_of"]


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
    """Each unit is one write under its number; ``own`` is told first whose output that is.

    ``loose`` writes units that are in no ledger, and will not come again under their number.
    ``taken`` is the column that readers find the number in, if there is one.
    """

    def __init__(
        self,
        write: Callable[[pa.Table, Any], None],
        own: Callable[[str], None],
        loose: Callable[[pa.Table, Any], None] | None = None,
        taken: str | None = None,
    ) -> None:
        super().__init__()
        self._write = write
        self._taken = taken
        self._own = own
        self._loose = loose or write
        self._writes = self._rows = 0

    def consume(self, elements: Iterator[Tracked], /) -> None:
        super().consume(elements if self._taken is None else map(self._checked, elements))

    def take_from(self, run_key: str) -> None:
        if self._run_key is not None:
            got = "those of two" if run_key and self._run_key else "others too"
            raise LedgerError(
                f"stage '{self.context.name}' takes the partitions of one source with a "
                f"ledger, got {got}, whose numbers are the same: give each a sink"
            )
        if run_key:
            self._own(f"{run_key} {self.context.name}")

    def begin(self, unit: Unit) -> list[pa.Table]:
        return []

    def add(self, held: list[pa.Table], value: Any, /) -> None:
        held.append(_table_of(value))

    def commit(self, unit: Unit, held: list[pa.Table], /, *, last: bool) -> None:
        table = _joined(held)
        write = self._loose if unit.entry is None else self._write
        write(table, unit.key)
        self._writes += 1
        self._rows += table.num_rows

    def finish(self) -> SparkWritten:
        return SparkWritten(self._writes, self._rows)

    def _checked(self, element: Tracked) -> Tracked:
        """``element``; raises if readers would find the unit's number in place of a column of it.

        Asked first, so that a directory is not taken for what cannot be written.
        """
        value = element.value
        names = value.schema.names if hasattr(value, "schema") else []
        hidden = [name for name in names if name.lower() == self._taken]  # as Spark compares them
        if hidden and element.token.scope.unit.entry is not None:
            self._refused = InvalidArgumentError(
                f"stage '{self.context.name}' writes each partition into a directory "
                f"'{self._taken}=<number>', which would hide the column '{hidden[0]}': rename it"
            )
            raise self._refused
        return element


def data_frame_of(session: Any, table: pa.Table) -> Any:
    """``table`` as a DataFrame of ``session``: what came out of Spark has the types it had there.

    Left to itself pyspark takes a timestamp without a zone for one of the session's zone, which
    has not every hour of the clock, and refuses a struct that is null when its fields must not be.
    By a name that is private to pyspark.
    """
    try:
        from pyspark.sql.pandas.types import from_arrow_schema
    except ImportError:
        return session.createDataFrame(table)
    table = loose(table)
    schema = from_arrow_schema(table.schema, prefer_timestamp_ntz=True)
    return session.createDataFrame(table, schema=schema)


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
