"""The stages of ``SparkSink``: they gather Arrow batches and hand them on, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import length_hint
from typing import TYPE_CHECKING, Any

from actors_rs.delivery.ack import Tracked, Unit
from actors_rs.delivery.carrying.units import PassesOver, UnitSink
from actors_rs.errors import InvalidArgumentError, LedgerError, WriteError
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.sinks.data_set import DataSet
from actors_rs.spark.sinks.output import NO_UNIT
from actors_rs.stages.arrow.schema import loose
from actors_rs.stages.sinks.files.writing import WritingSink
from actors_rs.texts import class_name_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SparkWrite", "SparkWritten", "UnitSparkWrite", "data_frame_of"]


@dataclass(frozen=True, slots=True)
class SparkWritten:
    """The result of a ``SparkSink``: the number of ``writes``, and of ``rows`` in all of them.

    >>> from actors_rs.spark import SparkWritten
    >>> SparkWritten(writes=2, rows=150_000).rows
    150000
    """

    writes: int
    rows: int


class SparkWrite(WritingSink):
    """Pieces of about ``rows`` rows, numbered from 0.

    Where elements may be passed over, a piece that fails is written in halves until the elements
    at fault are known. Else it fails as a whole, for the element that made it due. Of a
    ``data_set`` all elements have the schema, and an empty one is left if no row comes.
    """

    def __init__(
        self,
        write: Callable[[pa.Table, int], None],
        rows: int,
        data_set: DataSet | None = None,
    ) -> None:
        super().__init__()
        self._write = write
        self._piece = rows
        self._data_set = data_set
        self._waiting: list[_Waiting] = []
        self._writes = self._rows = 0

    def is_of_the_file(self, error: BaseException) -> bool:
        return isinstance(error, SparkSessionLost | WriteError)

    def consume(self, elements: Iterator[Any], /) -> None:
        gathered = _rows_of(self._waiting)
        for element in elements:
            table = _table_of(element)
            if self._data_set is not None:
                table = self._data_set.fitted(table)
            position = self.inlet.count - length_hint(elements) - 1
            self._waiting.append(_Waiting(position, element, table))
            gathered += table.num_rows
            if gathered >= self._piece:
                if not self._flush():
                    return
                gathered = 0

    def finish(self) -> SparkWritten:
        if self._flush() and self._data_set is not None and not self._writes:
            empty = self._data_set.empty()
            if empty is not None:
                self._write(empty, 0)
        return SparkWritten(self._writes, self._rows)

    def held(self) -> list[Any]:
        return [waiting.element for waiting in self._waiting]

    def details(self) -> dict[str, Any]:
        return {"writes": self._writes, "rows": self._rows}

    def _flush(self) -> bool:
        """Write what waits; whether the stage goes on."""
        while self._waiting:
            if not self._write_first(len(self._waiting)):
                return False
        return True

    def _write_first(self, count: int) -> bool:
        """Write the first ``count`` elements, in halves if need be; whether the stage goes on."""
        part = self._waiting[:count]
        rows = _rows_of(part)
        try:
            if rows:
                self._write(_joined([waiting.table for waiting in part]), self._writes)
        except Exception as error:
            if count > 1 and self.may_pass_over and not self.is_of_the_file(error):
                half = count // 2
                return self._write_first(half) and self._write_first(count - half)
            return self._passes_over(count - 1, error)
        del self._waiting[:count]
        if rows:
            self._writes += 1
            self._rows += rows
        return True

    def _passes_over(self, at: int, error: Exception) -> bool:
        failed = self._waiting.pop(at)
        return self.survives(error, failed.element, failed.position)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An element that was not written yet, as ``table``."""

    position: int
    element: Any
    table: pa.Table


def _rows_of(waiting: Iterable[_Waiting]) -> int:
    return sum(one.table.num_rows for one in waiting)


class UnitSparkWrite(UnitSink["list[pa.Table]"]):
    """Each unit is one write under its number; ``own`` first receives whose output it is.

    ``loose`` writes units that are in no ledger, and will not come again under their number.
    ``taken`` is the column that readers find the number in, if there is one. Of a ``data_set`` all
    elements have the schema, and an empty one is left, under no number, if no row comes.
    """

    def __init__(
        self,
        write: Callable[[pa.Table, Any], None],
        own: Callable[[str], None],
        loose: Callable[[pa.Table, Any], None] | None = None,
        taken: str | None = None,
        data_set: DataSet | None = None,
    ) -> None:
        super().__init__()
        self._data_set = data_set
        self._write = write
        self._taken = taken
        self._own = own
        self._loose = loose or write
        self._writes = self._rows = 0

    def consume(self, elements: Iterator[Tracked], /) -> None:
        super().consume(elements if self._taken is None else map(self._checked, elements))

    def is_of_the_file(self, error: BaseException) -> bool:
        return isinstance(error, SparkSessionLost | WriteError)

    def take_from(self, run_key: str) -> None:
        if self._run_key is not None:
            got = "those of two" if run_key and self._run_key else "others too"
            raise LedgerError(
                f"stage '{self.context.name}' takes the partitions of one source with a "
                f"ledger, got {got}, whose numbers are the same: give each a sink"
            )
        if run_key:
            self._own(f"{run_key} {self.context.name}")

    def begin(self, unit: Unit, passes_over: PassesOver) -> list[pa.Table]:
        return []

    def add(self, held: list[pa.Table], value: Any, /) -> None:
        table = _table_of(value)
        if self._data_set is not None:
            table = self._data_set.fitted(table, self._taken if self._run_key else None)
        if held and not table.schema.equals(held[0].schema):
            _joined([held[0].slice(0, 0), table.slice(0, 0)])  # here, where it is this one's fault
        held.append(table)

    def commit(self, unit: Unit, held: list[pa.Table], /, *, last: bool) -> None:
        if not held:  # all were passed over
            return
        table = _joined(held)
        write = self._loose if unit.entry is None else self._write
        write(table, unit.key)
        self._writes += 1
        self._rows += table.num_rows

    def finish(self) -> SparkWritten:
        if self._data_set is not None and not self._writes:
            empty = self._data_set.empty(self._taken)
            if empty is not None:
                self._write(empty, NO_UNIT)
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
    lacks some hours of the clock. It also refuses a struct that is null when its fields must not
    be. By a name that is private to pyspark.
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
    raise TypeError(
        f"SparkSink: expected a record batch or a table, got a {class_name_of(element)}"
    )


def _joined(tables: list[pa.Table]) -> pa.Table:
    import pyarrow as pa

    return pa.concat_tables(tables)
