"""Spans of Spark's partitions, and the trace that functions in Spark's tasks see."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode, format_trace_id
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf
from pyspark.sql.pandas.functions import pandas_udf

from actors_rs import ActorSystem, Backoff, Sink, Source
from actors_rs.errors import ArgumentTypeError
from actors_rs.observability.opentelemetry import Tracing
from actors_rs.spark import SparkSource, spark_map, stage, traced
from actors_rs.spark.fetching.job_size import JobSize
from tests.spark.jobs import until

pytestmark = pytest.mark.spark

SECONDS = 240.0
SOON = Backoff(0.01, 0.01)


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter: InMemorySpanExporter) -> TracerProvider:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider


@pytest.fixture
def traced_system(provider: TracerProvider) -> Iterator[ActorSystem]:
    with ActorSystem(workers=2) as system:
        Tracing(system, provider)
        yield system


def run_and_partitions(
    exporter: InMemorySpanExporter,
) -> tuple[ReadableSpan, dict[Any, ReadableSpan]]:
    """The span of the run, once it has ended, and the spans of its partitions by index."""

    def spans() -> list[ReadableSpan]:
        return [one for one in exporter.get_finished_spans() if one.name == "run run"]

    until(spans)
    (run,) = spans()
    parts = [one for one in exporter.get_finished_spans() if one.name.startswith("partition ")]
    found = {dict(one.attributes or {})["actors.partition"]: one for one in parts}
    assert len(found) == len(parts)
    for one in parts:
        assert one.parent is not None
        assert run.context is not None
        assert one.parent.span_id == run.context.span_id
    return run, found


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def seen(_: object = None) -> tuple[str, str]:
    """The trace and the span that are current in a task."""
    from opentelemetry import trace

    found = trace.get_current_span().get_span_context()
    return trace.format_trace_id(found.trace_id), trace.format_span_id(found.span_id)


def said_seen(_: object) -> str:
    return " ".join(seen())


def series_seen(numbers: pd.Series) -> pd.Series:
    return numbers.map(said_seen)


NOTHING = ("0" * 32, "0" * 16)


def ids(span: ReadableSpan) -> tuple[str, str]:
    assert span.context is not None
    return format_trace_id(span.context.trace_id), trace.format_span_id(span.context.span_id)


def test_each_partition_is_a_span_below_its_run(
    spark: SparkSession, traced_system: ActorSystem, exporter: InMemorySpanExporter
) -> None:
    graph = SparkSource.rows(spark.range(0, 40, 1, 4)).to(Sink.count())
    assert traced_system.start(graph).result(SECONDS) == 40
    _, parts = run_and_partitions(exporter)
    assert parts.keys() == {0, 1, 2, 3}
    for one in parts.values():
        assert one.name == "partition spark_rows"
        assert attributes(one)["actors.stage"] == "spark_rows"
        assert attributes(one)["actors.attempts"] == 1
        assert one.status.status_code is StatusCode.UNSET


def failing_once(folder: str) -> Any:
    """Of an RDD: partition 1 fails at its first attempt."""

    def elements(index: int, numbers: Iterator[int]) -> Iterator[int]:
        mark = Path(folder, "tried")
        if index == 1 and not mark.exists():
            mark.touch()
            raise ZeroDivisionError("not now")
        yield from numbers

    return elements


def test_a_partition_that_is_tried_again_has_its_attempts_and_their_errors(
    spark: SparkSession, traced_system: ActorSystem, exporter: InMemorySpanExporter, tmp_path: Path
) -> None:
    rdd = spark.sparkContext.parallelize(range(6), 3)
    rdd = rdd.mapPartitionsWithIndex(failing_once(str(tmp_path)))
    source = SparkSource.partitions(rdd, max_attempts=3, backoff=SOON)
    assert sum(map(len, traced_system.start(source.to(Sink.list())).result(SECONDS))) == 6
    run, parts = run_and_partitions(exporter)
    assert {index: attributes(one)["actors.attempts"] for index, one in parts.items()} == {
        0: 1,
        1: 2,
        2: 1,
    }
    (retried,) = parts[1].events
    assert retried.name == "partition_retried"
    assert "not now" in str(dict(retried.attributes or {})["actors.error"])
    assert parts[1].status.status_code is StatusCode.UNSET
    assert run.events == ()


def failing(index: int, numbers: Iterable[int]) -> Iterable[int]:
    if index == 1:
        raise ZeroDivisionError("never")
    return numbers


def test_a_partition_that_is_given_up_records_its_error(
    spark: SparkSession, traced_system: ActorSystem, exporter: InMemorySpanExporter
) -> None:
    rdd = spark.sparkContext.parallelize(range(6), 3).mapPartitionsWithIndex(failing)
    source = SparkSource.partitions(rdd, max_attempts=2, backoff=SOON, on_poison="dead_letter")
    assert len(traced_system.start(source.to(Sink.list())).result(SECONDS)) == 2
    _, parts = run_and_partitions(exporter)
    names = [event.name for event in parts[1].events]
    assert names == ["partition_retried", "partition_given_up", "exception"]
    assert parts[1].status.status_code is StatusCode.ERROR
    assert attributes(parts[1])["actors.attempts"] == 2


def test_a_partition_that_fails_its_run_records_its_error(
    spark: SparkSession, traced_system: ActorSystem, exporter: InMemorySpanExporter
) -> None:
    rdd = spark.sparkContext.parallelize(range(6), 3).mapPartitionsWithIndex(failing)
    run = traced_system.start(SparkSource.partitions(rdd).to(Sink.list()))
    assert run.wait(SECONDS)
    span, parts = run_and_partitions(exporter)
    assert span.status.status_code is StatusCode.ERROR
    assert parts[1].status.status_code is StatusCode.ERROR
    (error,) = parts[1].events
    assert "never" in str(dict(error.attributes or {})["exception.message"])


def test_a_partition_that_is_being_read_at_the_end_of_its_run_is_unfinished(
    spark: SparkSession, traced_system: ActorSystem, exporter: InMemorySpanExporter
) -> None:
    many = spark.range(0, 200_000, 1, 2)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
    try:
        run = traced_system.start(SparkSource.rows(many).take(1).to(Sink.list()))
        assert len(run.result(SECONDS)) == 1
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    _, parts = run_and_partitions(exporter)
    assert attributes(parts[0])["actors.unfinished"] is True
    assert parts[0].status.status_code is StatusCode.UNSET


# What tasks see


def test_a_function_of_spark_map_sees_the_span_of_the_run(
    spark: SparkSession, traced_system: ActorSystem, exporter: InMemorySpanExporter
) -> None:
    async def later(_: object) -> tuple[str, str]:
        return seen()

    for f in (seen, later):
        exporter.clear()
        graph = Source.range(0, 3).via(spark_map(f, spark)).to(Sink.list())
        found = traced_system.start(graph).result(SECONDS)
        run, _ = run_and_partitions(exporter)
        assert set(found) == {ids(run)}


def test_functions_of_an_rdd_see_the_span_of_their_partition(
    spark: SparkSession, traced_system: ActorSystem, exporter: InMemorySpanExporter
) -> None:
    rdd = spark.sparkContext.parallelize(range(3), 3).map(seen)
    found = traced_system.start(SparkSource.partitions(rdd).to(Sink.list())).result(SECONDS)
    _, parts = run_and_partitions(exporter)
    assert found == [[ids(parts[index])] for index in range(3)]


@traced
def batches_with_trace(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        trace_id, span_id = seen()
        rows = batch.num_rows
        yield pa.RecordBatch.from_pydict({"trace": [trace_id] * rows, "span": [span_id] * rows})


def test_a_traced_function_sees_the_span_of_its_partition(
    spark: SparkSession, traced_system: ActorSystem, exporter: InMemorySpanExporter
) -> None:
    by_udf = udf(traced(said_seen), "string")
    make_udf: Any = pandas_udf  # its types know no function of a variable
    by_series = make_udf(traced(series_seen), "string")
    numbers = spark.range(0, 2, 1, 2)
    for frame in (
        numbers.select(by_series("id").alias("seen")),
        numbers.select(by_udf("id").alias("seen")),
        numbers.mapInArrow(batches_with_trace, "trace string, span string"),
    ):
        exporter.clear()
        rows = traced_system.start(SparkSource.rows(frame, in_flight=1).to(Sink.list())).result(
            SECONDS
        )
        _, parts = run_and_partitions(exporter)
        found = [tuple(" ".join(row).split()) for row in rows]
        assert found == [ids(parts[index]) for index in range(2)]


class FourTogether(JobSize):
    """Four partitions a job, however long they take."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.now = 4

    def ended(self, partitions: int, seconds: float, chunks: int, size: int) -> None:
        pass


def test_partitions_of_one_job_see_the_span_of_their_run(
    spark: SparkSession,
    traced_system: ActorSystem,
    exporter: InMemorySpanExporter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stage, "JobSize", FourTogether)
    by_udf = udf(traced(said_seen), "string")
    frame = spark.range(0, 8, 1, 8).select(by_udf("id").alias("seen"))
    source = SparkSource.rows(frame, in_flight=8)
    rows = traced_system.start(source.to(Sink.list())).result(SECONDS)
    run, parts = run_and_partitions(exporter)
    assert len(parts) == 8
    assert {tuple(row.seen.split()) for row in rows} == {ids(run)}


def test_streamed_partitions_see_their_trace_too(
    spark: SparkSession, traced_system: ActorSystem, exporter: InMemorySpanExporter
) -> None:
    frame = spark.range(0, 2, 1, 2).mapInArrow(batches_with_trace, "trace string, span string")
    source = SparkSource.rows(frame, in_flight=1, max_partition_bytes=1)
    rows = traced_system.start(source.to(Sink.list())).result(SECONDS)
    _, parts = run_and_partitions(exporter)
    assert [tuple(row) for row in rows] == [ids(parts[index]) for index in range(2)]


def test_the_span_of_a_caller_reaches_tasks_of_a_system_that_is_not_traced(
    spark: SparkSession, system: ActorSystem, provider: TracerProvider
) -> None:
    graph = Source.range(0, 1).via(spark_map(seen, spark)).to(Sink.list())
    with provider.get_tracer("test").start_as_current_span("request") as caller:
        found = system.start(graph).result(SECONDS)
    assert isinstance(caller, ReadableSpan)
    assert found == [ids(caller)]


def properties(_: object) -> str | None:
    task: Any = TaskContext.get()
    found: str | None = task.getLocalProperty("traceparent")
    return found


def test_nothing_of_a_trace_stays_on_the_threads_and_workers(
    spark: SparkSession, traced_system: ActorSystem, system: ActorSystem
) -> None:
    graph = Source.range(0, 4).via(spark_map(properties, spark)).to(Sink.list())
    assert None not in traced_system.start(graph).result(SECONDS)
    assert system.start(graph).result(SECONDS) == [None] * 4
    without = Source.range(0, 4).via(spark_map(seen, spark)).to(Sink.list())
    assert system.start(without).result(SECONDS) == [NOTHING] * 4


def test_a_task_without_opentelemetry_calls_its_function_all_the_same(
    spark: SparkSession, traced_system: ActorSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Spark keeps workers apart by their environment: no other test gets this one.
    monkeypatch.setitem(spark.sparkContext.environment, "WITHOUT_OPENTELEMETRY", "1")

    def remove(n: int) -> int:
        import sys

        of_it = [name for name in sys.modules if name.startswith("opentelemetry")]
        sys.modules.update(dict.fromkeys([*of_it, "opentelemetry"]))  # type: ignore[arg-type]
        return n

    def missing(_: int) -> bool:
        from pyspark import TaskContext

        try:
            import opentelemetry.trace  # noqa: F401
        except ImportError:
            context = TaskContext.get()
            assert context is not None
            return bool(context.getLocalProperty("traceparent"))
        return False

    for f, expected in ((remove, [0, 1, 2]), (missing, [True] * 3)):
        graph = Source.range(0, 3).via(spark_map(f, spark, parallelism=1)).to(Sink.list())
        assert traced_system.start(graph).result(SECONDS) == expected


def test_a_traced_function_is_called_as_it_is_outside_of_tasks() -> None:
    assert traced(abs)(-1) == 1
    assert traced(seen)() == NOTHING
    assert list(traced(iter)([1, 2])) == [1, 2]


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises((ArgumentTypeError, TypeError), match="traced: f"):
        traced(42)  # type: ignore[arg-type]
