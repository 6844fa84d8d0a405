"""DataFrames of a Spark Connect session: one query each, read as its batches are wanted.

A remote session has no partitions that can be asked for one by one; asking for them by a filter
would compute each of them as often as there are partitions. So a DataFrame is one query, which is
begun at the first demand, and counts as one partition. Promises about single partitions cannot be
kept there, and `refuse_per_partition` refuses them.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from actors_rs.errors import DefectError, InvalidArgumentError
from actors_rs.spark.connecting.failures import closed_here, described
from actors_rs.spark.connecting.liveness import reach, watch_server
from actors_rs.spark.connecting.query import BatchReader, ConnectQuery
from actors_rs.spark.connecting.server import ConnectServer
from actors_rs.spark.failures import SparkSessionLost
from actors_rs.spark.fetching.decoding import slices
from actors_rs.spark.liveness import Watch
from actors_rs.spark.repeat.checksum import Checksum, summed
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, Row

__all__ = [
    "INSTEAD",
    "QueryBatches",
    "QueryRows",
    "is_connect",
    "refuse_per_partition",
    "refuse_rdd",
]

T = TypeVar("T")

INSTEAD = "use a classic session, as local_session and SparkSession.builder.master(...) make one"
_OF_THE_QUERY = ("max_attempts", "backoff")
_WHAT = "the query"


def is_connect(thing: object) -> bool:
    """Whether ``thing``, a DataFrame or a session, is one of Spark Connect."""
    return type(thing).__module__.startswith("pyspark.sql.connect.")


def refuse_rdd(thing: object) -> None:
    """Raise ``InvalidArgumentError`` if an argument for an RDD comes from Spark Connect."""
    if is_connect(thing):
        kind = f"{type(thing).__module__}.{type(thing).__name__}"
        raise InvalidArgumentError(
            f"SparkSource.partitions: expected an RDD, got {kind}: Spark Connect has no RDDs: for "
            f"a DataFrame there are SparkSource.arrow and rows; for RDDs {INSTEAD}"
        )


def refuse_per_partition(what: str, **given: Any) -> None:
    """Raise ``InvalidArgumentError`` for an option of ``given`` that speaks of partitions."""
    for name, value in given.items():
        if name not in _OF_THE_QUERY and value not in (None, "fail"):
            raise InvalidArgumentError(
                f"{what}: {name}={repr_of(value)} is not possible with Spark Connect, where a "
                f"DataFrame is one query whose partitions the server runs as it likes: leave it "
                f"out, or {INSTEAD}"
            )


class _Query(Generic[T]):
    """A DataFrame as a plan of one partition: the whole query. See ``PartitionPlan``."""

    def __init__(self, df: DataFrame) -> None:
        self._df: Any = df
        self._server = ConnectServer(df.sparkSession)
        if getattr(self._df._plan, "observations", None):
            raise InvalidArgumentError(
                "SparkSource: the metrics of df.observe(...) are not filled in when a DataFrame "
                f"of Spark Connect is streamed: leave it out, or {INSTEAD}"
            )
        self._plan: Any = None
        self._query: ConnectQuery | None = None
        self._cancelled: set[str] = set()
        self._lost: SparkSessionLost | None = None

    def make_repeatable(self, tag: str) -> None:
        """Its one partition holds all rows, wherever Spark has them meanwhile."""

    def stream_above(self, size: int) -> None:
        """The server holds the result, and sends it in batches anyway."""

    def plan(self, tag: str) -> int:
        with self._described(lambda: tag in self._cancelled, "planning"):
            # First, for pyspark's own requests go on for minutes where nobody answers.
            reach(self._server)
            self._plan = self._df._plan.to_proto(self._server.client)
            self._prepare()
        return 1

    def fetch(
        self, index: int, tag: str, checksum: Checksum | None = None
    ) -> Generator[T, None, None]:
        if self._plan is None:
            raise DefectError(f"fetch({index}) was called before plan()")
        self._query = query = ConnectQuery(self._server, self._plan, tag)
        if any(query.is_under(cancelled) for cancelled in self._cancelled):
            query.cancel()
        with self._described(lambda: query.cancelled, _WHAT):
            with closing(query.responses()) as responses:
                yield from self._elements(responses, checksum)

    @property
    def joins(self) -> bool:
        return False

    @property
    def share(self) -> None:
        return None  # the result lies in the server

    def fetch_together(
        self, indices: Sequence[int], tag: str, checksums: Sequence[Checksum | None]
    ) -> Generator[Generator[T, None, None], None, None]:
        raise DefectError("a query of Spark Connect is one partition")

    def check(self, index: int) -> None:
        if self._lost is not None:
            raise self._lost
        if self._server.is_closed:
            raise closed_here(_WHAT)
        if self._query is not None:
            with self._described(lambda: False, _WHAT):
                self._query.hold()

    def cancel(self, tag: str) -> None:
        self._cancelled.add(tag)
        if self._query is not None and self._query.is_under(tag):
            self._query.cancel()

    def is_queued(self, tag: str) -> bool:
        return False

    def watch(self, on_lost: Callable[[SparkSessionLost], None]) -> Watch:
        def lost(error: SparkSessionLost) -> None:
            self._lost = error
            on_lost(error)
            self._server.cut()
            if self._query is not None:
                self._query.cancel()

        return watch_server(self._server, lost)

    def describe(self) -> tuple[str, str]:
        with self._described(lambda: False, "planning"):
            return self._server.describe(self._plan)

    def caches(self) -> str:
        return ""

    def files(self) -> dict[str, int]:
        return {}

    def _prepare(self) -> None:
        """What else has to be asked before the query begins."""

    def _elements(
        self, responses: Iterator[Any], checksum: Checksum | None
    ) -> Generator[T, None, None]:
        """The elements of ``responses``, counted in ``checksum``."""
        raise NotImplementedError

    @contextmanager
    def _described(self, ours: Callable[[], bool], what: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            if self._lost is not None:
                raise self._lost from error
            raise described(error, self._server, what, ours=ours()) from error


class QueryBatches(_Query["pa.RecordBatch"]):
    """The whole query as Arrow batches, in the schema that ``df.toArrow()`` has."""

    def _elements(
        self, responses: Iterator[Any], checksum: Checksum | None
    ) -> Generator[pa.RecordBatch, None, None]:
        import pyarrow as pa

        schemas: list[pa.Schema] = []
        reader = BatchReader(lambda schema: schemas.append(_arrow_schema(schema)))
        for response in responses:
            for batch in summed(reader.batches(response), checksum):
                if schemas and batch.schema != schemas[0]:
                    table = pa.Table.from_batches([batch]).cast(schemas[0])
                    yield from table.to_batches()
                else:
                    yield batch


class QueryRows(_Query["Row"]):
    """The whole query as rows, equal to the rows of ``df.collect()``."""

    _binary_as_bytes = True

    def _prepare(self) -> None:
        setting = self._server.setting("spark.sql.execution.pyspark.binaryAsBytes", "true")
        self._binary_as_bytes = setting == "true"

    def _elements(
        self, responses: Iterator[Any], checksum: Checksum | None
    ) -> Generator[Row, None, None]:
        from pyspark.sql.conversion import ArrowTableToRowsConversion

        schemas: list[Any] = []
        reader = BatchReader(lambda schema: schemas.append(_struct_of(schema)))
        for response in responses:
            for batch in summed(reader.batches(response), checksum):
                for chunk in slices(batch):
                    yield from ArrowTableToRowsConversion.convert(
                        chunk, schemas[0], binary_as_bytes=self._binary_as_bytes
                    )


def _struct_of(schema: Any) -> Any:
    """The schema that the server sent, as pyspark's own."""
    from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

    untyped: Any = proto_schema_to_pyspark_data_type
    return untyped(schema)


def _arrow_schema(schema: Any) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema

    arrow_schema_of: Any = to_arrow_schema
    return arrow_schema_of(
        _struct_of(schema), error_on_duplicated_field_names_in_struct=True, timezone="UTC"
    )
