"""What tells a plan from another one: all that the user wrote, and nothing that Spark counts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pyspark import RDD
from pyspark.sql import DataFrame, Observation, SparkSession, functions

from actors_rs.spark.fetching.partitions import ArrowPartitions, RddPartitions
from actors_rs.spark.resuming.describing import without_numbers
from actors_rs.spark.resuming.partition_settings import SETTINGS, settings_text

pytestmark = pytest.mark.spark
Make = Callable[[SparkSession], DataFrame]

WITH = "WITH t AS (SELECT id, id + 1 AS b FROM range(5)) SELECT t.id FROM t JOIN t u ON t.id = u.b"


def pairs(spark: SparkSession) -> DataFrame:
    return spark.range(0, 10, 1, 2).select("id", functions.array("id", "id").alias("a"))


def wide(spark: SparkSession, last: int) -> DataFrame:
    columns = [(functions.col("id") + n).alias(f"c{n}") for n in range(40)]
    return spark.range(10).select(*columns, (functions.col("id") + last).alias("last"))


def literals(spark: SparkSession, *numbers: int) -> DataFrame:
    return spark.range(3).select(functions.array(*map(functions.lit, numbers)).alias("a"))


def fingerprint(df: DataFrame) -> str:
    plan = ArrowPartitions(df)
    plan.plan("a plan")
    schema, text = plan.describe()
    return f"{schema} {without_numbers(text)}"


SAME: dict[str, Make] = {
    "a lambda": lambda spark: pairs(spark).select(functions.transform("a", lambda one: one + 1)),
    "a common table": lambda spark: spark.sql(WITH),
    "a subquery": lambda spark: spark.sql("SELECT 1 WHERE 1 < (SELECT max(id) FROM range(3))"),
    "a function": lambda spark: spark.range(3).select(functions.udf(lambda n: n, "long")("id")),
    "an observation": lambda spark: spark.range(3).observe(
        Observation("o"), functions.count(functions.lit(1)).alias("c")
    ),
    "local rows": lambda spark: spark.createDataFrame([(1, "a")], "n int, s string"),
}
OTHER: dict[str, tuple[Make, Make]] = {
    "an index": (
        lambda spark: pairs(spark).select(functions.col("a")[0].alias("x")),
        lambda spark: pairs(spark).select(functions.col("a")[1].alias("x")),
    ),
    "the last of many columns": (lambda spark: wide(spark, 1), lambda spark: wide(spark, 2)),
    "the last of many arguments": (
        lambda spark: literals(spark, *range(40)),
        lambda spark: literals(spark, *range(39), 77),
    ),
    "a literal": (
        lambda spark: spark.range(3).where(functions.lit("#5") != "a"),
        lambda spark: spark.range(3).where(functions.lit("#7") != "a"),
    ),
    "columns that change places": (
        lambda spark: spark.range(3).toDF("n").selectExpr("n + 1 n", "n + 2 n").toDF("x", "y"),
        lambda spark: spark.range(3).toDF("n").selectExpr("n + 2 n", "n + 1 n").toDF("x", "y"),
    ),
}


@pytest.mark.parametrize("make", SAME)
def test_the_same_plan_made_again_is_the_same(spark: SparkSession, make: str) -> None:
    assert fingerprint(SAME[make](spark)) == fingerprint(SAME[make](spark))


@pytest.mark.parametrize("what", OTHER)
def test_a_plan_that_gives_other_rows_is_another_one(spark: SparkSession, what: str) -> None:
    one, other = OTHER[what]
    assert fingerprint(one(spark)) != fingerprint(other(spark))


@contextmanager
def set_to(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    before = spark.conf.getAll.get(name)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.unset(name)
        if before is not None:
            spark.conf.set(name, before)


DEALT_OTHERWISE = {
    "spark.sql.shuffle.partitions": "7",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.files.openCostInBytes": "1000",
    "spark.sql.adaptive.coalescePartitions.initialPartitionNum": "9",
    "spark.sql.session.timeZone": "Asia/Tokyo",
}


@pytest.mark.parametrize("name", DEALT_OTHERWISE)
def test_a_plan_whose_rows_are_dealt_by_another_setting_is_another_one(
    spark: SparkSession, name: str
) -> None:
    before = fingerprint(pairs(spark))
    with set_to(spark, name, DEALT_OTHERWISE[name]):
        assert fingerprint(pairs(spark)) != before
    assert fingerprint(pairs(spark)) == before


def test_a_setting_that_is_set_to_what_it_is_anyhow_changes_no_plan(spark: SparkSession) -> None:
    before = fingerprint(pairs(spark))
    for name in ("spark.sql.adaptive.enabled", "spark.sql.join.preferSortMergeJoin"):
        assert name not in spark.conf.getAll
        with set_to(spark, name, "true"):
            assert fingerprint(pairs(spark)) == before


def test_each_setting_the_version_and_the_parallelism_count() -> None:
    def told(version: str = "4", parallelism: int = 2, other: str = "") -> str:
        return settings_text(version, parallelism, lambda name: name == other)

    every = [told(), told("5"), told("4", 3), *(told(other=name) for name in SETTINGS)]
    assert len(set(every)) == 3 + len(SETTINGS)
    assert list(SETTINGS) == sorted(set(SETTINGS))


def test_the_session_of_the_thread_and_its_settings_are_left_as_they_are(
    spark: SparkSession,
) -> None:
    name = "spark.sql.debug.maxToStringFields"
    jvm: Any = spark._jvm
    sessions, before = jvm.org.apache.spark.sql.SparkSession, spark.conf.get(name)
    fingerprint(spark.range(3))
    assert sessions.getActiveSession().get().equals(spark._jsparkSession)
    assert spark.conf.get(name) == before


def test_a_column_is_no_argument_of_a_lambda_whose_number_begins_as_its_own_does() -> None:
    plan = "Project [transform(a#0, lambdafunction(lambda {}, lambda {}, false)), one_1#123]"
    early, late = (plan.format(one, one) for one in ("one_1#12", "one_7#45"))
    assert without_numbers(early) == without_numbers(late)
    assert "one_1#" in without_numbers(early)


def lineage(rdd: RDD[Any]) -> str:
    plan = RddPartitions(rdd)
    plan.plan("a plan")
    return without_numbers(plan.describe()[1])


def test_an_rdd_is_the_same_though_it_was_cached_meanwhile_or_moved_in_its_file(
    spark: SparkSession,
) -> None:
    def counted() -> RDD[int]:
        return spark.sparkContext.parallelize(range(4), 2).map(lambda n: (n, 1)).groupByKey().keys()

    rdd = counted().persist()
    before = lineage(rdd)
    rdd.count()
    assert lineage(rdd) == before
    rdd.unpersist()
    moved = spark.sparkContext.parallelize(range(4), 2).map(lambda n: (n, 1)).groupByKey().keys()
    assert lineage(moved) == lineage(counted())
    assert lineage(moved) != lineage(spark.sparkContext.parallelize(range(4), 2))


def test_settings_count_for_an_rdd_of_a_query_and_for_no_other(spark: SparkSession) -> None:
    def of_a_query() -> RDD[Any]:
        return pairs(spark).rdd

    def of_its_own() -> RDD[Any]:
        return spark.sparkContext.parallelize(range(4), 2)

    query, own = lineage(of_a_query()), lineage(of_its_own())
    assert lineage(of_a_query()) == query
    with set_to(spark, "spark.sql.shuffle.partitions", "7"):
        assert lineage(of_a_query()) != query
        assert lineage(of_its_own()) == own
