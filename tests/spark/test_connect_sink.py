"""Writing over Spark Connect, and what is refused there."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from actors_rs import Sink, Source
from actors_rs.delivery import Ledger
from actors_rs.errors import GraphError, InvalidArgumentError, StageError
from actors_rs.spark import (
    FailureKind,
    SparkPartitionError,
    SparkSessionLost,
    SparkSink,
    SparkSource,
    SparkWritten,
    spark_map,
)
from tests.spark.connect_server import Server

pytestmark = pytest.mark.spark


def batches(count: int, rows: int = 10) -> Source[pa.RecordBatch]:
    return Source.range(0, count).map(
        lambda number: pa.record_batch([[number * rows + at for at in range(rows)]], ["id"])
    )


def test_parquet_is_appended_on_the_server(remote: Any, tmp_path: Path) -> None:
    sink = SparkSink.parquet(remote, str(tmp_path / "out"), rows_per_write=25)
    assert batches(5).run(sink) == SparkWritten(writes=2, rows=50)
    assert sorted(pq.read_table(tmp_path / "out").column("id").to_pylist()) == list(range(50))


def test_a_table_is_appended_to(remote: Any) -> None:
    for _ in range(2):
        batches(1).run(SparkSink.table(remote, "tens"))
    try:
        assert remote.table("tens").count() == 20
    finally:
        remote.sql("DROP TABLE tens")


def test_a_function_gets_data_frames_of_the_same_session(remote: Any) -> None:
    remote.range(3).createOrReplaceTempView("three")
    seen: list[tuple[int, int]] = []

    def write(df: Any, number: int) -> None:
        seen.append((number, df.join(df.sparkSession.table("three"), "id").count()))

    batches(2).run(SparkSink.foreach_batch(remote, write, rows_per_write=10))
    assert seen == [(0, 3), (1, 0)]


@pytest.mark.parametrize(
    ("query", "kind"),
    [("SELECT 1 / 0", FailureKind.USER_CODE), ("SELECT nope", FailureKind.PLAN)],
)
def test_a_write_that_fails_says_what_spark_said(
    remote: Any, query: str, kind: FailureKind
) -> None:
    def write(df: Any, number: int) -> None:
        df.sparkSession.sql(query).collect()

    with pytest.raises(StageError, match="function failed: pyspark") as raised:
        batches(1).run(SparkSink.foreach_batch(remote, write))
    cause = raised.value.__cause__
    assert isinstance(cause, SparkPartitionError)
    assert cause.kind is kind


def test_a_session_that_was_stopped_is_refused(server: Server) -> None:
    session = server.session()
    session.stop()
    with pytest.raises(SparkSessionLost, match="was stopped by other code"):
        SparkSink.table(session, "anything")


def test_parquet_behind_a_ledger_is_refused_when_the_graph_is_built(
    remote: Any, tmp_path: Path
) -> None:
    source = SparkSource.arrow(remote.range(3)).resume(Ledger(tmp_path / "ledger"))
    with pytest.raises(GraphError, match=r"which Spark Connect does not allow: use.*foreach_batch"):
        source.run(SparkSink.parquet(remote, str(tmp_path / "out")))
    assert not (tmp_path / "out").exists()


def test_behind_a_ledger_a_function_gets_the_whole_query(remote: Any, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    sink = SparkSink.foreach_batch(remote, lambda df, number: seen.append((number, df.count())))
    for _ in range(2):
        df = remote.range(0, 30, 1, 3)
        SparkSource.arrow(df).resume(Ledger(tmp_path / "ledger")).run(sink)
    assert seen == [(0, 30)]


def test_spark_map_is_refused(remote: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"Spark Connect does not have: use a session"):
        spark_map(str, remote)
    assert Source.of(1).run(Sink.list()) == [1]
