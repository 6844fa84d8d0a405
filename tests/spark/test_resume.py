# mypy: disable-error-code="no-untyped-def"
"""Runs that keep a ledger: tried again, given up on, resumed; nothing lost and nothing doubled."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Backoff, Graph, Sink
from actors_rs.delivery import Ledger
from actors_rs.delivery.ledger import status
from actors_rs.errors import GraphError, LedgerError, StageError
from actors_rs.spark import PoisonPartition, SparkPartitionError, SparkSource
from tests.spark.jobs import Transform, touching, until, waiting_for

pytestmark = pytest.mark.spark

SECONDS = 240.0
QUICK = Backoff(0.01, 0.01)
INSERT = "INSERT INTO t VALUES (?)"
SETUP = "CREATE TABLE IF NOT EXISTS t (n INTEGER)"


def failing(folder: Path, times: dict[int, int]) -> Transform:
    """Partition p raises ``times[p]`` times, then it gives its rows."""
    marks = str(folder)

    def fail(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os

        from pyspark import TaskContext

        number = TaskContext.get().partitionId()  # type: ignore[union-attr]
        for attempt in range(times.get(number, 0)):
            try:
                os.close(os.open(f"{marks}/{number}-{attempt}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            raise ValueError(f"partition {number}, attempt {attempt}")
        yield from batches

    return fail


def numbers(spark: SparkSession, partitions: int, *transforms: Transform) -> Any:
    """5 rows a partition, from 0 upwards."""
    df = spark.range(0, 5 * partitions, numPartitions=partitions)
    for transform in transforms:
        df = df.mapInArrow(transform, df.schema)
    return df


def values(batch: pa.RecordBatch) -> list[tuple[int]]:
    return [(n,) for n in batch.column(0).to_pylist()]


def rows_in(path: Path) -> list[int]:
    with sqlite3.connect(path) as database:
        rows = [n for (n,) in database.execute("SELECT n FROM t ORDER BY n")]
    database.close()
    return rows


def states(ledger: Path) -> list[str]:
    try:
        return [entry.state for entry in status(ledger).partitions]
    except LedgerError:  # it is only just being made
        return []


def to_sqlite(source: Any, path: Path) -> Any:
    return source.flat_map(values).to(Sink.sqlite(path, INSERT, setup=SETUP))


def test_a_partition_is_tried_again_until_it_succeeds(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    df = numbers(spark, 4, failing(tmp_path, {1: 2, 3: 1}))
    source = SparkSource.arrow(df, max_attempts=3, backoff=QUICK)
    got = system.start(source.to(Sink.list())).result(SECONDS)
    assert [n for batch in got for n in batch.column(0).to_pylist()] == list(range(20))


def test_a_partition_that_always_fails_is_a_dead_letter_and_all_others_complete(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    df = numbers(spark, 4, failing(tmp_path, {2: 99}))
    source = SparkSource.arrow(df, max_attempts=2, backoff=QUICK, on_poison="dead_letter")
    got = system.start(source.to(Sink.list())).result(SECONDS)
    assert [n for batch in got for n in batch.column(0).to_pylist()] == [
        *range(10),
        *range(15, 20),
    ]
    (letter,) = system.dead_letters.recent()
    assert isinstance(letter.what, PoisonPartition)
    assert (letter.what.partition, letter.what.attempts) == (2, 2)
    assert "partition 2, attempt 1" in letter.what.cause


def test_a_partition_that_always_fails_ends_the_run_when_told_to(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    df = numbers(spark, 2, failing(tmp_path, {1: 99}))
    source = SparkSource.arrow(df, max_attempts=2, backoff=QUICK)
    with pytest.raises(SparkPartitionError, match="partition 1, attempt 1"):
        system.start(source.to(Sink.count())).result(SECONDS)


@pytest.mark.parametrize("place", ["the same file", "another file"])
def test_a_second_run_does_what_the_first_one_did_not_and_each_row_is_there_once(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, place: str
) -> None:
    rows = tmp_path / "rows.db"
    path = rows if place == "the same file" else tmp_path / "night.ledger"
    computed, touch = touching(spark)
    df = numbers(spark, 6, touch, failing(tmp_path, {3: 1}))
    source = SparkSource.arrow(df, in_flight=1).resume(Ledger(path), verify=0)
    graph = to_sqlite(source, rows)
    with pytest.raises(SparkPartitionError, match="partition 3"):
        system.start(graph).result(SECONDS)
    assert status(path).state == "failed"
    assert "partition 3" in (status(path).error or "")
    done = states(path).count("committed")
    assert rows_in(rows) == list(range(5 * done))
    before = computed.value
    assert system.start(graph).result(SECONDS) == 5 * (6 - done)
    assert rows_in(rows) == list(range(30))
    assert states(path) == ["committed"] * 6
    assert status(path).state == "completed"
    assert computed.value - before == 6 - done, "nothing that was committed is computed again"
    assert [entry.rows for entry in status(path).partitions] == [5] * 6


def test_a_run_over_a_finished_ledger_computes_nothing(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    computed, touch = touching(spark)
    source = SparkSource.arrow(numbers(spark, 3, touch)).resume(Ledger(tmp_path / "l"))
    graph = to_sqlite(source, tmp_path / "rows.db")
    assert system.start(graph).result(SECONDS) == 15
    assert system.start(graph).result(SECONDS) == 0
    assert computed.value == 3
    assert rows_in(tmp_path / "rows.db") == list(range(15))


def test_each_partition_is_a_parquet_file_that_a_second_delivery_replaces(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    out, path = tmp_path / "out", tmp_path / "night.ledger"
    source = SparkSource.arrow(numbers(spark, 3), in_flight=2, ordered=False)
    graph = source.resume(Ledger(path)).to(Sink.parquet(out))
    report = system.start(graph).result(SECONDS)
    assert [Path(file).name for file in report.files] == [f"part-{n:05d}.parquet" for n in range(3)]
    with sqlite3.connect(path) as database:
        database.execute("UPDATE ledger_partitions SET state = 'pending' WHERE partition = 1")
    database.close()
    (out / ".part-00001.parquet.tmp").write_bytes(b"left by a run that was killed")
    system.start(graph).result(SECONDS)
    assert pq.read_table(out).column(0).to_pylist() == list(range(15))
    assert sorted(one.name for one in out.glob("*")) == [
        ".actors_rs_run",
        *(f"part-{n:05d}.parquet" for n in range(3)),
    ]


def test_a_directory_with_another_runs_output_is_refused_before_anything_is_written(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for number in range(2):
        source = SparkSource.arrow(numbers(spark, 2)).resume(Ledger(tmp_path / f"{number}.ledger"))
        run = system.start(source.to(Sink.parquet(out)))
        if number:
            with pytest.raises(
                StageError, match=r"LedgerError: .*already holds the output of another run"
            ):
                run.result(SECONDS)
            assert states(tmp_path / "1.ledger").count("committed") == 0
        else:
            run.result(SECONDS)
    assert pq.read_table(out).num_rows == 10


def test_a_poison_partition_is_kept_in_the_ledger_with_its_cause(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path = tmp_path / "night.ledger"
    df = numbers(spark, 3, failing(tmp_path, {1: 2}))
    source = SparkSource.arrow(df, max_attempts=2, backoff=QUICK, on_poison="dead_letter")
    graph = to_sqlite(source.resume(Ledger(path)), tmp_path / "rows.db")
    run = system.start(graph)
    assert run.result(SECONDS) == 10
    details = run.snapshot().stages[0].details
    assert {key: details[key] for key in ("done", "waiting", "poison", "attempts", "retried")} == {
        "done": 2,
        "waiting": 0,
        "poison": 1,
        "attempts": 4,
        "retried": 1,
    }
    assert details["committed"] == 2
    assert states(path) == ["committed", "poison", "committed"]
    poison = status(path).partitions[1]
    assert poison.attempts == 2
    assert "partition 1, attempt 1" in (poison.last_error or "")
    assert system.start(graph).result(SECONDS) == 5, "the next run tries it again"
    assert rows_in(tmp_path / "rows.db") == list(range(15))


def test_a_branch_that_filters_and_one_that_writes_both_count(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path = tmp_path / "night.ledger"
    source = SparkSource.arrow(numbers(spark, 4), in_flight=4, ordered=False)
    rows = source.resume(Ledger(path)).flat_map(values)
    odd, other = rows.broadcast(2)
    graph = Graph(
        odd.filter(lambda row: row[0] % 2).to(Sink.sqlite(tmp_path / "r.db", INSERT, setup=SETUP)),
        other.to(Sink.count()),
    )
    assert system.start(graph).result(SECONDS) == (10, 20)
    assert rows_in(tmp_path / "r.db") == list(range(1, 20, 2))
    assert states(path) == ["committed"] * 4


def test_a_cancelled_run_leaves_the_ledger_to_be_resumed(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path, rows = tmp_path / "night.ledger", tmp_path / "rows.db"
    df = numbers(spark, 30, waiting_for(tmp_path, {20: "cancelled"}))  # it cannot end before
    source = SparkSource.arrow(df, in_flight=1).resume(Ledger(path))
    run = system.start(to_sqlite(source, rows))
    until(lambda: "committed" in states(path))
    run.cancel()
    assert run.wait(SECONDS)
    (tmp_path / "cancelled").touch()
    assert status(path).state == "cancelled"
    done = states(path).count("committed")
    assert rows_in(rows) == list(range(5 * done))
    system.start(to_sqlite(source, rows)).result(SECONDS)
    assert rows_in(rows) == list(range(150))


def test_a_run_that_fails_behind_the_last_element_has_failed_in_the_ledger_too(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path = tmp_path / "night.ledger"
    source = SparkSource.arrow(numbers(spark, 2)).resume(Ledger(path))
    behind_all = source.batch(3).map(lambda batches: 1 / 0)
    with pytest.raises(StageError, match="division by zero") as caught:
        system.start(behind_all.to(Sink.ignore())).result(SECONDS)
    assert (status(path).state, status(path).error) == ("failed", str(caught.value))
    assert states(path) == ["pending"] * 2


def test_a_drained_run_commits_whole_partitions_only(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path, rows = tmp_path / "night.ledger", tmp_path / "rows.db"
    df = numbers(spark, 30, waiting_for(tmp_path, {20: "never"}))  # it cannot end before
    source = SparkSource.arrow(df, in_flight=3, ordered=False).resume(Ledger(path))
    run = system.start(to_sqlite(source, rows))
    until(lambda: "committed" in states(path))
    run.drain()
    assert run.wait(SECONDS)
    assert run.state == status(path).state == "completed"
    assert "pending" in states(path)
    done = [n for n, state in enumerate(states(path)) if state == "committed"]
    assert rows_in(rows) == [n for index in done for n in range(5 * index, 5 * index + 5)]


def test_a_ledger_of_another_plan_ends_the_run_in_one_sentence(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path / "night.ledger")
    for partitions in (2, 3):
        source = SparkSource.arrow(numbers(spark, partitions)).resume(ledger)
        run = system.start(to_sqlite(source, tmp_path / "rows.db"))
        if partitions == 2:
            run.result(SECONDS)
            continue
        with pytest.raises(
            LedgerError, match="the plan in the ledger has 2 partitions, and this run has 3"
        ):
            run.result(SECONDS)


def test_a_run_whose_rows_another_setting_would_deal_otherwise_is_not_gone_on_with(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    """A join by shuffling and one by broadcasting have 4 partitions each, of other rows."""
    path, rows = tmp_path / "night.ledger", tmp_path / "rows.db"

    def night(threshold: str, breaking: dict[int, int]) -> Any:
        with joined_by(spark, threshold):
            joined = numbers(spark, 4).join(spark.range(20), "id")
            df = joined.mapInArrow(failing(tmp_path, breaking), "id long")
            source = SparkSource.arrow(df, in_flight=1).resume(Ledger(path))
            return system.start(to_sqlite(source, rows)).result(SECONDS)

    with pytest.raises(SparkPartitionError, match="partition 2"):
        night("-1", {2: 1})
    before = rows_in(rows)
    assert 0 < len(before) < 20
    with pytest.raises(LedgerError, match=r"Threshold was -1 and is 10000000 now: set it"):
        night("10000000", {2: 1})
    assert rows_in(rows) == before
    night("-1", {2: 1})
    assert rows_in(rows) == list(range(20))


@contextmanager
def joined_by(spark: SparkSession, threshold: str) -> Iterator[None]:
    """With a join of tables below ``threshold`` broadcast, and its partitions left as they are."""
    spark.conf.set("spark.sql.adaptive.enabled", "false")
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", threshold)
    try:
        yield
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")


def test_an_operator_that_cannot_keep_count_is_refused_when_the_graph_is_built(
    spark: SparkSession, tmp_path: Path
) -> None:
    source = SparkSource.arrow(numbers(spark, 2)).resume(Ledger(tmp_path / "l"))
    with pytest.raises(GraphError, match="'take' cannot tell"):
        source.take(1).to(Sink.list())


@pytest.mark.parametrize("fanned", [False, True])
def test_a_run_with_nothing_left_says_so_and_refuses_another_sink_or_one_that_was_emptied(
    spark: SparkSession,
    system: ActorSystem,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    fanned: bool,
) -> None:
    rows, ledger = tmp_path / "rows.db", Ledger(tmp_path / "night.ledger")
    source = SparkSource.arrow(numbers(spark, 3)).resume(ledger)
    caplog.set_level("INFO", "actors_rs.ledger")

    def into(*sinks: Any) -> Any:
        stream = source.flat_map(values)
        return system.start(stream.to(Sink.fan(*sinks) if fanned else sinks[0])).result(SECONDS)

    mine = [Sink.sqlite(rows, INSERT, setup=SETUP), Sink.count()]
    assert into(*mine) == ((15, 15) if fanned else 15)
    assert not caplog.messages
    assert into(*mine) == ((0, 0) if fanned else 0)
    (line,) = caplog.messages
    assert "night.ledger: all 3 partitions were done before, the last one 2" in line
    assert f"sqlite {rows}: nothing is left to do" in line
    other = Sink.sqlite(tmp_path / "other.db", INSERT, setup=SETUP)
    with pytest.raises(
        LedgerError, match=r"a run into .*rows\.db, and this run writes into .*other\.db"
    ):
        into(other, mine[1])
    rows.unlink()
    with pytest.raises(LedgerError, match=r"sqlite .*rows\.db no longer holds the committed"):
        into(*mine)


def test_a_run_that_starts_over_into_a_table_with_its_rows_is_refused_before_it_writes(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path = tmp_path / "night.db"
    graph = to_sqlite(SparkSource.arrow(numbers(spark, 3)).resume(Ledger(path)), path)
    assert system.start(graph).result(SECONDS) == 15
    ledger = Ledger(path, on_other_plan="start_over")
    graph = to_sqlite(SparkSource.arrow(numbers(spark, 2)).resume(ledger), path)
    with pytest.raises(LedgerError, match=r"night\.db has rows of run 1 of this ledger"):
        system.start(graph).result(SECONDS)
    assert rows_in(path) == [*range(15)]


def test_a_data_set_that_was_removed_is_missed_when_the_run_goes_on(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    target, ledger = tmp_path / "rows", Ledger(tmp_path / "night.ledger")
    source = SparkSource.arrow(numbers(spark, 3)).resume(ledger)
    assert system.start(source.to(Sink.parquet(target))).result(SECONDS).rows == 15
    assert system.start(source.to(Sink.parquet(target))).result(SECONDS).rows == 0
    target.rename(tmp_path / "elsewhere")
    with pytest.raises(LedgerError, match=r"parquet .*rows no longer holds the committed"):
        system.start(source.to(Sink.parquet(target))).result(SECONDS)
