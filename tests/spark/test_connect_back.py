# mypy: disable-error-code="no-untyped-def"
"""Partitions larger than their budget are streamed, and give the same rows as all others."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from actors_rs import ActorSystem, Backoff, Sink
from actors_rs.delivery import Ledger
from actors_rs.errors import StageError
from actors_rs.spark import FailureKind, SparkPartitionError, SparkSource
from actors_rs.spark.fetching.arrow_route import ArrowRoute, open_through
from actors_rs.spark.fetching.connect_back import _listener, _Transfer, open_streamed
from actors_rs.spark.fetching.partitions import ArrowPartitions, RowPartitions
from tests.spark.jobs import Transform, ids, jobs_running, subscribed, until
from tests.spark.test_partitions import every_type, flat
from tests.spark.test_resume import failing, rows_in, to_sqlite

pytestmark = pytest.mark.spark

SECONDS = 240.0


def every_fixed_type(spark: SparkSession) -> DataFrame:
    """Columns whose width is known, so that batches travel as the JVM encodes them."""
    return spark.sql(
        "SELECT id, CAST(id AS TINYINT) AS byte, id % 3 = 0 AS yes, "
        "IF(id % 3 = 0, NULL, id) AS gap, id * 0.5D AS x, CAST(id AS DECIMAL(20, 3)) AS money, "
        "DATE'2020-02-29' AS day, TIMESTAMP'2020-02-29 12:00:00' AS moment, "
        "INTERVAL '1' DAY AS span FROM range(0, 20, 1, 4)"
    )


@pytest.mark.parametrize("of_every", [every_type, every_fixed_type])
@pytest.mark.parametrize("limit", [1, 300, 100_000_000], ids=["streamed", "cut", "whole"])
def test_either_way_the_rows_and_the_schema_are_those_of_to_arrow(
    spark: SparkSession, of_every: Callable[[SparkSession], DataFrame], limit: int
) -> None:
    df = of_every(spark)
    plan = ArrowPartitions(df, max_bytes=limit)
    batches = flat(plan)
    expected = df.toArrow()
    assert plan.schema == expected.schema
    assert pa.Table.from_batches(batches).equals(expected)
    for batch in batches:
        batch.validate(full=True)


@pytest.mark.parametrize("limit", [1, 100_000_000], ids=["streamed", "whole"])
def test_empty_partitions_and_rows_without_columns_come_too(
    spark: SparkSession, limit: int
) -> None:
    assert flat(ArrowPartitions(spark.range(4).where("id < 0"), max_bytes=limit)) == []
    without = flat(ArrowPartitions(spark.range(0, 10, 1, 2).select(), max_bytes=limit))
    assert [batch.num_rows for batch in without] == [5, 5]


@pytest.mark.parametrize("limit", [1, 100_000_000], ids=["streamed", "whole"])
def test_columns_of_one_name_and_names_with_dots_come_too(spark: SparkSession, limit: int) -> None:
    df = spark.sql("SELECT id AS n, concat('s', id) AS n, id AS `a.b` FROM range(0, 6, 1, 2)")
    plan = ArrowPartitions(df, max_bytes=limit)
    assert pa.Table.from_batches(flat(plan)).equals(df.toArrow())
    assert plan.schema.names == ["n", "n", "a.b"]
    assert flat(RowPartitions(df, max_bytes=limit)) == df.collect()


def test_no_batch_is_larger_than_the_budget(spark: SparkSession) -> None:
    batches = flat(ArrowPartitions(spark.range(0, 10_000, 1, 1), max_bytes=8_000))
    assert [batch.num_rows for batch in batches] == [1_000] * 10


def test_streamed_batches_are_as_large_as_the_session_wants_them(spark: SparkSession) -> None:
    with rows_a_batch(spark, 4_000):
        batches = flat(ArrowPartitions(spark.range(0, 10_000, 1, 1), max_bytes=40_000))
    assert [batch.num_rows for batch in batches] == [4_000, 4_000, 2_000]


def test_the_jvm_makes_no_larger_batches_than_the_budget(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the session would have them larger; what has no known width is not encoded there."""
    asked: list[int] = []

    def through(df: DataFrame, schema: pa.Schema, rows: int, function: Any) -> ArrowRoute:
        asked.append(rows)
        return open_through(df, schema, rows, function)

    monkeypatch.setattr("actors_rs.spark.fetching.connect_back.open_through", through)
    with rows_a_batch(spark, 65_536):
        for columns in (["id"], ["id", "id AS twice"], ["id", "'text' AS text"]):
            open_streamed(spark.range(0, 10, 1, 1).selectExpr(*columns), 80_000)
        open_streamed(spark.range(0, 10, 1, 1), 1_000_000)
    with rows_a_batch(spark, 0):
        open_streamed(spark.range(0, 10, 1, 1), 1_000_000)
    assert asked == [10_000, 5_000, 65_536, 125_000]


def test_where_a_private_name_is_missing_batches_are_streamed_all_the_same(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("pyspark.serializers.NoOpSerializer")
    df = spark.range(0, 10_000, 1, 1)
    batches = flat(ArrowPartitions(df, max_bytes=40_000))
    assert len(batches) > 1
    assert pa.Table.from_batches(batches).equals(df.toArrow())


@contextmanager
def rows_a_batch(spark: SparkSession, rows: int) -> Iterator[None]:
    setting = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = spark.conf.get(setting)
    spark.conf.set(setting, rows)
    try:
        yield
    finally:
        spark.conf.set(setting, str(before))


def test_rows_can_be_streamed(spark: SparkSession, system: ActorSystem) -> None:
    df = every_type(spark)
    rows = system.start(SparkSource.rows(df, max_partition_bytes=1).to(Sink.list())).result(SECONDS)
    assert rows == df.collect()


def counting(marks: Path) -> Transform:
    """Each row that is made leaves a mark."""
    path = str(marks)

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            with open(path, "a") as lines:
                lines.write("." * batch.num_rows)
            yield batch

    return count


@pytest.mark.parametrize(
    "columns",
    [["repeat(cast(id AS string), 40) AS s"], [f"id * {n} AS c{n}" for n in range(30)]],
    ids=["width unknown", "width known"],
)
def test_a_large_partition_is_computed_no_further_ahead_than_its_reader(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, columns: list[str]
) -> None:
    made = tmp_path / "made"
    wide = spark.range(0, 600_000, 1, 1).selectExpr("id", *columns)
    df = wide.mapInArrow(counting(made), wide.schema)
    with rows_a_batch(spark, 10_000):
        asking = subscribed(system, SparkSource.arrow(df, max_partition_bytes=1_000_000))
        asking.subscription.request(1)
        until(lambda: asking.got)
    ahead = 0
    pause = threading.Event()
    while ahead != (ahead := len(made.read_text())):
        pause.wait(0.5)
    assert ahead < 300_000, "of 600,000 rows"
    asking.subscription.request(1000)
    until(lambda: asking.ended)
    assert asking.completed
    assert ids(asking.got) == list(range(600_000))


def test_a_cancelled_stream_frees_its_place_and_leaves_no_thread(
    spark: SparkSession, system: ActorSystem
) -> None:
    df = spark.range(0, 4_000_000, 1, 1)
    asking = subscribed(system, SparkSource.arrow(df, max_partition_bytes=1_000))
    asking.subscription.request(2)
    until(lambda: len(asking.got) == 2)
    asking.subscription.cancel()
    until(lambda: jobs_running(spark) == 0)
    until(lambda: "spark-job" not in [thread.name for thread in threading.enumerate()])


@pytest.mark.parametrize(
    ("how", "kind"),
    [("raise", FailureKind.USER_CODE), ("exit", FailureKind.WORKER_LOST)],
)
def test_a_failure_in_the_middle_is_the_jobs_own(
    spark: SparkSession, system: ActorSystem, how: str, kind: FailureKind
) -> None:
    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os

        for number, batch in enumerate(batches):
            if number == 5 and how == "raise":
                raise ValueError("the sixth")
            if number == 5:
                os._exit(3)
            yield batch

    df = spark.range(0, 100_000, 1, 1).mapInArrow(fail, "id long")
    with rows_a_batch(spark, 10_000):
        run = system.start(SparkSource.arrow(df, max_partition_bytes=10_000).to(Sink.count()))
        with pytest.raises(SparkPartitionError) as caught:
            run.result(SECONDS)
    assert caught.value.kind is kind
    assert how == "exit" or caught.value.message == "ValueError: the sixth"


def test_a_partition_that_fails_while_it_is_streamed_is_written_once_all_the_same(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    df = spark.range(0, 20, numPartitions=4)

    def late(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches
        yield from fail(iter(()))

    fail = failing(tmp_path, {1: 1, 2: 2})
    df = df.mapInArrow(late, df.schema)
    source = SparkSource.arrow(
        df, max_partition_bytes=1, max_attempts=3, backoff=Backoff(0.01, 0.01)
    ).resume(Ledger(tmp_path / "ledger"))
    system.start(to_sqlite(source, tmp_path / "rows.db")).result(SECONDS)
    assert rows_in(tmp_path / "rows.db") == list(range(20))


def test_an_executor_that_cannot_reach_the_driver_says_what_it_needs(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    route = open_streamed(spark.range(0, 10, 1, 1), 1)
    monkeypatch.setattr("actors_rs.spark.fetching.connect_back._Transfer.address", "127.0.0.1 9 x")
    with pytest.raises(Exception, match=r"does not answer at 127\.0\.0\.1:9"):
        list(route.run([0]))


class Context:
    """Stands for the Spark context of a transfer whose job is a test's."""

    _gateway = None

    def __init__(self) -> None:
        self.cancelled: list[str] = []

    def addJobTag(self, tag: str) -> None:  # noqa: N802
        pass

    def setLocalProperty(self, name: str, value: str) -> None:  # noqa: N802
        pass

    def cancelJobsWithTag(self, tag: str) -> None:  # noqa: N802
        self.cancelled.append(tag)


def connected(transfer: _Transfer, said: str) -> socket.socket:
    host, port, _ = transfer.address.split()
    connection = socket.create_connection((host, int(port)), 10)
    connection.sendall(said.encode())
    return connection


def test_a_connection_without_the_token_is_closed_and_does_no_harm(spark: SparkSession) -> None:
    context = Context()
    over = threading.Event()
    transfer = _Transfer(context, pa.schema([]), 0, _listener("127.0.0.1"), "127.0.0.1")
    batch = pa.record_batch({"a": [1]})

    def job() -> Any:
        assert over.wait(30)
        return iter(())

    def strangers() -> None:
        for said in ("x" * 32, "short"):
            with connected(transfer, said) as stranger:
                stranger.shutdown(socket.SHUT_WR)
                assert stranger.recv(1) == b""
        over.set()

    transfer.begin(lambda: (batch for _ in job() or [0]), {})
    thread = threading.Thread(target=strangers)
    thread.start()
    assert list(transfer.batches()) in ([], [batch])
    thread.join(30)
    assert not thread.is_alive()
    assert context.cancelled == []


@pytest.mark.parametrize("limit", [0, -1, 1.5, "1m"])
def test_a_budget_that_makes_no_sense_is_refused_at_once(spark: SparkSession, limit: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="max_partition_bytes"):
        SparkSource.arrow(spark.range(1), max_partition_bytes=limit)


def test_columns_that_arrow_cannot_carry_cannot_be_streamed(
    spark: SparkSession, system: ActorSystem
) -> None:
    df = spark.sql("SELECT make_interval(1, id) AS i FROM range(0, 4, 1, 2)")
    run = system.start(SparkSource.rows(df, max_partition_bytes=1).to(Sink.count()))
    with pytest.raises((StageError, ValueError), match="only columns that Arrow can carry"):
        run.result(SECONDS)
