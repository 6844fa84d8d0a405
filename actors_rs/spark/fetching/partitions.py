"""The partitions of a DataFrame or RDD, one Spark job each, pulled by their caller.

A `PartitionPlan` is passive: making one touches nothing, `plan` prepares, `fetch` runs one job on
the calling thread. It knows no stream and no actor; the caller decides when, on which threads and
how many at a time. Three kinds: `ArrowPartitions`, `RowPartitions`, `RddPartitions`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from pickle import PicklingError
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from actors_rs.errors import DefectError, InvalidArgumentError
from actors_rs.spark.failures import (
    ensure_session_alive,
)
from actors_rs.spark.fetching.arrow_route import ArrowRoute, Batches, open_arrow_route
from actors_rs.spark.fetching.connect_back import open_streamed
from actors_rs.spark.fetching.decoding import decoded
from actors_rs.spark.fetching.driver_room import Share, most_of_one, share_of
from actors_rs.spark.mapping.pickling import pickled_function
from actors_rs.spark.plan import Apart, Checksums, Each, PlannedPartitions, Runs
from actors_rs.spark.repeat.checksum import Checksum, summed
from actors_rs.spark.repeat.fixing import fixed, judge
from actors_rs.spark.resuming.describing import caches_read, description_of, files_read
from actors_rs.spark.resuming.partition_settings import settings_of
from actors_rs.spark.tracing import seeing_trace

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import RDD, SparkContext
    from pyspark.sql import DataFrame, Row

__all__ = ["ArrowPartitions", "RddPartitions", "RowPartitions"]

T = TypeVar("T")

_OF_A_QUERY = "SQLExecutionRDD"


class _FramePartitions(PlannedPartitions[T]):
    """The partitions of a DataFrame, which come as Arrow; see the kinds.

    Of a partition of more than ``max_bytes`` no more than a few batches are held at a time.
    ``"auto"``: of more than ``stream_above`` said, if it was called.
    """

    def __init__(
        self, df: DataFrame, pool: str | None = None, max_bytes: int | Literal["auto"] | None = None
    ) -> None:
        super().__init__(_context_of(df), pool)
        self._df = df
        self._fixed: DataFrame | None = None  # the same, for a run that may be gone on with
        self._automatic = max_bytes == "auto"
        self._max_bytes = None if max_bytes == "auto" else max_bytes

    def stream_above(self, size: int) -> None:
        if self._automatic:
            self._max_bytes = size

    def describe(self) -> tuple[str, str]:
        return description_of(self._df, self._fixed)

    def caches(self) -> str:
        return caches_read(self._fixed)

    def files(self) -> dict[str, int]:
        return files_read(self._df)

    def _make_repeatable(self) -> None:
        self._fixed = fixed(self._df)

    def _open_route(self) -> ArrowRoute:
        """The route to the frames, and the share of the driver's memory that they take."""
        df, limit = self._fixed or self._df, self._max_bytes
        if limit is not None and self._automatic:
            limit = self._max_bytes = min(limit, most_of_one(self._context, limit))
        self.share = share_of(self._context, limit)
        return open_arrow_route(df) if limit is None else open_streamed(df, limit)


class ArrowPartitions(_FramePartitions["pa.RecordBatch"]):
    """A DataFrame's partitions as Arrow batches, in the schema that ``df.toArrow()`` has."""

    _schema: pa.Schema | None = None

    @property
    def schema(self) -> pa.Schema:
        """The schema of every batch; known once ``plan`` has run."""
        if self._schema is None:
            raise DefectError("the schema was asked for before plan()")
        return self._schema

    def _open(self) -> tuple[int, Runs[pa.RecordBatch]]:
        route = self._open_route()
        self._schema, share = route.schema, self.share

        def read(batches: Batches, checksum: Checksum | None) -> Batches:
            return summed(_weighed(batches, share), checksum)

        self._apart = _parts_of(route, read)
        return route.partitions, lambda index, checksum: read(route.run([index]), checksum)


class RowPartitions(_FramePartitions["Row"]):
    """A DataFrame's partitions as rows, equal to the rows of ``df.collect()``.

    They travel as Arrow and are decoded some thousand at a time, as they are asked for. Where Arrow
    cannot carry a type, they travel as Spark's own rows, which takes several times as long.
    """

    def _open(self) -> tuple[int, Runs[Row]]:
        df = self._fixed or self._df
        decode = _row_decoder(df)
        if decode is None and self._max_bytes is not None and not self._automatic:
            raise InvalidArgumentError(
                "max_partition_bytes: only columns that Arrow can carry can be streamed, got "
                f"{df.schema.simpleString()}"
            )
        if decode is None:
            return _open_rdd(df.rdd)
        route = self._open_route()
        share = self.share

        def rows(batches: Batches, checksum: Checksum | None) -> Generator[Row, None, None]:
            return decoded(summed(_weighed(batches, share), checksum), decode)

        self._apart = _parts_of(route, rows)
        return route.partitions, lambda index, checksum: rows(route.run([index]), checksum)


class RddPartitions(PlannedPartitions[list[T]]):
    """An RDD's partitions, each one element: the list of what the partition holds."""

    def __init__(self, rdd: RDD[T], pool: str | None = None) -> None:
        if not _is_rdd(rdd):
            kind = f"{type(rdd).__module__}.{type(rdd).__name__}"
            raise InvalidArgumentError(
                f"expected an RDD, got {kind}: for a DataFrame there are SparkSource.arrow and rows"
            )
        super().__init__(rdd.context, pool)
        self._rdd = rdd

    def _open(self) -> tuple[int, Runs[list[T]]]:
        _pickle_function(self._rdd)
        count, run = _open_rdd(self._rdd)
        return count, lambda index, checksum: _as_list(run(index, checksum))

    def describe(self) -> tuple[str, str]:
        lineage = (self._rdd.toDebugString() or b"").decode("utf-8", "replace")
        if _OF_A_QUERY in lineage:  # as ``df.rdd`` is, which does not say of which session
            jvm: Any = self._context._jvm
            session = jvm.org.apache.spark.sql.SparkSession.getDefaultSession()
            if session.isDefined():
                lineage = f"{lineage}\n{settings_of(self._context, session.get())}"
        return "an RDD", lineage

    def _make_repeatable(self) -> None:
        rdd: Any = self._rdd
        _pickle_function(rdd)
        judge(rdd._jrdd.rdd())


def _context_of(df: DataFrame) -> SparkContext:
    with suppress(Exception):  # Spark Connect has one of its own for what it lacks
        from pyspark.sql import DataFrame

        if isinstance(df, DataFrame):  # a Column has something to say by any name
            return df.sparkSession.sparkContext
    kind = f"{type(df).__module__}.{type(df).__name__}"
    raise InvalidArgumentError(
        f"expected a DataFrame of a classic Spark session, got {kind}: its partitions cannot "
        "be asked for one by one"
        + ("; spark.read.parquet(path) makes one of files" if isinstance(df, str | Path) else "")
    )


def _is_rdd(thing: object) -> bool:
    try:
        from pyspark import RDD
    except ImportError:
        return False
    return isinstance(thing, RDD)


def _weighed(batches: Batches, share: Share | None) -> Batches:
    """``batches``; ``share`` hears how large they are together, once all are read."""
    size = 0
    with closing(batches):
        for batch in batches:
            size += batch.nbytes
            yield batch
    if share is not None:
        share.weighed(size)


def _parts_of(
    route: ArrowRoute, read: Callable[[Batches, Checksum | None], Generator[T, None, None]]
) -> Apart[T] | None:
    """``route.apart``, each part of it read by ``read``."""
    apart = route.apart
    if apart is None:
        return None

    def several(indices: Sequence[int], checksums: Checksums) -> Each[T]:
        parts = apart(indices)
        return (read(part, one) for part, one in zip(parts, checksums, strict=True))

    return several


def _open_rdd(rdd: RDD[T]) -> tuple[int, Runs[T]]:
    context = rdd.context

    def run(index: int, checksum: Checksum | None) -> Generator[T, None, None]:
        elements = context.runJob(rdd, seeing_trace(iter), [index])
        # A JVM that dies while it sends looks like a short result: ask whether it lives.
        ensure_session_alive(context, f"partition {index}")
        return (element for element in elements)

    return rdd.getNumPartitions(), run


def _pickle_function(rdd: Any) -> None:
    """Now, and not for each attempt at each partition. By names that are private to pyspark."""
    try:
        _ = rdd._jrdd  # it is kept
    except PicklingError:
        if hasattr(rdd, "func"):
            pickled_function(rdd.func, "SparkSource.partitions")
        raise


def _as_list(elements: Iterator[T]) -> Generator[list[T], None, None]:
    yield list(elements)


def _row_decoder(df: DataFrame) -> Callable[[pa.Table], list[Row]] | None:
    """What turns Arrow into the rows that ``collect`` gives; None if Arrow cannot carry a type."""
    try:
        from pyspark.sql.conversion import ArrowTableToRowsConversion
        from pyspark.sql.pandas.types import to_arrow_schema

        from actors_rs.spark.fetching.collected import as_collected
    except ImportError:
        return None
    schema, decoded_as = df.schema, as_collected(df.schema)
    as_bytes = df.sparkSession.conf.get("spark.sql.execution.pyspark.binaryAsBytes", "true")

    def decode(table: pa.Table) -> list[Row]:
        rows: list[Row] = ArrowTableToRowsConversion.convert(
            table, decoded_as, binary_as_bytes=as_bytes == "true"
        )
        return rows

    arrow_schema_of: Any = to_arrow_schema
    try:
        empty = arrow_schema_of(
            schema, error_on_duplicated_field_names_in_struct=True, timezone="UTC"
        ).empty_table()
        decode(empty)
    except Exception:  # each unsupported type has an exception of its own kind
        return None
    return decode
