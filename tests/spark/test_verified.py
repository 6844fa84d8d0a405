# mypy: disable-error-code="no-untyped-def"
"""Partitions that are done are computed again when a run is gone on with: `resume(verify=...)`."""

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, Row, SparkSession

from actors_rs import ActorSystem, Sink
from actors_rs.delivery import Ledger
from actors_rs.delivery.ledger import status
from actors_rs.errors import LedgerError, StageError
from actors_rs.spark import SparkPartitionError, SparkSource
from tests.spark.connect_server import Server
from tests.spark.jobs import touching
from tests.spark.test_resume import failing, numbers, rows_in, to_sqlite

pytestmark = pytest.mark.spark

SECONDS = 240.0
Make = Callable[[DataFrame], Any]
SOURCES: dict[str, Make] = {
    "arrow": lambda df: SparkSource.arrow(df, in_flight=1),
    "rows": lambda df: SparkSource.rows(df, in_flight=1),
    "arrow, streamed": lambda df: SparkSource.arrow(df, in_flight=1, max_partition_bytes=64),
    "rows, streamed": lambda df: SparkSource.rows(df, in_flight=1, max_partition_bytes=64),
}


def table(element: Any) -> Any:
    """A row as the sink takes it."""
    return element.asDict() if isinstance(element, Row) else element


def begun(system: ActorSystem, df: DataFrame, path: Path, make: Make = SOURCES["arrow"]) -> None:
    """A run over ``df`` that fails somewhere, with some partitions done."""
    graph = make(df).resume(Ledger(path / "l")).map(table).to(Sink.parquet(path / "out"))
    with pytest.raises(SparkPartitionError):
        system.start(graph).result(SECONDS)
    assert 0 < status(path / "l").counts["committed"] < 6


@pytest.mark.parametrize("name", SOURCES)
def test_the_same_partition_has_the_same_checksum_by_every_way(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, name: str
) -> None:
    df = spark.range(0, 900, 1, 3).selectExpr("id", "concat('row ', id) AS s", "id / 7.0D AS d")
    source = SOURCES[name](df).resume(Ledger(tmp_path / name))
    system.start(source.to(Sink.ignore())).result(SECONDS)
    entries = status(tmp_path / name).partitions
    assert [entry.rows for entry in entries] == [300] * 3
    sums = [entry.checksum for entry in entries]
    plain = SOURCES["arrow"](df).resume(Ledger(tmp_path / "plain"))
    system.start(plain.to(Sink.ignore())).result(SECONDS)
    assert sums == [entry.checksum for entry in status(tmp_path / "plain").partitions]
    assert len(set(sums)) == 3
    assert None not in sums


@pytest.mark.parametrize(("share", "computed_again"), [(0.02, 1), (0, 0), (1, 3)])
def test_a_share_of_what_is_done_is_computed_again_and_one_at_least(
    spark: SparkSession,
    system: ActorSystem,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    share: float,
    computed_again: int,
) -> None:
    caplog.set_level("INFO", "actors_rs.ledger")
    computed, touch = touching(spark)
    df = numbers(spark, 6, touch, failing(tmp_path, {3: 1}))
    source = SparkSource.arrow(df, in_flight=1).resume(Ledger(tmp_path / "l"), verify=share)
    graph = to_sqlite(source, tmp_path / "rows")
    with pytest.raises(SparkPartitionError):
        system.start(graph).result(SECONDS)
    done, before = status(tmp_path / "l").counts["committed"], computed.value
    system.start(graph).result(SECONDS)
    assert done == 3
    assert computed.value - before == 6 - done + computed_again
    said = [line.partition(": ")[2] for line in caplog.messages if "verif" in line]
    if computed_again:
        assert said[0].startswith("verifying partition")
        assert said[0].endswith(f" ({computed_again} of 3 finished)")
        assert re.fullmatch(rf"verified {computed_again} partitions? in .* s, with .*", said[1])
    assert len(said) == (2 if computed_again else 0)
    start = status(tmp_path / "l").starts[-1]
    assert (start["verified"], start["to_verify"]) == (computed_again or None,) * 2
    assert rows_in(tmp_path / "rows") == list(range(30))


@pytest.mark.parametrize("name", SOURCES)
def test_a_partition_with_another_row_fails_the_run_before_anything_is_written(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, name: str
) -> None:
    """The function's result depends on a file that changes, as an input may."""
    (tmp_path / "factor").write_text("1")
    df = numbers(spark, 6, times(tmp_path / "factor"), failing(tmp_path, {3: 1}))
    begun(system, df, tmp_path, SOURCES[name])
    (tmp_path / "factor").write_text("2")
    graph = SOURCES[name](df).resume(Ledger(tmp_path / "l"), verify=1)
    with pytest.raises(LedgerError, match=r"partition \d has other rows than before \(5 rows"):
        system.start(graph.map(table).to(Sink.parquet(tmp_path / "out"))).result(SECONDS)
    assert status(tmp_path / "l").counts["committed"] == 3
    assert len(list((tmp_path / "out").glob("part-*"))) == 3
    unseen = SOURCES[name](df).resume(Ledger(tmp_path / "l"), verify=0)
    system.start(unseen.map(table).to(Sink.parquet(tmp_path / "out"))).result(SECONDS)
    assert status(tmp_path / "l").counts["committed"] == 6


@pytest.mark.parametrize("name", SOURCES)
def test_a_run_that_failed_and_is_gone_on_with_has_each_row_once_by_every_way(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, name: str
) -> None:
    df = numbers(spark, 6, failing(tmp_path, {3: 1}))
    begun(system, df, tmp_path, SOURCES[name])
    graph = SOURCES[name](df).resume(Ledger(tmp_path / "l"), verify=1)
    system.start(graph.map(table).to(Sink.parquet(tmp_path / "out"))).result(SECONDS)
    assert pq.read_table(tmp_path / "out").column(0).to_pylist() == list(range(30))


@pytest.mark.parametrize("kind", ["arrow", "rows"])
def test_over_connect_the_query_has_the_checksum_that_a_classic_session_finds(
    spark: SparkSession, remote: Any, system: ActorSystem, tmp_path: Path, kind: str
) -> None:
    columns = ("id", "concat('row ', id) AS s", "id / 7.0D AS d", "timestamp_seconds(id) AS t")
    found = []
    for name, session in (("classic", spark), ("remote", remote)):
        df = session.range(0, 900, 1, 1).selectExpr(*columns)
        make: Any = getattr(SparkSource, kind)
        source = make(df).resume(Ledger(tmp_path / name), verify=1)
        system.start(source.to(Sink.ignore())).result(SECONDS)
        found.append([(one.rows, one.checksum) for one in status(tmp_path / name).partitions])
    assert found[0] == found[1]
    assert None not in found[1][0]


def test_over_connect_a_sorted_query_that_failed_has_each_row_once_afterwards(
    server: Server, system: ActorSystem, tmp_path: Path
) -> None:
    """All of it is one partition, so it does not count where Spark has the rows meanwhile."""

    def fails(batch: pa.RecordBatch) -> pa.RecordBatch:
        raise ValueError("in the middle")

    for number in range(2):
        session = server.session()
        for _ in range(3 * number):
            session.range(100).repartition(3).count()
        df = session.range(0, 5000, 1, 4).selectExpr("id", "hash(id) AS h").orderBy("h")
        source: Any = SparkSource.arrow(df).resume(Ledger(tmp_path / "l"), verify=1)
        if not number:
            with pytest.raises(StageError, match="in the middle"):
                system.start(source.map(fails).to(Sink.parquet(tmp_path / "out"))).result(SECONDS)
            assert status(tmp_path / "l").counts["committed"] == 0
            continue
        system.start(source.to(Sink.parquet(tmp_path / "out"))).result(SECONDS)
        system.start(source.to(Sink.parquet(tmp_path / "out"))).result(SECONDS)
    assert sorted(pq.read_table(tmp_path / "out").column("id").to_pylist()) == list(range(5000))
    assert status(tmp_path / "l").counts["committed"] == 1


def test_an_rdd_is_compared_by_its_number_of_rows(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    (tmp_path / "length").write_text("2")
    length, marks = str(tmp_path / "length"), str(tmp_path)

    def rows(number):
        with open(length) as file:
            count = int(file.read())
        if number == 3 and count == 2:
            raise ValueError(marks)
        return [number] * count

    rdd = spark.sparkContext.parallelize(range(5), 5).flatMap(rows)
    source = SparkSource.partitions(rdd, in_flight=1).resume(Ledger(tmp_path / "l"))
    with pytest.raises(SparkPartitionError):
        system.start(source.to(Sink.ignore())).result(SECONDS)
    (tmp_path / "length").write_text("3")
    with pytest.raises(LedgerError, match=r"\(2 rows when it was committed, 3 now\)"):
        system.start(source.to(Sink.ignore())).result(SECONDS)


def test_a_ledger_that_is_older_than_checksums_is_gone_on_with(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    df = numbers(spark, 6, failing(tmp_path, {3: 1}))
    begun(system, df, tmp_path)
    with closing(sqlite3.connect(tmp_path / "l")) as database, database:
        database.execute("ALTER TABLE ledger_partitions DROP COLUMN checksum")
    assert [entry.checksum for entry in status(tmp_path / "l").partitions] == [None] * 6
    graph = SOURCES["arrow"](df).resume(Ledger(tmp_path / "l")).to(Sink.parquet(tmp_path / "out"))
    system.start(graph).result(SECONDS)
    sums = [entry.checksum is None for entry in status(tmp_path / "l").partitions]
    assert sums == [True] * 3 + [False] * 3


@pytest.mark.parametrize("share", [-0.1, 1.5, "all", True])
def test_a_share_that_is_none_is_refused(spark: SparkSession, tmp_path: Path, share: Any) -> None:
    with pytest.raises(ValueError, match="verify must be a share from 0 to 1"):
        SparkSource.arrow(spark.range(3)).resume(Ledger(tmp_path / "l"), verify=share)


def times(file: Path) -> Any:
    """Multiplies by the number in ``file``."""
    path = str(file)

    def multiply(batches):
        import pyarrow as pa
        import pyarrow.compute

        with open(path) as opened:
            factor = int(opened.read())
        for batch in batches:
            column = pyarrow.compute.multiply(batch.column(0), factor)
            yield pa.record_batch([column], names=batch.schema.names)

    return multiply
