"""``SparkSink``: Arrow batches written through Spark, for tables and object stores."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from actors_rs.graph.checks import at_least, plain_function, wrong_kind
from actors_rs.graph.spec import OPEN, Attributes, spec_of
from actors_rs.language.sink import Sink
from actors_rs.spark.connecting.sink import ConnectWriter, MakeWithoutUnits
from actors_rs.spark.connecting.source import is_connect
from actors_rs.spark.failures import describe_failure, ensure_session_alive
from actors_rs.spark.fetching.jobs import group_of, tagged
from actors_rs.spark.liveness import watch
from actors_rs.spark.session import context_of
from actors_rs.spark.sinks.data_set import DataSet, arrow_schema_of
from actors_rs.spark.sinks.output import own_directory
from actors_rs.spark.sinks.sink_stages import (
    SparkWrite,
    SparkWritten,
    UnitSparkWrite,
    data_frame_of,
)
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["SparkSink", "SparkWritten"]

_ROWS_PER_WRITE = 100_000
_UNIT = "unit"  # the column that readers find the number of a partition in


class SparkSink:
    """Sinks that write through Spark. Elements are ``pyarrow`` record batches or tables.

    - ``session``: a Spark session, classic or of Spark Connect; with Connect, paths are the
      server's.
    - ``rows_per_write``: elements are gathered to a piece of about this many rows, and each piece
      is one write. The default is 100,000.

    The result is a ``SparkWritten``. A write blocks, so each sink has a thread of its own; a run
    that is cancelled ends when the write that is under way ends.

    A failed write is the failure of the element that made it due. With ``on_failure("resume")`` a
    failed piece is written in halves until the elements at fault are known. These elements are dead
    letters, all others are written.

    If a failed run is started anew, appended pieces are there at least once. To have each exactly
    once, use ``parquet`` with a source with a ledger. A timestamp without a zone is written without
    one (``timestamp_ntz``), for any zone of the session.
    """

    @staticmethod
    def parquet(
        session: SparkSession,
        path: str,
        schema: pa.Schema | StructType | None = None,
        *,
        rows_per_write: int = _ROWS_PER_WRITE,
    ) -> Sink[pa.RecordBatch | pa.Table, SparkWritten]:
        """Appends to the Parquet data set at ``path``, in any file system that Spark can write to.

        ``session`` and ``rows_per_write``: see the class. All files have one schema: the schema of
        the existing files, else ``schema`` if it is given, else that which the first element has.
        Elements have to fit it, by the rule of the page on delivery: columns go by their names, and
        each type fits one that holds all of its values.

        - If the first element does not fit the existing files, the run fails with ``WriteError``
          before anything is written.
        - A later element that does not fit is not written: it fails with a ``ValueError``.
        - A stream without a row leaves an empty data set, if there is none and the schema is known.
          Give ``schema=df.schema`` for a DataFrame that may be empty, also with a ledger.

        Downstream of a source with a ledger (``resume``) each partition is one write, into a
        directory of its own, ``unit=<number>``. A second delivery replaces it. Readers of ``path``
        find the number as a column. The run fails with ``LedgerError`` if ``path`` holds anything
        else. It fails with ``InvalidArgumentError`` for a table with a column ``unit``, in upper or
        lower case, since readers would find the numbers in its place.

        >>> from tempfile import mkdtemp
        >>> from actors_rs.spark import SparkSink, SparkSource
        >>> orders = SparkSource.arrow(spark.range(3))
        >>> orders.run(SparkSink.parquet(spark, mkdtemp() + "/orders")).rows
        3
        """
        target, schema = _text(path, "path"), _schema(schema)

        def append(df: DataFrame, _: object) -> None:
            df.write.mode("append").parquet(target)

        def replace(df: DataFrame, unit: object) -> None:
            df.write.mode("overwrite").parquet(f"{target.rstrip('/')}/{_UNIT}={unit}")

        what = f"writing to {target}"
        if is_connect(session):
            remote = ConnectWriter(session, what, append)
            data = partial(DataSet, remote.ask, target, schema)
            return _sink("spark_parquet", MakeWithoutUnits(remote, rows_per_write, data))
        writer, units = (_Writer(session, what, write) for write in (append, replace))
        own = partial(own_directory, units.context, target)
        data = partial(DataSet, writer.ask, target, schema)
        carrying = partial(UnitSparkWrite, units, own, writer, _UNIT)
        make = _Make(writer, rows_per_write, lambda: carrying(data()), data)
        return _sink("spark_parquet", make, target)

    @staticmethod
    def table(
        session: SparkSession, name: str, *, rows_per_write: int = _ROWS_PER_WRITE
    ) -> Sink[pa.RecordBatch | pa.Table, SparkWritten]:
        """Appends to the table ``name`` of Spark's catalogue, which is made if it is not there.

        ``session`` and ``rows_per_write``: see the class. Refused downstream of a source with a
        ledger, since appended rows cannot be taken back; use ``parquet`` or ``foreach_batch``
        there.

        >>> from actors_rs.spark import SparkSink, SparkSource
        >>> written = SparkSource.arrow(spark.range(3)).run(SparkSink.table(spark, "numbers"))
        >>> spark.table("numbers").count()
        3
        >>> spark.sql("DROP TABLE numbers")
        DataFrame[]
        """
        target = _text(name, "name")

        def append(df: DataFrame, _: object) -> None:
            df.write.mode("append").saveAsTable(target)

        writer = _writer(session, f"writing to table {target}", append)
        return _sink("spark_table", _Make(writer, rows_per_write, None), target)

    @staticmethod
    def foreach_batch(
        session: SparkSession,
        f: Callable[[DataFrame, int], object],
        *,
        rows_per_write: int = _ROWS_PER_WRITE,
    ) -> Sink[pa.RecordBatch | pa.Table, SparkWritten]:
        """Calls ``f(df, number)`` with each piece as a DataFrame, numbered from 0.

        ``session`` and ``rows_per_write``: see the class. Downstream of a source with a ledger a
        piece is a partition and has its number. After a crash a piece may come again, so ``f`` has
        to replace what it wrote for that number.

        >>> from actors_rs.spark import SparkSink, SparkSource
        >>> sizes = []
        >>> sink = SparkSink.foreach_batch(spark, lambda df, number: sizes.append(df.count()))
        >>> written = SparkSource.arrow(spark.range(3)).run(sink)
        >>> sizes
        [3]
        """
        plain_function(f, "SparkSink.foreach_batch: f")
        writer = _writer(session, "a call of foreach_batch's function", f)
        make = _Make(writer, rows_per_write, lambda: UnitSparkWrite(writer, lambda owner: None))
        return _sink("spark_foreach_batch", make)


@dataclass(frozen=True, slots=True)
class _Make:
    """Makes the stage; ``carrying`` makes that for acknowledged streams, if there is one."""

    writer: _Writer | ConnectWriter
    rows: int
    carrying: Callable[[], UnitSparkWrite] | None
    data_set: Callable[[], DataSet | None] = lambda: None

    def __call__(self) -> SparkWrite:
        return SparkWrite(self.writer, self.rows, self.data_set())


class _Writer:
    """Hands pieces to Spark as DataFrames. Blocks."""

    def __init__(
        self, session: SparkSession, what: str, write: Callable[[DataFrame, Any], object]
    ) -> None:
        self.context = context_of(session, "SparkSink", connect=True)
        ensure_session_alive(self.context, "the making of a SparkSink")
        self._session = session
        self._what = what
        self._write = write

    def __call__(self, table: pa.Table, number: Any) -> None:
        self.ask(lambda session: self._write(data_frame_of(session, table), number))

    def ask(self, function: Callable[[Any], Any]) -> Any:
        """Call ``function`` with the session. Blocks."""
        with self._described():
            return function(self._session)

    @contextmanager
    def _described(self) -> Iterator[None]:
        tag = f"actors-rs-{uuid.uuid4()}"
        try:
            with watch(self.context._gateway):
                before = group_of(self.context)  # turns may be run on a thread of the user's
                with tagged(self.context, tag, before=before):
                    yield
        except Exception as error:
            raise describe_failure(error, None, self.context, tag, self._what) from error


def _writer(
    session: SparkSession, what: str, write: Callable[[DataFrame, Any], object]
) -> _Writer | ConnectWriter:
    make = ConnectWriter if is_connect(session) else _Writer
    return make(session, what, write)


def _sink(kind: str, make: _Make | MakeWithoutUnits, target: str = "") -> Sink[Any, SparkWritten]:
    at_least(1, make.rows, "SparkSink: rows_per_write")
    pinned = Attributes(window=64, dispatcher="pinned")
    return Sink(spec_of(kind, make, OPEN, outlets=0, attributes=pinned, target=target))


def _schema(value: Any) -> pa.Schema | None:
    """``value`` as a schema of Arrow."""
    import pyarrow as pa
    from pyspark.sql.types import StructType

    if isinstance(value, StructType):
        value = arrow_schema_of(value)
    if value is not None and not isinstance(value, pa.Schema):
        raise wrong_kind(
            "SparkSink.parquet: schema must be a pyarrow.Schema or a StructType, "
            f"got {repr_of(value)}"
        )
    return value


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise wrong_kind(f"SparkSink: {what} must be a text, got {repr_of(value)}")
    return value
