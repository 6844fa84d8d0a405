"""The partitions of DataFrames and RDDs, fetched one job each from a real Spark."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, count
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col

from actors_rs.errors import DefectError, InvalidArgumentError
from actors_rs.spark.failures import SparkPartitionError
from actors_rs.spark.fetching.partitions import (
    ArrowPartitions,
    RddPartitions,
    RowPartitions,
)
from actors_rs.spark.plan import PartitionPlan
from tests.spark.jobs import jobs_begun, until

pytestmark = pytest.mark.spark

_tags = (f"test-{number}" for number in count())

EVERY_TYPE = """
    id,
    cast(id as byte) as b, cast(id as float) as f, id % 2 = 0 as flag,
    if(id % 3 = 0, null, concat('s', id)) as text,
    cast(concat('x', id) as binary) as raw,
    cast(id * 1.25 as decimal(20, 3)) as money,
    date_add(date'2024-03-30', cast(id as int)) as day,
    timestamp'2024-07-01 12:30:00.123456' + make_dt_interval(cast(id as int)) as moment,
    cast('2024-07-01 12:30:00.5' as timestamp_ntz) as wall,
    make_dt_interval(1, cast(id as int)) as span,
    array(id, null, id + 1) as numbers,
    array(timestamp'2024-01-01 00:00:00', null) as moments,
    map(concat('k', id), id, 'none', null) as dictionary,
    map('m', named_struct('t', timestamp'2024-01-01 00:00:00')) as deep,
    named_struct('x', id, 'inner', named_struct('y', cast('z' as binary))) as pair,
    if(id = 1, null, named_struct('x', nullif(id, 2))) as maybe,
    null as nothing
"""


def every_type(spark: SparkSession) -> DataFrame:
    return spark.sql(f"SELECT {EVERY_TYPE} FROM range(0, 20, 1, 4)")


def fetch_all(plan: PartitionPlan[Any]) -> list[list[Any]]:
    tag = next(_tags)
    return [list(plan.fetch(index, tag)) for index in range(plan.plan(tag))]


def flat(plan: PartitionPlan[Any]) -> list[Any]:
    return list(chain.from_iterable(fetch_all(plan)))


def test_arrow_partitions_hold_what_to_arrow_gives_in_the_same_schema(spark: SparkSession) -> None:
    df = every_type(spark)
    plan = ArrowPartitions(df)
    batches = flat(plan)
    expected = df.toArrow()
    assert plan.schema == expected.schema
    assert pa.Table.from_batches(batches).equals(expected)
    for batch in batches:
        batch.validate(full=True)


def test_each_partition_holds_its_own_rows_and_no_others(spark: SparkSession) -> None:
    plan = ArrowPartitions(spark.range(0, 100, 1, 7))
    ids = [[i for b in p for i in b.column("id").to_pylist()] for p in fetch_all(plan)]
    expected = spark.range(0, 100, 1, 7).rdd.map(lambda row: row.id).glom().collect()
    assert ids == expected


def test_rows_are_equal_to_those_of_collect_in_value_and_type(spark: SparkSession) -> None:
    df = every_type(spark)
    rows, expected = flat(RowPartitions(df)), df.collect()
    assert rows == expected
    assert repr(rows) == repr(expected)  # tells 1 from True and a Row from a tuple
    assert [row.asDict(recursive=True) for row in rows] == [
        row.asDict(recursive=True) for row in expected
    ]


def test_rows_of_types_that_arrow_cannot_carry_still_equal_those_of_collect(
    spark: SparkSession,
) -> None:
    df = spark.sql("SELECT named_struct('a', id, 'a', id + 1) AS twins FROM range(0, 6, 1, 2)")
    assert flat(RowPartitions(df)) == df.collect()


def test_columns_of_the_same_name_keep_their_values(spark: SparkSession) -> None:
    df = spark.sql("SELECT id AS a, id + 1 AS a FROM range(0, 6, 1, 2)")
    assert flat(RowPartitions(df)) == df.collect()
    columns = [batch.columns for batch in flat(ArrowPartitions(df))]
    assert [c[1].to_pylist() for c in columns] == [[1, 2, 3], [4, 5, 6]]


def test_an_empty_partition_has_no_elements(spark: SparkSession) -> None:
    df = spark.range(0, 10, 1, 5).where("id >= 8")
    assert [sum(b.num_rows for b in p) for p in fetch_all(ArrowPartitions(df))] == [0, 0, 0, 0, 2]
    assert [len(p) for p in fetch_all(RowPartitions(df))] == [0, 0, 0, 0, 2]


def test_a_dataframe_without_partitions_plans_none(spark: SparkSession) -> None:
    df = spark.createDataFrame([], "a int, b string")
    assert flat(RowPartitions(df)) == []
    plan = ArrowPartitions(df)
    assert flat(plan) == []
    assert plan.schema == df.toArrow().schema
    assert RddPartitions(spark.sparkContext.emptyRDD()).plan("none") == 0


def test_a_dataframe_without_columns_keeps_its_number_of_rows(spark: SparkSession) -> None:
    df = spark.range(0, 10, 1, 2).select()
    assert [b.num_rows for b in flat(ArrowPartitions(df))] == [5, 5]
    assert flat(RowPartitions(df)) == df.collect()


def test_a_big_partition_comes_in_several_batches(spark: SparkSession) -> None:
    first, second = flat(ArrowPartitions(spark.range(0, 100_000, 1, 1)))
    assert first.num_rows == 65_536
    assert second.column("id")[-1].as_py() == 99_999


def test_partitions_after_a_shuffle_hold_each_row_once(spark: SparkSession) -> None:
    df = spark.range(0, 1000, 1, 4).groupBy((col("id") % 97).alias("key")).count()
    rows = flat(RowPartitions(df))
    assert sorted(rows) == sorted(df.collect())


def test_an_rdd_partition_is_one_list_even_when_it_is_empty(spark: SparkSession) -> None:
    rdd = spark.sparkContext.parallelize([{"a": 1}, None, "x"], 5)
    assert fetch_all(RddPartitions(rdd)) == [[part] for part in rdd.glom().collect()]


def test_making_a_plan_starts_no_job(spark: SparkSession) -> None:
    df = spark.range(0, 1000, 1, 4).groupBy((col("id") % 97).alias("key")).count()
    before = jobs_begun(spark)
    ArrowPartitions(df), RowPartitions(df)
    assert jobs_begun(spark) == before


def test_fetching_a_partition_computes_no_other(spark: SparkSession) -> None:
    computed = spark.sparkContext.accumulator(0)

    def touch(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        computed.add(1)
        yield from batches

    plan = ArrowPartitions(spark.range(0, 100, 1, 10).mapInArrow(touch, "id long"))
    tag = next(_tags)
    assert plan.plan(tag) == 10
    assert computed.value == 0
    list(plan.fetch(3, tag))
    assert computed.value == 1


def test_what_is_no_classic_dataframe_is_refused_at_once() -> None:
    with pytest.raises(InvalidArgumentError, match=r"classic Spark session, got builtins\.list"):
        ArrowPartitions([1, 2])  # type: ignore[arg-type]


def test_fetch_before_plan_says_so(spark: SparkSession) -> None:
    with pytest.raises(DefectError, match=r"fetch\(0\) was called before plan"):
        next(RddPartitions(spark.sparkContext.emptyRDD()).fetch(0, "t"))


def test_a_thread_is_left_without_tag_or_group_even_when_the_job_fails(spark: SparkSession) -> None:
    context = spark.sparkContext
    good = ArrowPartitions(spark.range(0, 4, 1, 2))
    bad = ArrowPartitions(spark.range(0, 4, 1, 2).selectExpr("raise_error('no')"))
    assert (good.plan("tag-a"), bad.plan("tag-b")) == (2, 2)
    with pytest.raises(SparkPartitionError):
        list(bad.fetch(0, "tag-b"))
    batches = good.fetch(0, "tag-a")
    next(batches)
    assert list(context.getJobTags()) == []
    assert context.getLocalProperty("spark.jobGroup.id") is None
    batches.close()


def test_closing_a_half_read_partition_leaves_the_session_working(spark: SparkSession) -> None:
    plan = ArrowPartitions(spark.range(0, 2_000_000, 1, 1))
    plan.plan("half")
    batches = plan.fetch(0, "half")
    next(batches)
    batches.close()
    assert sum(batch.num_rows for batch in plan.fetch(0, "half")) == 2_000_000


def test_several_threads_fetch_different_partitions_of_one_plan(spark: SparkSession) -> None:
    plan = RowPartitions(spark.range(0, 8000, 1, 8))
    plan.plan("many")
    with ThreadPoolExecutor(4) as threads:
        parts = list(threads.map(lambda i: [row.id for row in plan.fetch(i, "many")], range(8)))
    assert list(chain.from_iterable(parts)) == list(range(8000))


def sleeping(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import time

    time.sleep(600)
    yield from batches


def test_cancel_from_another_thread_ends_the_running_job_at_once(spark: SparkSession) -> None:
    plan = ArrowPartitions(spark.range(0, 2, 1, 2).mapInArrow(sleeping, "id long"))
    plan.plan("running")
    tracker = spark.sparkContext.statusTracker()
    with ThreadPoolExecutor(1) as threads:
        outcome = threads.submit(lambda: list(plan.fetch(0, "running")))
        until(lambda: bool(tracker.getJobIdsForGroup("running")))
        plan.cancel("running")
        with pytest.raises(SparkPartitionError) as caught:
            outcome.result(timeout=10)
    assert caught.value.cancelled
    assert caught.value.partition == 0


def test_a_job_submitted_after_its_tag_was_cancelled_does_not_run(spark: SparkSession) -> None:
    computed = spark.sparkContext.accumulator(0)

    def touch(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        computed.add(1)
        yield from batches

    plan = ArrowPartitions(spark.range(0, 4, 1, 2).mapInArrow(touch, "id long"))
    plan.plan("early")
    plan.cancel("early")
    with pytest.raises(SparkPartitionError) as caught:
        list(plan.fetch(0, "early"))
    assert caught.value.cancelled
    assert computed.value == 0


def test_jobs_run_in_the_pool_that_was_named_and_the_thread_leaves_it(spark: SparkSession) -> None:
    context: Any = spark.sparkContext
    plan = ArrowPartitions(spark.range(4), "night")
    plan.plan("pooled")
    list(plan.fetch(0, "pooled"))
    assert context._jsc.sc().getPoolForName("night").isDefined()
    assert context.getLocalProperty("spark.scheduler.pool") is None


def test_cancel_leaves_jobs_of_other_tags_alone(spark: SparkSession) -> None:
    plan = ArrowPartitions(spark.range(0, 4, 1, 2))
    plan.plan("mine")
    plan.cancel("yours")
    assert sum(batch.num_rows for batch in plan.fetch(1, "mine")) == 2


def test_the_shuffle_that_planning_runs_can_be_cancelled(spark: SparkSession) -> None:
    slow = spark.range(0, 4, 1, 2).mapInArrow(sleeping, "id long")
    plan = ArrowPartitions(slow.groupBy("id").count())
    tracker = spark.sparkContext.statusTracker()
    with ThreadPoolExecutor(1) as threads:
        outcome = threads.submit(plan.plan, "planning")
        until(lambda: bool(tracker.getJobIdsForGroup("planning")))
        plan.cancel("planning")
        with pytest.raises(SparkPartitionError) as caught:
            outcome.result(timeout=10)
    assert caught.value.partition is None
    assert caught.value.cancelled


def test_variants_hold_what_those_of_collect_do_at_any_depth(spark: SparkSession) -> None:
    """By their text: pyspark's variants are equal to themselves alone."""
    df = spark.sql(
        """SELECT parse_json('{"a": 1}') AS v, array(parse_json('2'), null) AS vs,
        map('k', parse_json('3')) AS m, named_struct('x', parse_json('"t"')) AS s,
        CAST(null AS variant) AS none, CAST('b' AS binary) AS b"""
    )
    assert repr(flat(RowPartitions(df))) == repr(df.collect())
