# mypy: disable-error-code="no-untyped-def"
"""Which plans may be gone on with in another process, and how the others are refused."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession, Window, WindowSpec, functions

from actors_rs import ActorSystem, Sink
from actors_rs.delivery import Ledger
from actors_rs.errors import LedgerError
from actors_rs.spark import SparkSource
from actors_rs.spark.repeat.fixing import FIXED, dealt, fixed

pytestmark = pytest.mark.spark

SECONDS = 240.0
Make = Callable[[DataFrame], DataFrame]


@pytest.fixture
def table(spark: SparkSession) -> DataFrame:
    return spark.range(0, 1000, 1, 4).selectExpr(
        "id", "id % 7 AS k", "hash(id) AS h", "CAST(id AS double) / 3 AS d"
    )


def by_d() -> WindowSpec:
    return Window.partitionBy("k").orderBy("d")


def other(df: DataFrame) -> DataFrame:
    return df.sparkSession.range(0, 50, 1, 2).selectExpr("id AS k", "id * 2 AS v")


def same(batches):
    return batches


def number(value):
    return value


STABLE: dict[str, Make] = {
    "orderBy into one partition": lambda df: df.repartitionByRange(1, "h"),
    "a range that is shuffled again": lambda df: df.repartitionByRange(8, "h").groupBy("k").count(),
    "sums of floats": lambda df: df.groupBy("k").agg(functions.sum("d"), functions.first("h")),
    "sums of integers, dealt": lambda df: df.groupBy("k").agg(functions.sum("id")).repartition(5),
    "sums of floats, by key": lambda df: (
        df.groupBy("k").agg(functions.sum("d")).repartition(5, "k")
    ),
    "repartition(n)": lambda df: df.repartition(3).repartition(4),
    "row_number": lambda df: df.withColumn("n", functions.row_number().over(by_d())),
    "rank, dealt": lambda df: df.withColumn("n", functions.rank().over(by_d())).repartition(4),
    "row_number of rows that cannot tie": lambda df: (
        df.select("k", "d").withColumn("n", functions.row_number().over(by_d())).repartition(4)
    ),
    "ids of a scan": lambda df: df.withColumn(
        "m", functions.monotonically_increasing_id()
    ).repartition(4),
    "ids after a shuffle": lambda df: df.repartition(3).withColumn(
        "m", functions.monotonically_increasing_id()
    ),
    "rand of a scan": lambda df: df.withColumn("m", functions.rand(3)).repartition(4, "m"),
    "sample of a scan": lambda df: df.sample(fraction=0.5, seed=1).repartition(3),
    "limit": lambda df: df.repartition(3).limit(10),
    "orderBy().limit()": lambda df: df.orderBy("h").limit(5),
    "a merge join": lambda df: df.join(other(df).hint("merge"), "k"),
    "a broadcast join": lambda df: df.join(functions.broadcast(other(df)), "k"),
    "a union": lambda df: df.union(df).groupBy("k").count().coalesce(2),
    "a subquery": lambda df: df.filter("id > (SELECT max(id) FROM range(10))"),
    "the time": lambda df: df.withColumn("t", functions.current_timestamp()),
    "a function": lambda df: df.withColumn("u", functions.udf(number, "long")("id")).repartition(
        3, "u"
    ),
    "mapInArrow": lambda df: df.mapInArrow(same, df.schema).repartition(3),
    "a cached sum": lambda df: df.groupBy("k").count().cache().repartition(3),
    "rows of a list": lambda df: df.sparkSession.createDataFrame([(1,)], "a int").repartition(2),
    "dropDuplicates": lambda df: df.dropDuplicates(["k"]),
    "rebalance": lambda df: df.hint("rebalance", "k"),
    "sorted within": lambda df: df.repartition(3, "k").sortWithinPartitions("h"),
    "applyInPandas": lambda df: df.groupBy("k").applyInPandas(number, df.schema),
    "files": lambda df: df.sparkSession.read.format("text").load(__file__).repartition(3),
}
BOUNDS = "whose bounds Spark draws by a sample"
SHUFFLED = "rows are shuffled, and "
UNSTABLE: dict[str, tuple[Make, str]] = {
    "orderBy": (lambda df: df.orderBy("h"), BOUNDS),
    "repartitionByRange": (lambda df: df.repartitionByRange(8, "h"), BOUNDS),
    "sorted within a range": (
        lambda df: df.repartitionByRange(8, "h").sortWithinPartitions("d"),
        BOUNDS,
    ),
    "groups of a range": (lambda df: df.repartitionByRange(8, "k").groupBy("k").count(), BOUNDS),
    "a cached order": (lambda df: df.orderBy("h").cache().filter("k > 1"), BOUNDS),
    "a function of a range": (
        lambda df: df.repartitionByRange(3, "h").mapInArrow(same, df.schema).repartition(3),
        SHUFFLED + "a function gets whole partitions",
    ),
    "ids of a range": (
        lambda df: df.orderBy("h").withColumn("m", functions.spark_partition_id()).repartition(3),
        SHUFFLED + ".*SPARK_PARTITION_ID.* depends on the places of rows",
    ),
    "ids after a shuffle, dealt": (
        lambda df: (
            df.repartition(3)
            .withColumn("m", functions.monotonically_increasing_id())
            .repartition(4)
        ),
        SHUFFLED + "monotonically_increasing_id.* depends on the places of rows",
    ),
    "sums of floats, dealt": (
        lambda df: df.groupBy("k").agg(functions.sum("d")).repartition(5),
        r"Instead, use repartition\(n, column\)",
    ),
    "sums of floats as keys": (
        lambda df: df.groupBy("k").agg(functions.sum("d").alias("s")).repartition(5, "s"),
        "Instead, use decimals or integers",
    ),
    "sums of floats compared": (
        lambda df: (
            df.groupBy("k").agg(functions.sum("d").alias("s")).filter("s > 3").repartition(5, "k")
        ),
        SHUFFLED + "a condition compares a sum of floating point numbers",
    ),
    "sums of floats in a union": (
        lambda df: (
            df.select("k", "d").union(df.groupBy("k").agg(functions.sum("d"))).repartition(5, "d")
        ),
        "shuffled by a column that adds floating point numbers",
    ),
    "first, dealt": (
        lambda df: df.groupBy("k").agg(functions.first("h")).repartition(5),
        SHUFFLED + "first.* depends on the order of rows in a group",
    ),
    "row_number, dealt": (
        lambda df: df.withColumn("n", functions.row_number().over(by_d())).repartition(4),
        SHUFFLED + "row_number.* depends on the order of rows that tie",
    ),
    "the first of each group, joined": (
        lambda df: (
            df.withColumn("n", functions.row_number().over(by_d()))
            .filter("n = 1")
            .join(other(df).hint("merge"), functions.col("h") == functions.col("v"))
        ),
        SHUFFLED + r"row_number\(\) takes one of several rows that tie",
    ),
    "sample after a shuffle": (
        lambda df: df.repartition(3).sample(fraction=0.5, seed=1).repartition(3),
        SHUFFLED + r"sample\(\) draws by the rows' places",
    ),
    "limit, dealt": (
        lambda df: df.limit(10).repartition(3),
        SHUFFLED + "a limit takes the rows that come first",
    ),
    "limit, broadcast": (
        lambda df: df.join(functions.broadcast(other(df).limit(3)), "k"),
        "all partitions get the rows of a broadcast, and a limit",
    ),
    "a subquery over floats": (
        lambda df: df.filter("d > (SELECT avg(id) FROM range(10))"),
        "the value of a subquery.*Instead, compute the value first",
    ),
    "the time, dealt": (
        lambda df: df.withColumn("t", functions.current_timestamp()).repartition(3),
        "asks for the time of the run.*Instead, compute the value first",
    ),
    "a function that is none": (
        lambda df: df.withColumn(
            "u", functions.udf(number, "long").asNondeterministic()("id")
        ).repartition(3),
        SHUFFLED + r".*asNondeterministic\(\)",
    ),
    "a checkpoint": (
        lambda df: df.localCheckpoint(),
        "it reads a checkpoint, which each process computes anew",
    ),
}


@pytest.mark.parametrize("name", STABLE)
def test_a_plan_whose_partitions_are_the_same_each_time_is_taken(
    table: DataFrame, name: str
) -> None:
    made = STABLE[name](table)
    assert fixed(made).schema == made.schema


@pytest.mark.parametrize("name", UNSTABLE)
def test_a_plan_whose_partitions_may_be_others_is_refused_with_what_to_write_instead(
    table: DataFrame, name: str
) -> None:
    make, said = UNSTABLE[name]
    with pytest.raises(LedgerError, match=said) as refused:
        fixed(make(table))
    assert " Instead, " in str(refused.value)
    table.sparkSession.catalog.clearCache()


def test_a_run_that_is_refused_has_computed_nothing_and_left_no_ledger(
    spark: SparkSession, table: DataFrame, system: ActorSystem, tmp_path: Path
) -> None:
    source = SparkSource.arrow(table.orderBy("h")).resume(Ledger(tmp_path / "l"))
    before = spark.sparkContext.statusTracker().getJobIdsForGroup(None)
    with pytest.raises(LedgerError, match="sorts over all partitions"):
        system.start(source.to(Sink.list())).result(SECONDS)
    assert spark.sparkContext.statusTracker().getJobIdsForGroup(None) == before
    assert not (tmp_path / "l").exists()


def test_without_a_ledger_any_plan_will_do(table: DataFrame, system: ActorSystem) -> None:
    source = SparkSource.rows(table.orderBy("h").limit(20), max_attempts=2)
    assert len(system.start(source.to(Sink.list())).result(SECONDS)) == 20


RDDS: dict[str, tuple[Callable[[DataFrame], Any], str]] = {
    "repartition after a shuffle": (
        lambda df: (
            df.sparkSession.sparkContext.parallelize(range(9))
            .map(lambda n: (n, 1))
            .reduceByKey(lambda a, b: a + b)
            .repartition(3)
        ),
        "deals the rows of a shuffle in the order they come",
    ),
    "a query with a shuffle": (
        lambda df: df.repartition(3).rdd,
        r"comes from a query with a shuffle. Instead, use SparkSource.rows\(df\)",
    ),
}


@pytest.mark.parametrize("name", RDDS)
def test_an_rdd_whose_partitions_may_be_others_is_refused(
    table: DataFrame, system: ActorSystem, tmp_path: Path, name: str
) -> None:
    make, said = RDDS[name]
    source = SparkSource.partitions(make(table)).resume(Ledger(tmp_path / "l"))
    with pytest.raises(LedgerError, match=said):
        system.start(source.to(Sink.list())).result(SECONDS)


def test_the_settings_that_are_fixed_for_the_run_stay_the_users_outside(
    spark: SparkSession, table: DataFrame
) -> None:
    name = "spark.sql.adaptive.skewJoin.enabled"
    run = fixed(table.groupBy("k").count())
    assert run.sparkSession.conf.get(name) == FIXED[name] == "false"
    assert spark.conf.get(name) == "true"


def test_what_adaptive_execution_put_together_is_a_part_of_the_plan(table: DataFrame) -> None:
    run = fixed(table.groupBy("k").count())
    run._jdf.toArrowBatchRdd().getNumPartitions()
    first, second = dealt(run)
    assert first.startswith("run as HashAggregateExec AQEShuffleReadExec ShuffleExchangeExec")
    assert second == "partitions read together List(CoalescedPartitionSpec(0,4))"


def test_what_coalesce_put_together_is_a_part_of_the_plan(table: DataFrame) -> None:
    run = fixed(table.coalesce(2))
    assert dealt(run) == ["partitions coalesced [[0, 1], [2, 3]]"]


NOW: dict[str, Make] = {
    "current_timestamp() AS t": lambda df: df.withColumn("t", functions.current_timestamp()),
    "current_date(Some(Europe/Berlin)) AS t": lambda df: df.withColumn(
        "t", functions.current_date()
    ),
    "now() AS t": lambda df: df.selectExpr("*", "now() AS t"),
    "(t < current_timestamp())": lambda df: df.selectExpr("timestamp'2020-01-01' AS t").where(
        "t < current_timestamp()"
    ),
    "max(current_timestamp()) AS m": lambda df: df.selectExpr(
        "id", "(SELECT max(current_timestamp()) AS m FROM VALUES (1)) AS t"
    ),
}


@pytest.mark.parametrize("expression", NOW)
def test_a_value_that_each_start_has_another_one_of_is_warned_of_once_by_its_expression(
    spark: SparkSession, caplog: pytest.LogCaptureFixture, expression: str
) -> None:
    fixed(NOW[expression](spark.range(0, 9, 1, 3)))
    (said,) = [record.getMessage() for record in caplog.records if "resume" in record.msg]
    assert f"a value of its own for {expression}, so the rows" in said
    assert "pass it as a literal, F.lit(value)" in said


def test_a_literal_is_warned_of_by_nobody(
    spark: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    fixed(spark.range(0, 9, 1, 3).withColumn("t", functions.lit(datetime(2020, 1, 1))))
    assert not [record for record in caplog.records if "resume" in record.msg]
