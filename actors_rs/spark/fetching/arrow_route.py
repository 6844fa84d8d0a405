"""How the Arrow batches of chosen partitions come from Spark to this process.

Two routes, chosen by `open_arrow_route`:

- *direct*: the JVM encodes the batches and streams them over a socket; no Python worker takes
  part. Three to five times as fast, but by names that are private to pyspark.
- *public*: `mapInArrow` and `SparkContext.runJob`, where one of those names is missing.

Both give the batches that `DataFrame.toArrow` would give. `open_through` is the direct route with a
Python function on it, which handles the batches as they are encoded. All of this blocks, and none
of it knows about tags, streams or actors.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, TypeAlias

from actors_rs.spark.failures import ensure_session_alive

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

__all__ = [
    "MOST_TOGETHER",
    "ArrowRoute",
    "Batches",
    "numbered",
    "open_arrow_route",
    "open_direct",
    "open_public",
    "open_through",
    "schema_of_to_arrow",
]

_LENGTH = struct.Struct("!i")
MOST_TOGETHER = 64
"""Partitions in one job, at most."""
Batches: TypeAlias = "Generator[pa.RecordBatch, None, None]"


@dataclass(frozen=True, slots=True)
class ArrowRoute:
    """A planned DataFrame: its Arrow schema, its number of partitions, and the way to them.

    ``run(indices)`` runs one job and returns when the job is done. The batches it returns are read
    lazily, in the order of ``indices``; closing the generator closes the connection. An empty
    partition has no batch. ``apart`` is the same where the route can tell the partitions of a job
    from each other: it gives the batches of each one, to be read before the next is asked for.
    """

    name: str
    schema: pa.Schema
    partitions: int
    run: Callable[[Sequence[int]], Generator[pa.RecordBatch, None, None]]
    apart: Callable[[Sequence[int]], Generator[Batches, None, None]] | None = None


def open_arrow_route(df: DataFrame) -> ArrowRoute:
    """Plan ``df`` and open the best route to it; with adaptive execution this runs its shuffles."""
    from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError

    try:
        return open_direct(df)
    except (Py4JJavaError, Py4JNetworkError):
        raise  # the plan itself failed
    except (ImportError, AttributeError, Py4JError):
        return open_public(df)  # a private name moved


def open_direct(df: DataFrame) -> ArrowRoute:
    """The route through the JVM alone. Raises what a missing private name raises."""
    frames = df._jdf.toArrowBatchRdd().toJavaRDD()
    return _direct("direct", df.sparkSession.sparkContext, schema_of_to_arrow(df), frames)


def open_through(
    df: DataFrame,
    schema: pa.Schema,
    rows: int,
    function: Callable[[Iterator[bytes]], Iterable[bytes]],
) -> ArrowRoute:
    """The direct route by way of Python workers, which give ``function`` of a partition's frames.

    A frame is an Arrow batch of up to ``rows`` rows, encoded as it travels: the workers neither
    decode nor encode. Raises what a missing private name raises.
    """
    from pyspark import RDD
    from pyspark.serializers import NoOpSerializer

    context = df.sparkSession.sparkContext
    zone = df.sparkSession.conf.get("spark.sql.session.timeZone")
    java_rdd = df._jdf.toArrowBatchRdd(rows, zone, True, _prefers_large(df)).toJavaRDD()
    encoded: Any = RDD(java_rdd, context, NoOpSerializer())
    frames = encoded.mapPartitions(function)
    if frames._bypass_serializer is not False:
        raise AttributeError("this version of pyspark does not let an RDD carry plain bytes")
    frames._bypass_serializer = True  # or they would come pickled
    return _direct("through", context, schema, frames._jrdd)


def _direct(name: str, context: Any, schema: pa.Schema, java_rdd: Any) -> ArrowRoute:
    """The route to the partitions of ``java_rdd``, whose elements are frames."""
    from pyspark.util import _load_from_socket

    run_job, spark_context = context._jvm.PythonRDD.runJob, context._jsc.sc()
    alone = context._gateway.new_array(context._jvm.org.apache.spark.api.java.JavaRDD, 1)
    alone[0] = java_rdd

    def read(socket_info: Any) -> Generator[pa.RecordBatch | None, None, None]:
        with _load_from_socket(socket_info, _FrameReader(schema)) as batches:  # type: ignore[arg-type]
            yield from batches
        # The end of the stream looks the same whether the JVM sent all or died: ask it.
        server = socket_info[2]
        try:
            server.getResult()
        finally:
            # It has the result, and a cycle in py4j keeps it until Python's collector comes by.
            server._detach()

    def run(indices: Sequence[int]) -> Batches:
        # As an RDD of its own: Spark fails all jobs of an RDD when one fails.
        rdd = context._jsc.union(alone)
        return read(run_job(spark_context, rdd, list(indices)))

    marks: list[Any] = []

    def apart(indices: Sequence[int]) -> Generator[Batches, None, None]:
        if not marks:
            marks.append(context._jsc.parallelize([b""] * MOST_TOGETHER, MOST_TOGETHER))
        both = context._gateway.new_array(context._jvm.org.apache.spark.api.java.JavaRDD, 2)
        both[0], both[1] = java_rdd, marks[0]
        # After each partition comes one empty frame: the stream itself has no ends of partitions.
        order = [one for at, index in enumerate(indices) for one in (index, count + at)]
        frames = read(run_job(spark_context, context._jsc.union(both), order))
        return _parted(frames, len(indices))

    count = int(java_rdd.getNumPartitions())
    return ArrowRoute(name, schema, count, run, apart)


def _parted(
    frames: Generator[pa.RecordBatch | None, None, None], parts: int
) -> Generator[Batches, None, None]:
    with closing(frames):
        for _ in range(parts):
            yield _until_mark(frames)
        for _ in frames:  # to its end, which tells whether the JVM lives
            pass


def _until_mark(frames: Iterator[pa.RecordBatch | None]) -> Batches:
    for frame in frames:
        if frame is None:
            return
        yield frame
    raise EOFError("the connection to the JVM ended within a partition")


def open_public(df: DataFrame) -> ArrowRoute:
    """The route by public names only: Python workers encode, the driver gets a job at once."""
    import pyarrow as pa

    context = df.sparkSession.sparkContext
    schema = df.limit(0).toArrow().schema
    # A worker would lose the number of rows that have no column.
    sent = numbered(df) if df.columns else df.selectExpr("true AS present")
    sent_schema = schema if df.columns else pa.schema([pa.field("present", pa.bool_())])
    columns = list(range(len(schema)))
    encoded = sent.mapInArrow(_encoder(), "frame binary").rdd

    def decode(frame: bytes) -> pa.RecordBatch:
        return pa.ipc.read_record_batch(frame, sent_schema).select(columns)

    def run(indices: Sequence[int]) -> Generator[pa.RecordBatch, None, None]:
        rows = context.runJob(encoded, iter, list(indices))
        ensure_session_alive(context, "a job")  # or a JVM that died looks like a short result
        return (decode(row.frame) for row in rows)

    return ArrowRoute("public", schema, encoded.getNumPartitions(), run)


def numbered(df: DataFrame) -> DataFrame:
    """``df`` with its columns named ``c0``, ``c1`` and so on, for ``mapInArrow``.

    That asks for each column by its name, which two of them may share or which may hold a dot.
    """
    return df.toDF(*(f"c{number}" for number in range(len(df.columns))))


class _FrameReader:
    """Reads record batches, each after its length in four bytes, until the end of the stream.

    An empty frame is None.

    Has the one method of pyspark's serializers that `_load_from_socket` calls.
    """

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema

    def load_stream(self, stream: IO[bytes]) -> Iterator[pa.RecordBatch | None]:
        """The batches, each in one buffer of its own that its columns point into."""
        import pyarrow as pa

        while header := stream.read(_LENGTH.size):
            (length,) = _LENGTH.unpack(header) if len(header) == _LENGTH.size else (-1,)
            buffer = pa.allocate_buffer(max(length, 0))
            if stream.readinto(memoryview(buffer)) != length:  # type: ignore[attr-defined]
                raise EOFError("the connection to the JVM ended within an Arrow batch")
            yield pa.ipc.read_record_batch(buffer, self._schema) if length else None


def schema_of_to_arrow(df: DataFrame) -> pa.Schema:
    """The schema that ``df.toArrow()`` has. By names that are private to pyspark."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(
        df.schema,
        error_on_duplicated_field_names_in_struct=True,
        timezone="UTC",
        prefers_large_types=_prefers_large(df),
    )


def _prefers_large(df: DataFrame) -> bool:
    large = df.sparkSession.conf.get("spark.sql.execution.arrow.useLargeVarTypes", "false")
    return large == "true"


def _encoder() -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for the executors; a nested one travels whole, so they need not have us."""

    def encode(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for batch in batches:
            yield pa.record_batch([pa.array([batch.serialize().to_pybytes()])], names=["frame"])

    return encode
