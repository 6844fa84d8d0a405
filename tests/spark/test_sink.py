# mypy: disable-error-code="no-untyped-def"
"""Sinks that write through Spark: what is written, how often, and what is refused."""

from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Backoff, Sink, Source
from actors_rs.delivery import Ledger
from actors_rs.errors import GraphError, LedgerError, StageError
from actors_rs.spark import SparkSessionLost, SparkSink, SparkSource, SparkWritten
from tests.spark.test_resume import failing, numbers, states

pytestmark = pytest.mark.spark

SECONDS = 240.0


def batch(*values: int) -> pa.RecordBatch:
    return pa.record_batch({"n": list(values)})


def column(spark: SparkSession, path: Path, name: str) -> list[Any]:
    return sorted(row[name] for row in spark.read.parquet(str(path)).select(name).collect())


def test_batches_are_gathered_and_appended(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path = tmp_path / "out"
    sink = SparkSink.parquet(spark, str(path), rows_per_write=3)
    source = Source.of(batch(1, 2), batch(3), pa.Table.from_batches([batch(4)]))
    for _ in range(2):
        assert system.start(source.to(sink)).result(SECONDS) == SparkWritten(2, 4)
    assert column(spark, path, "n") == [1, 1, 2, 2, 3, 3, 4, 4]


def test_what_comes_out_of_spark_goes_in_again_with_its_types(
    spark: SparkSession, tmp_path: Path
) -> None:
    df = spark.range(2).selectExpr(
        "id",
        "timestamp'2020-10-25 02:30:00' AS at",
        "timestamp_ntz'2020-03-29 02:30:00' AS by_the_clock",  # an hour that Berlin does not have
        "date'1500-02-28' AS day",
        "CAST(id AS decimal(38, 10)) / 3 AS decimal",
        "if(id = 1, null, named_struct('a', array(1, null), 'b', map('k', 'v'))) AS nested",
        "array(if(id = 1, null, named_struct('x', 'y'))) AS several",
        "interval '1 02:03:04' day to second AS span",
    )
    path = str(tmp_path / "out")
    SparkSource.arrow(df).run(SparkSink.parquet(spark, path))
    written = spark.read.parquet(path)
    assert written.dtypes == df.dtypes
    assert sorted(written.collect(), key=itemgetter(0)) == df.collect()


def test_a_thread_of_the_users_that_runs_the_sink_keeps_its_job_group(spark: SparkSession) -> None:
    groups: list[str | None] = []
    context: Any = spark.sparkContext
    context.setJobGroup("mine", "what I do")
    try:
        with ActorSystem(dispatcher="calling_thread") as system:
            table = pa.table({"n": [1]})
            ours = "spark.jobGroup.id"
            sink = SparkSink.foreach_batch(
                spark, lambda df, number: groups.append(context.getLocalProperty(ours))
            )
            system.start(Source.of(table).to(sink)).result(SECONDS)
        assert context.getLocalProperty(ours) == "mine"
        (group,) = groups
        assert group is not None
        assert group.startswith("actors-rs-")
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
        context.setLocalProperty("spark.job.description", None)


def test_nothing_is_written_for_nothing(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    sink = SparkSink.parquet(spark, str(tmp_path / "out"))
    assert system.start(Source.of(batch()).to(sink)).result(SECONDS) == SparkWritten(0, 0)


def test_a_partition_is_one_directory_and_a_second_delivery_replaces_it(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path = tmp_path / "out"
    sink = SparkSink.parquet(spark, str(path))
    df = numbers(spark, 4, failing(tmp_path, {2: 1}))
    source = SparkSource.arrow(df, in_flight=1).resume(Ledger(tmp_path / "ledger"))
    with pytest.raises(Exception, match="partition 2"):
        system.start(source.to(sink)).result(SECONDS)
    done = states(tmp_path / "ledger").count("committed")
    leftover = path / "unit=2"  # as if the process had died between the write and the ledger
    spark.range(5).write.parquet(str(leftover))
    written = system.start(source.to(sink)).result(SECONDS)
    assert written == SparkWritten(4 - done, 20 - 5 * done)
    assert column(spark, path, "id") == list(range(20))
    assert column(spark, path, "unit") == [n // 5 for n in range(20)]


def test_a_directory_with_another_runs_output_is_refused(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path = tmp_path / "out"
    sink = SparkSink.parquet(spark, str(path))
    for ledger in ("one", "two"):
        source = SparkSource.arrow(numbers(spark, 1)).resume(Ledger(tmp_path / ledger))
        run = system.start(source.to(sink))
        if ledger == "one":
            run.result(SECONDS)
            continue
        with pytest.raises((LedgerError, StageError), match="output of another run"):
            run.result(SECONDS)
    assert column(spark, path, "id") == list(range(5))


def test_a_run_that_was_killed_while_it_took_the_directory_is_resumed(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path = tmp_path / "out"
    path.mkdir()
    (path / "_actors_rs_run").touch()
    source = SparkSource.arrow(numbers(spark, 1)).resume(Ledger(tmp_path / "ledger"))
    system.start(source.to(SparkSink.parquet(spark, str(path)))).result(SECONDS)
    assert column(spark, path, "id") == list(range(5))


def test_a_function_gets_each_piece_as_a_data_frame_with_its_number(
    spark: SparkSession, system: ActorSystem
) -> None:
    got: list[tuple[int, list[int]]] = []
    sink = SparkSink.foreach_batch(
        spark,
        lambda df, number: got.append((number, [row.n for row in df.collect()])),
        rows_per_write=2,
    )
    system.start(Source.of(batch(1, 2), batch(3, 4), batch(5)).to(sink)).result(SECONDS)
    assert got == [(0, [1, 2]), (1, [3, 4]), (2, [5])]


def test_behind_a_ledger_the_function_gets_partitions(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    got: dict[int, int] = {}
    sink = SparkSink.foreach_batch(spark, lambda df, number: got.update({number: df.count()}))
    df = numbers(spark, 3, failing(tmp_path, {1: 1}))
    source = SparkSource.arrow(df, max_attempts=2, backoff=Backoff(0.01, 0.01))
    run = system.start(source.resume(Ledger(tmp_path / "ledger")).to(sink))
    assert run.result(SECONDS) == SparkWritten(3, 15)
    assert got == {0: 5, 1: 5, 2: 5}


def test_a_table_is_made_and_appended_to(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    spark.sql(f"CREATE DATABASE night LOCATION '{tmp_path}'")
    sink = SparkSink.table(spark, "night.written")
    try:
        for n in (1, 2):
            system.start(Source.of(batch(n)).to(sink)).result(SECONDS)
        assert sorted(row.n for row in spark.table("night.written").collect()) == [1, 2]
    finally:
        spark.sql("DROP DATABASE night CASCADE")


def test_a_table_cannot_take_back_what_a_failed_partition_gave(
    spark: SparkSession, tmp_path: Path
) -> None:
    source = SparkSource.arrow(numbers(spark, 2)).resume(Ledger(tmp_path / "l"))
    with pytest.raises(GraphError, match="'spark_table' cannot tell"):
        source.to(SparkSink.table(spark, "t"))


def test_a_failed_write_says_what_was_written_where(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    taken = tmp_path / "a file"
    taken.write_text("in the way")
    run = system.start(Source.of(batch(1)).to(SparkSink.parquet(spark, f"{taken}/out")))
    with pytest.raises((StageError, Exception), match=f"writing to {taken}/out failed"):
        run.result(SECONDS)


def test_elements_that_are_no_arrow_are_refused(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    run = system.start(Source.of({"n": 1}).to(SparkSink.parquet(spark, str(tmp_path / "o"))))
    with pytest.raises(StageError, match="expected a record batch or a table, got a dict"):
        run.result(SECONDS)


def test_settings_that_make_no_sense_are_refused_at_once(spark: SparkSession) -> None:
    sink: Any = SparkSink
    with pytest.raises(ValueError, match="rows_per_write must be at least 1"):
        sink.parquet(spark, "x", rows_per_write=0)
    with pytest.raises(TypeError, match="path must be a text"):
        sink.parquet(spark, 3)
    with pytest.raises(ValueError, match="a Spark session, classic or of Spark Connect, got"):
        sink.table(3, "t")
    assert isinstance(SparkSink.parquet(spark, "x"), Sink)


@pytest.mark.parametrize("policy", ["resume", "restart"])
@pytest.mark.parametrize("bad", [{5}, {1, 12}, {6, 7, 8}])
def test_of_a_piece_that_cannot_be_written_only_the_elements_at_fault_are_dead_letters(
    spark: SparkSession, system: ActorSystem, bad: set[int], policy: Any
) -> None:
    written: list[int] = []

    def write(df: Any, number: int) -> None:
        values = [row.n for row in df.collect()]
        if bad & {*values}:
            raise ValueError(f"{values} cannot be written")
        written.extend(values)

    sink = SparkSink.foreach_batch(spark, write, rows_per_write=6).on_failure(policy)
    elements = [batch(n) for n in range(1, 13)]
    result = system.start(Source.from_iterable(elements).to(sink)).result(SECONDS)
    assert written == [n for n in range(1, 13) if n not in bad]
    assert result.rows == len(written)
    letters = system.dead_letters.recent()
    assert [letter.what for letter in letters] == [elements[n - 1] for n in sorted(bad)]
    assert [letter.error.position for letter in letters] == [n - 1 for n in sorted(bad)]  # type: ignore[union-attr]


def test_the_last_piece_fails_with_its_stage_and_the_line_that_made_it(
    spark: SparkSession, system: ActorSystem
) -> None:
    def fails(df: Any, number: int) -> None:
        raise ValueError("no")

    run = system.start(Source.of(batch(1)).to(SparkSink.foreach_batch(spark, fails)))
    with pytest.raises(
        StageError, match=r"'spark_foreach_batch' failed at element 0: .*test_sink.py:"
    ):
        run.result(SECONDS)


def test_a_lost_session_is_no_elements_fault(spark: SparkSession, system: ActorSystem) -> None:
    def lose(df: Any, number: int) -> None:
        raise SparkSessionLost("gone")

    sink = SparkSink.foreach_batch(spark, lose).on_failure("resume")
    run = system.start(Source.of(batch(1), batch(2)).to(sink))
    with pytest.raises(SparkSessionLost, match=r"gone \(stage 'spark_foreach_batch', made at "):
        run.result(SECONDS)
    assert not system.dead_letters.recent()
