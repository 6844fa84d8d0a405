"""What we rely on in pyspark beyond its documentation; a test fails when a private name moves."""

import io
import threading
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from actors_rs.spark.fetching import arrow_route
from actors_rs.spark.fetching.arrow_route import (
    ArrowRoute,
    open_arrow_route,
    open_direct,
    open_public,
    open_through,
    schema_of_to_arrow,
)
from actors_rs.spark.fetching.partitions import ArrowPartitions
from actors_rs.spark.resuming.partition_settings import SETTINGS
from tests.spark.jobs import jobs_running, numbers, until, waiting_for

pytestmark = pytest.mark.spark

COLUMNS = [
    "id",
    "id * 1.5 AS x",
    "IF(id % 3 = 0, NULL, concat('s', id)) AS text",
    "timestamp_seconds(id) AS moment",
    "array(id, NULL) AS numbers",
    "map(id, named_struct('t', timestamp_seconds(id))) AS deep",
    "cast(id AS decimal(20, 3)) AS money",
]


def table(route: ArrowRoute) -> pa.Table:
    batches = chain.from_iterable(route.run([index]) for index in range(route.partitions))
    return pa.Table.from_batches(batches, route.schema)


def test_the_private_names_of_the_direct_route_are_there(spark: SparkSession) -> None:
    assert open_arrow_route(spark.range(4)).name == "direct"


def test_encoded_batches_go_through_a_worker_as_they_are(spark: SparkSession) -> None:
    """``RDD`` over bytes, ``_bypass_serializer``, ``_jrdd`` and ``toArrowBatchRdd`` of rows."""
    df = spark.range(0, 50, 1, 3).selectExpr(*COLUMNS)
    route = open_through(df, schema_of_to_arrow(df), 4, lambda frames: frames)
    assert table(route).equals(df.toArrow())
    assert [batch.num_rows for batch in route.run([1])] == [4, 4, 4, 4, 1]


@pytest.mark.parametrize("open_route", [open_direct, open_public])
def test_both_routes_give_what_to_arrow_gives(spark: SparkSession, open_route: Any) -> None:
    df = spark.range(0, 50, 1, 3).selectExpr(*COLUMNS)
    assert table(open_route(df)).equals(df.toArrow())


@pytest.mark.parametrize("open_route", [open_direct, open_public])
def test_both_routes_keep_rows_without_columns(spark: SparkSession, open_route: Any) -> None:
    route = open_route(spark.range(0, 10, 1, 2).select())
    assert [batch.num_rows for batch in route.run([0, 1])] == [5, 5]


@pytest.mark.parametrize("open_route", [open_direct, open_public])
def test_one_job_brings_several_partitions_in_the_order_asked(
    spark: SparkSession, open_route: Any
) -> None:
    route = open_route(spark.range(0, 9, 1, 3))
    assert [batch.column(0).to_pylist() for batch in route.run([2, 0])] == [[6, 7, 8], [0, 1, 2]]


@pytest.mark.parametrize("open_route", [open_direct, open_public])
def test_both_routes_take_columns_of_one_name_and_names_with_dots(
    spark: SparkSession, open_route: Any
) -> None:
    df = spark.sql("SELECT id AS n, concat('s', id) AS n, id AS `a.b` FROM range(0, 6, 1, 2)")
    assert table(open_route(df)).equals(df.toArrow())


def test_the_public_route_is_taken_where_a_private_name_is_missing(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("pyspark.util._load_from_socket")
    df = spark.range(0, 10, 1, 2)
    route = open_arrow_route(df)
    assert route.name == "public"
    assert table(route).equals(df.toArrow())


def test_a_failing_plan_is_not_taken_for_a_missing_name(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arrow_route, "open_public", lambda df: pytest.fail("asked once more"))
    df = spark.range(4).selectExpr("raise_error('no') AS x").groupBy("x").count()
    with pytest.raises(Exception, match="no"):
        open_arrow_route(df)


def test_a_stream_cut_within_a_batch_is_an_error_not_a_short_result() -> None:
    batch = pa.record_batch({"a": [1, 2]})
    frame = batch.serialize().to_pybytes()
    whole = len(frame).to_bytes(4, "big") + frame

    def batches(stream: bytes) -> list[pa.RecordBatch]:
        reader = arrow_route._FrameReader(batch.schema)
        return list(reader.load_stream(io.BufferedReader(io.BytesIO(stream))))

    assert batches(whole) == [batch]
    for length in (2, 4, len(whole) - 1):
        with pytest.raises(EOFError, match="within an Arrow batch"):
            batches(whole[:length])


def test_the_jvm_is_started_deaf_to_ctrl_c(spark: SparkSession) -> None:
    process = spark.sparkContext._gateway.proc  # type: ignore[union-attr]
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        ignored = next(line.split()[1] for line in status if line.startswith("SigIgn"))
    assert int(ignored, 16) & 0b10, "SIGINT, number 2, is the second bit"


def test_a_cancelled_group_refuses_jobs_to_come(spark: SparkSession) -> None:
    assert spark.sparkContext._jsc.sc().cancelJobGroupAndFutureJobs("nobody's") is None


def test_jobs_that_wait_for_a_core_are_told_from_those_that_run(
    spark: SparkSession, tmp_path: Path
) -> None:
    plan = ArrowPartitions(numbers(spark, 3, waiting_for(tmp_path, {0: "go", 1: "go"})))
    plan.plan("plan")
    jobs = [threading.Thread(target=lambda n=n: list(plan.fetch(n, f"tag-{n}"))) for n in range(3)]
    for job in jobs[:2]:
        job.start()
    until(lambda: jobs_running(spark) == 2)  # they have both cores
    jobs[2].start()
    until(lambda: [plan.is_queued(f"tag-{n}") for n in range(3)] == [False, False, True])
    (tmp_path / "go").touch()
    for job in jobs:
        job.join()
    assert not plan.is_queued("tag-2")
    assert not plan.is_queued("nobody's")


def test_each_setting_that_deals_rows_is_one_of_sparks(spark: SparkSession) -> None:
    for name in SETTINGS:
        spark.conf.get(name)  # raises for what Spark does not know
