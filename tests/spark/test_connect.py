"""DataFrames of a Spark Connect session: read on demand, each as one query."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from actors_rs import ActorSystem, Run, Sink, concat
from actors_rs.delivery import Ledger, status
from actors_rs.errors import InvalidArgumentError, LedgerError
from actors_rs.spark import (
    FailureKind,
    SparkPartitionError,
    SparkSource,
    SparkUnavailable,
    stage,
)
from actors_rs.spark.connecting import query as connect_query
from actors_rs.spark.connecting import server as connect_server
from actors_rs.spark.connecting.source import is_connect
from actors_rs.spark.fetching.fetch import CHUNKS_AHEAD
from tests.spark.connect_server import DETACHED_SECONDS, Proxy, Server
from tests.spark.jobs import ids, subscribed, until

pytestmark = pytest.mark.spark

COLUMNS = [
    "id",
    "IF(id % 3 = 0, NULL, concat('s', id)) AS text",
    "timestamp_seconds(id) AS moment",
    "array(id, NULL) AS numbers",
    "map(id, named_struct('t', timestamp_seconds(id))) AS deep",
    "cast(id AS decimal(20, 3)) AS money",
    "cast('abc' AS binary) AS bytes",
]


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The streams of responses that are opened, by the method that opens each."""
    opened: list[str] = []
    open_stream = connect_server.ConnectServer.stream

    def stream(self: Any, method: str, message: Any) -> Any:
        opened.append(method)
        return open_stream(self, method, message)

    monkeypatch.setattr(connect_server.ConnectServer, "stream", stream)
    return opened


def table_of(batches: list[pa.RecordBatch]) -> pa.Table:
    return pa.Table.from_batches(batches)


def in_chunks(remote: Any, partitions: int = 4, batches: int = 5, width: int = 1) -> Any:
    """Several batches a partition, of one row each; ``width``: bytes of text in a row."""

    def split(frames: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for frame in frames:
            for number in frame.column(0).to_pylist():
                yield pa.record_batch([[number], ["x" * width]], ["id", "text"])

    rows = partitions * batches
    df = remote.range(0, rows, 1, partitions).mapInArrow(split, "id long, text string")
    return df


def marking(remote: Any, folder: Path, partitions: int, wait: bool = False) -> Any:
    """A row a partition, which leaves a mark when it is computed; and then waits for ever."""
    marks = str(folder)

    def mark(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import time
        import uuid

        open(f"{marks}/{uuid.uuid4()}", "w").close()
        if wait:
            time.sleep(600)
        yield from batches

    return remote.range(0, partitions, 1, partitions).mapInArrow(mark, "id long")


def begun(system: ActorSystem, df: Any, folder: Path) -> Run[Any]:
    """A run over ``df``, which is ``marking`` two partitions, both of which are computed."""
    run = system.start(SparkSource.arrow(df).to(Sink.list()))
    until(lambda: len(list(folder.iterdir())) == 2)
    return run


def test_batches_are_those_of_to_arrow_and_rows_those_of_collect(remote: Any) -> None:
    df = remote.range(0, 50, 1, 3).selectExpr(*COLUMNS)
    assert is_connect(df)
    assert table_of(SparkSource.arrow(df).run(Sink.list())).equals(df.toArrow())
    assert SparkSource.rows(df).run(Sink.list()) == df.collect()


def test_an_empty_result_has_no_elements(remote: Any) -> None:
    assert SparkSource.arrow(remote.range(0)).run(Sink.list()) == []


def test_batches_that_come_in_chunks_are_put_together(remote: Any) -> None:
    key = "spark.connect.session.resultChunking.maxChunkSize"
    df = remote.range(0, 3000, 1, 2).selectExpr("id", "uuid() AS text")
    remote.conf.set(key, "2000")
    try:
        assert sorted(ids(SparkSource.arrow(df).run(Sink.list()))) == list(range(3000))
    finally:
        remote.conf.unset(key)


def test_nothing_is_asked_of_the_server_before_the_first_request(
    system: ActorSystem, remote: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    metadata = connect_server.ConnectServer._metadata

    def counting(self: Any) -> Any:  # goes with every request
        asked.append(self)
        return metadata(self)

    df = marking(remote, tmp_path, 2)
    monkeypatch.setattr(connect_server.ConnectServer, "_metadata", counting)
    subscriber = subscribed(system, SparkSource.arrow(df))
    assert asked == []
    subscriber.subscription.request(10)
    until(lambda: subscriber.ended)
    assert sorted(ids(subscriber.got)) == [0, 1]
    assert len(list(tmp_path.iterdir())) == 2
    assert asked


def test_no_more_is_read_than_a_few_chunks_beyond_the_demand(
    system: ActorSystem, remote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Any] = []
    batches = connect_query.BatchReader.batches

    def counting(self: Any, response: Any) -> Iterator[pa.RecordBatch]:
        for batch in batches(self, response):
            read.append(batch)
            yield batch

    monkeypatch.setattr(connect_query.BatchReader, "batches", counting)
    remote.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    try:
        subscriber = subscribed(system, SparkSource.arrow(in_chunks(remote, 2, 50)))
        subscriber.subscription.request(1)
        until(lambda: subscriber.got and len(read) >= CHUNKS_AHEAD)
        assert len(subscriber.got) == 1
        assert len(read) <= CHUNKS_AHEAD + 3
        subscriber.subscription.request(1000)
        until(lambda: subscriber.ended)
    finally:
        remote.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert sorted(ids(subscriber.got)) == list(range(100))


def test_a_consumer_slower_than_the_server_is_patient_loses_nothing(
    system: ActorSystem, remote: Any, streams: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect_query, "HOLD_SECONDS", 0.2)
    monkeypatch.setattr(stage, "PROBE_SECONDS", 0.2)
    remote.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
    try:
        subscriber = subscribed(system, SparkSource.arrow(in_chunks(remote, 2, 50)))
        subscriber.subscription.request(1)
        until(lambda: streams.count("ReattachExecute") > 5 * (1 + DETACHED_SECONDS))
        subscriber.subscription.request(1000)
        until(lambda: subscriber.ended)
    finally:
        remote.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert subscriber.error is None
    assert sorted(ids(subscriber.got)) == list(range(100))


def test_a_connection_that_breaks_is_mended_and_nothing_comes_twice(
    system: ActorSystem, server: Server, streams: list[str]
) -> None:
    proxy = Proxy(server.port, most=2_000_000)  # of 20: not all is on its way
    try:
        session = server.session(proxy.port)
        session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1")
        df = in_chunks(session, 2, 50, width=200_000)
        subscriber = subscribed(system, SparkSource.arrow(df))
        subscriber.subscription.request(2)
        until(lambda: len(subscriber.got) == 2)
        proxy.break_connections()
        subscriber.subscription.request(1000)
        until(lambda: subscriber.ended)
        assert subscriber.error is None
        assert sorted(ids(subscriber.got)) == list(range(100))
        assert "ReattachExecute" in streams
    finally:
        proxy.close()


def test_sources_behind_each_other_begin_their_queries_in_turn(
    system: ActorSystem, remote: Any, tmp_path: Path
) -> None:
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
    sources = [SparkSource.rows(marking(remote, folder, 2)) for folder in folders]
    subscriber = subscribed(system, concat(*sources))
    subscriber.subscription.request(1)
    # The server does not wait for demand, but may give a row of one partition before the other.
    until(lambda: subscriber.got and len(list(folders[0].iterdir())) == 2)
    assert list(folders[1].iterdir()) == []
    subscriber.subscription.request(10)
    until(lambda: subscriber.ended)
    assert [row.id for row in subscriber.got] == [0, 1, 0, 1]


def test_cancelling_stops_the_query_on_the_server(
    system: ActorSystem, remote: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: set[str] = set()
    tell = connect_server.ConnectServer._tell

    def listening(self: Any, method: str, message: Any) -> None:
        told.add(method)
        tell(self, method, message)

    monkeypatch.setattr(connect_server.ConnectServer, "_tell", listening)
    run = begun(system, marking(remote, tmp_path, 2, wait=True), tmp_path)
    run.cancel()
    until(lambda: told >= {"Interrupt", "ReleaseExecute"})
    assert remote.range(0, 4, 1, 2).count() == 4, "both of the server's slots are free again"


@pytest.mark.parametrize(
    ("failing", "kind", "said"),
    [
        ("raise_error('boom')", FailureKind.USER_CODE, r"the query failed: .*SparkRuntime.*: boom"),
        ("id / 0", FailureKind.USER_CODE, r"\[DIVIDE_BY_ZERO\]: Division by zero"),
        ("nope", FailureKind.PLAN, r"AnalysisException \[UNRESOLVED_COLUMN.*`nope`"),
    ],
)
def test_a_failure_says_what_spark_said_and_of_what_kind_it_is(
    remote: Any, failing: str, kind: FailureKind, said: str
) -> None:
    with pytest.raises(SparkPartitionError, match=said) as raised:
        SparkSource.rows(remote.range(3).selectExpr(failing)).run(Sink.list())
    assert raised.value.kind is kind
    assert raised.value.__cause__ is not None


def failing_once(
    remote: Any, folder: Path, partition: int, message: str = "not yet", behind: str | None = None
) -> Any:
    """``partition`` fails once, when the mark ``behind`` is there."""
    marks = str(folder)

    def fail_once(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        import time

        from pyspark import TaskContext

        first = not os.path.exists(f"{marks}/failed")
        if TaskContext.get().partitionId() == partition and first:  # type: ignore[union-attr]
            while behind is not None and not os.path.exists(f"{marks}/{behind}"):
                time.sleep(0.02)
            open(f"{marks}/failed", "w").close()
            raise ValueError(message)
        yield from batches

    return remote.range(0, 4, 1, 4).mapInArrow(fail_once, "id long")


def test_a_query_is_tried_again_while_nothing_of_it_was_delivered(
    remote: Any, tmp_path: Path
) -> None:
    df = failing_once(remote, tmp_path, partition=0)
    got = SparkSource.arrow(df, max_attempts=2).run(Sink.list())
    assert sorted(ids(got)) == [0, 1, 2, 3]


def test_a_query_of_which_something_was_delivered_is_not_tried_again(
    system: ActorSystem, remote: Any, tmp_path: Path
) -> None:
    df = failing_once(remote, tmp_path, partition=3, behind="delivered")
    subscriber = subscribed(system, SparkSource.arrow(df, max_attempts=5))
    subscriber.subscription.request(10)
    until(lambda: subscriber.got)
    (tmp_path / "delivered").touch()
    until(lambda: subscriber.ended)
    assert len(subscriber.got) == len(set(ids(subscriber.got)))
    assert isinstance(subscriber.error, SparkPartitionError)
    assert "not yet" in str(subscriber.error)


def test_with_a_ledger_the_whole_query_is_one_unit_in_every_session(
    server: Server, tmp_path: Path
) -> None:
    ledger, out = Ledger(tmp_path / "ledger"), tmp_path / "out"

    def run(rows: int = 20) -> Any:
        df = server.session().range(0, rows, 1, 3)
        return SparkSource.arrow(df).resume(ledger).run(Sink.parquet(out))

    run()
    written = sorted(out.rglob("*.parquet"))
    run()
    report = status(tmp_path / "ledger")
    assert report is not None
    assert [(entry.state, entry.rows) for entry in report.partitions] == [("committed", 20)]
    assert sorted(out.rglob("*.parquet")) == written
    with pytest.raises(LedgerError):
        run(21)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("in_flight=2", lambda df: SparkSource.arrow(df, in_flight=2)),
        ("in_flight=1", lambda df: SparkSource.rows(df, in_flight=1)),
        ("max_partition_bytes=5", lambda df: SparkSource.arrow(df, max_partition_bytes=5)),
        ("on_poison='dead_letter'", lambda df: SparkSource.rows(df, on_poison="dead_letter")),
        ("partition_timeout=3.0", lambda df: SparkSource.arrow(df, partition_timeout=3.0)),
        ("pool='fast'", lambda df: SparkSource.arrow(df, pool="fast")),
    ],
)
def test_options_of_single_partitions_are_refused_before_anything_is_asked(
    remote: Any, name: str, make: Callable[[Any], object]
) -> None:
    with pytest.raises(InvalidArgumentError, match="is not possible with Spark Connect") as raised:
        make(remote.range(3))
    assert name in str(raised.value)
    assert "use a classic session" in str(raised.value)


def test_there_are_no_rdds(remote: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"expected an RDD.*SparkSource\.arrow and rows"):
        SparkSource.partitions(remote.range(3))


def test_a_data_frame_that_is_observed_is_refused(remote: Any) -> None:
    from pyspark.sql.connect import functions
    from pyspark.sql.connect.observation import Observation

    make: Any = Observation
    df = remote.range(3).observe(make("seen"), functions.count(functions.lit(1)).alias("rows"))
    with pytest.raises(InvalidArgumentError, match=r"df\.observe"):
        SparkSource.arrow(df)


def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    remote: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    df = remote.range(3)
    monkeypatch.setitem(sys.modules, "grpc", None)
    with pytest.raises(SparkUnavailable, match=r"'grpc'.*pip install \"actors-rs\[connect\]\""):
        SparkSource.arrow(df)


def test_a_session_of_pysparks_own_builder_will_do(server: Server) -> None:
    program = f"""
from pyspark.sql import SparkSession, functions as F
from actors_rs import Sink
from actors_rs.spark import SparkSource
spark = SparkSession.builder.remote("sc://127.0.0.1:{server.port}").getOrCreate()
df = spark.range(5).where(F.col("id") > 2)
print([row.id for row in SparkSource.rows(df).run(Sink.list())])
spark.stop()
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "[3, 4]\n", done.stderr
