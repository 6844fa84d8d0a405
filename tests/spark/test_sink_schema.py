"""``SparkSink.parquet`` writes data sets of one schema, by the rule of ``Sink.parquet``."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Source
from actors_rs.delivery import Ledger
from actors_rs.errors import StageError, WriteError
from actors_rs.spark import SparkSink, SparkSource, SparkWritten

pytestmark = pytest.mark.spark

SECONDS = 240.0
ONE = pa.table({"n": pa.array([1], pa.int64()), "s": ["a"]})
OTHERS = {
    "another type": (pa.table({"n": ["1"], "s": ["a"]}), "string in column 'n', which is int64"),
    "a column less": (pa.table({"n": [1]}), "no column 's'"),
    "a column more": (pa.table({"n": [1], "s": ["a"], "t": [1]}), "a column 't', which is not"),
}


def written(system: ActorSystem, spark: SparkSession, path: Path, *tables: pa.Table) -> Any:
    sink = SparkSink.parquet(spark, str(path), rows_per_write=1)
    return system.start(Source.of(*tables).to(sink)).result(SECONDS)


def rows(spark: SparkSession, path: Path) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, spark.read.parquet(str(path)).select("n", "s").collect()))


@pytest.mark.parametrize("what", OTHERS)
def test_a_later_piece_of_another_schema_is_refused_and_the_data_set_can_be_read(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, what: str
) -> None:
    other, said = OTHERS[what]
    with pytest.raises(StageError, match=said):
        written(system, spark, tmp_path / "out", ONE, other)
    assert rows(spark, tmp_path / "out") == [(1, "a")]


@pytest.mark.parametrize("what", OTHERS)
def test_what_does_not_fit_the_files_that_are_there_fails_the_run_before_anything_is_written(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, what: str
) -> None:
    other, said = OTHERS[what]
    written(system, spark, tmp_path / "out", ONE)
    files = sorted((tmp_path / "out").iterdir())
    with pytest.raises(StageError, match=f"schema of the existing files, got {said}") as failed:
        written(system, spark, tmp_path / "out", other)
    assert isinstance(failed.value.__cause__, WriteError)
    assert sorted((tmp_path / "out").iterdir()) == files


def test_a_piece_that_does_not_fit_is_a_dead_letter_where_the_stage_goes_on(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    sink = SparkSink.parquet(spark, str(tmp_path / "out"), rows_per_write=10)
    other, _ = OTHERS["another type"]
    graph = Source.of(ONE, other, ONE).to(sink.on_failure("resume"))
    assert system.start(graph).result(SECONDS) == SparkWritten(1, 2)
    assert rows(spark, tmp_path / "out") == [(1, "a")] * 2
    assert [letter.what for letter in system.dead_letters.recent()] == [other]


def test_what_fits_is_written_as_the_data_set_has_it(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    narrow = pa.table({"s": pa.array(["b"], pa.large_string()), "n": pa.array([2], pa.int16())})
    unknown = pa.table({"n": [3], "s": pa.nulls(1)})
    written(system, spark, tmp_path / "out", ONE, narrow, unknown)
    written(system, spark, tmp_path / "out", narrow)
    found = spark.read.parquet(str(tmp_path / "out"))
    assert found.dtypes == [("n", "bigint"), ("s", "string")]
    assert sorted(found.collect(), key=str) == [(1, "a"), (2, "b"), (2, "b"), (3, None)]


def test_a_moment_in_nanoseconds_is_written_beside_a_wider_number(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    """Spark makes microseconds of it each time: that is no other schema."""
    at = pa.array([1_000_000], pa.timestamp("ns"))
    written(system, spark, tmp_path / "out", pa.table({"n": [1], "s": at}))
    narrow = pa.table({"n": pa.array([2], pa.int32()), "s": at})
    written(system, spark, tmp_path / "out", narrow)
    assert len(set(rows(spark, tmp_path / "out"))) == 2


def test_a_partition_of_another_schema_is_refused_behind_a_ledger(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    def other(batch: pa.RecordBatch) -> pa.RecordBatch:
        return batch if batch.column(0)[0].as_py() < 5 else batch.cast(pa.schema({"id": "string"}))

    df = spark.range(0, 10, 1, 2)
    source = SparkSource.arrow(df, in_flight=1).resume(Ledger(tmp_path / "ledger"))
    sink = SparkSink.parquet(spark, str(tmp_path / "out"))
    for _ in range(2):  # the second time the files that are there tell the schema
        with pytest.raises(StageError, match="string in column 'id', which is int64 there"):
            system.start(source.map(other).to(sink)).result(SECONDS)
    assert spark.read.parquet(str(tmp_path / "out")).select("id").count() == 5
    system.start(source.to(sink)).result(SECONDS)
    assert spark.read.parquet(str(tmp_path / "out")).select("id").count() == 10


@pytest.mark.parametrize("tells", ["the first table", "a StructType", "a pyarrow.Schema"])
def test_nothing_leaves_an_empty_data_set_with_its_schema(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, tells: str
) -> None:
    df = spark.range(9).selectExpr("id AS n", "'a' AS s").where("n > 10")
    schema: Any = {"a StructType": df.schema, "a pyarrow.Schema": ONE.schema}.get(tells)
    source: Any = SparkSource.arrow(df) if schema is not None else Source.of(ONE.slice(1))
    sink = SparkSink.parquet(spark, str(tmp_path / "out"), schema)
    for _ in range(2):
        assert system.start(source.to(sink)).result(SECONDS) == SparkWritten(0, 0)
    assert spark.read.parquet(str(tmp_path / "out")).dtypes == [("n", "bigint"), ("s", "string")]
    assert rows(spark, tmp_path / "out") == []
    assert len(list((tmp_path / "out").glob("part-*"))) == 1


def test_behind_a_ledger_nothing_leaves_an_empty_data_set_that_a_later_run_may_fill(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    def run(df: Any, ledger: str) -> SparkWritten:
        source = SparkSource.arrow(df).resume(Ledger(tmp_path / ledger))
        sink = SparkSink.parquet(spark, str(tmp_path / "out"), df.schema)
        return system.start(source.to(sink)).result(SECONDS)

    def found() -> Any:
        return spark.read.parquet(str(tmp_path / "out")).select("n", "s")

    df = spark.range(9).selectExpr("id AS n", "'a' AS s")
    for _ in range(2):
        assert run(df.where("n > 10"), "nothing") == SparkWritten(0, 0)
    assert found().dtypes == [("n", "bigint"), ("s", "string")]
    assert found().collect() == []
    assert run(df, "nine").rows == 9
    assert sorted(row.n for row in found().collect()) == list(range(9))
    with pytest.raises(StageError, match="output of another run"):
        run(df.where("n > 2"), "another")


def test_a_schema_that_is_given_holds_from_the_first_element_on(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    sink = SparkSink.parquet(spark, str(tmp_path / "out"), ONE.schema)
    with pytest.raises(StageError, match="no column 's'"):
        system.start(Source.of(pa.table({"n": [1]})).to(sink)).result(SECONDS)
    assert not (tmp_path / "out").exists()
    with pytest.raises(TypeError, match=r"schema must be a pyarrow.Schema or a StructType, got 5"):
        SparkSink.parquet(spark, str(tmp_path / "out"), 5)


def test_over_connect_the_same_holds(
    remote: Any, spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    other, said = OTHERS["another type"]
    written(system, remote, tmp_path / "out", ONE)
    with pytest.raises(StageError, match=f"schema of the existing files, got {said}"):
        written(system, remote, tmp_path / "out", other)
    with pytest.raises(StageError, match=said):
        written(system, remote, tmp_path / "out", ONE, other)
    assert rows(spark, tmp_path / "out") == [(1, "a")] * 2
