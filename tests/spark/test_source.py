"""The Spark source on a real Spark: what it computes and when, and what it delivers."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark import RDD
from pyspark.sql import SparkSession

from actors_rs import UNBOUNDED, ActorSystem, Sink
from actors_rs.spark import SparkSource
from actors_rs.spark.fetching import arrow_route
from actors_rs.spark.fetching.fetch import CHUNKS_AHEAD
from tests.spark.jobs import (
    ids,
    jobs_begun,
    jobs_running,
    kinds_of_source,
    numbers,
    stuck_from,
    subscribed,
    touching,
    until,
    waiting_for,
)

pytestmark = pytest.mark.spark


# What is computed, and when


def test_a_request_for_one_element_computes_one_partition(
    spark: SparkSession, system: ActorSystem
) -> None:
    computed, touch = touching(spark)
    subscriber = subscribed(system, SparkSource.arrow(numbers(spark, 8, touch), in_flight=2))
    subscriber.subscription.request(1)
    until(lambda: subscriber.got and not jobs_running(spark))
    assert computed.value == 1
    subscriber.subscription.request(1)
    until(lambda: len(subscriber.got) == 2 and not jobs_running(spark))
    assert computed.value == 2
    subscriber.subscription.cancel()
    assert ids(subscriber.got) == [0, 1]


def test_a_request_for_many_elements_begins_in_flight_partitions(
    spark: SparkSession, system: ActorSystem
) -> None:
    before = jobs_begun(spark)
    source = SparkSource.arrow(numbers(spark, 8, stuck_from(0)), in_flight=3)
    subscriber = subscribed(system, source)
    subscriber.subscription.request(UNBOUNDED)
    until(lambda: jobs_running(spark) == 3)
    subscriber.subscription.cancel()
    until(lambda: not jobs_running(spark), seconds=10)
    assert jobs_begun(spark) - before == 3


@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_nothing_is_planned_or_computed_before_the_first_request(
    spark: SparkSession, adaptive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed, touch = touching(spark)
    spark.conf.set("spark.sql.adaptive.enabled", adaptive)
    try:
        before = jobs_begun(spark)
        df = numbers(spark, 4, touch).groupBy("id").count()
        for source in [*kinds_of_source(df), SparkSource.partitions(spark.sparkContext.range(3))]:
            with ActorSystem() as system:  # leaving it waits for whatever was begun
                subscribed(system, source)
        assert jobs_begun(spark) == before
        assert computed.value == 0
        assert sorted(ids(SparkSource.arrow(df).run(Sink.list()))) == [0, 1, 2, 3]
        assert computed.value == 4, "the shuffle's map side is computed once"
    finally:
        spark.conf.unset("spark.sql.adaptive.enabled")


def test_cancelling_ends_the_running_jobs_within_seconds_and_begins_no_other(
    spark: SparkSession, system: ActorSystem
) -> None:
    before = jobs_begun(spark)
    source = SparkSource.arrow(numbers(spark, 8, stuck_from(1)), in_flight=2)
    subscriber = subscribed(system, source)
    subscriber.subscription.request(UNBOUNDED)
    until(lambda: len(subscriber.got) == 1 and jobs_running(spark) == 2)
    subscriber.subscription.cancel()
    until(lambda: not jobs_running(spark), seconds=10)
    assert jobs_begun(spark) - before == 3
    assert not subscriber.ended


def test_cancelling_while_it_plans_ends_the_jobs_of_the_plan(
    spark: SparkSession, system: ActorSystem
) -> None:
    slow = numbers(spark, 2, stuck_from(0)).groupBy("id").count()
    subscriber = subscribed(system, SparkSource.arrow(slow))
    subscriber.subscription.request(1)
    until(lambda: jobs_running(spark) == 1)
    subscriber.subscription.cancel()
    until(lambda: not jobs_running(spark), seconds=10)


def test_a_slow_consumer_has_at_most_in_flight_partitions_begun_and_undelivered(
    spark: SparkSession, system: ActorSystem
) -> None:
    before, steps = jobs_begun(spark), threading.Semaphore(0)
    source = SparkSource.arrow(numbers(spark, 16, lambda batches: batches), in_flight=2)

    def consume(batch: pa.RecordBatch) -> None:
        assert steps.acquire(timeout=60)

    run = system.start(source.to(Sink.for_each(consume)))
    for _ in range(16):
        begun = jobs_begun(spark) - before
        assert begun <= run.snapshot().stages[0].elements_out + 2
        steps.release()
        until(lambda: run.snapshot().stages[0].details["running"] == 0)
    run.result(timeout=60)
    assert jobs_begun(spark) - before == 16


def test_the_driver_reads_no_further_than_the_consumer_asked_for(
    spark: SparkSession, system: ActorSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[pa.RecordBatch] = []
    load_stream = arrow_route._FrameReader.load_stream

    def counting(self: Any, stream: Any) -> Iterator[pa.RecordBatch]:
        for batch in load_stream(self, stream):
            read.append(batch)
            yield batch

    monkeypatch.setattr(arrow_route._FrameReader, "load_stream", counting)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "10")
    try:
        subscriber = subscribed(system, SparkSource.arrow(spark.range(0, 1000, 1, 1)))
        for asked in (1, 2, 3):
            subscriber.subscription.request(1)
            most = asked + CHUNKS_AHEAD + 1
            # A chunk is read in place of one that is being delivered, before it is.
            until(lambda: len(read) == most and len(subscriber.got) == asked)  # noqa: B023
        threading.Event().wait(0.1)
        assert len(read) == 3 + CHUNKS_AHEAD + 1
        assert len(subscriber.got) == 3
        subscriber.subscription.cancel()
    finally:
        spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "65536")


# What is delivered, and in which order


def test_arrow_gives_what_to_arrow_gives(spark: SparkSession) -> None:
    df = spark.range(0, 200_000, 1, 5).selectExpr("id", "id * 1.5 AS x", "concat('s', id) AS s")
    batches = SparkSource.arrow(df, in_flight=3).run(Sink.list())
    assert pa.Table.from_batches(batches).equals(df.toArrow())


def test_rows_give_what_collect_gives(spark: SparkSession) -> None:
    df = spark.range(0, 9000, 1, 3).selectExpr("id", "array(id, NULL) AS a", "struct(id) AS b")
    assert SparkSource.rows(df).run(Sink.list()) == df.collect()


def test_rows_tell_the_two_times_of_an_hour_that_comes_twice(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = "timestamp_seconds(1730608200 + 1800 * id)"  # around 2024-11-03 02:00 in New York
    df = spark.sql(
        f"SELECT id, {moment} AS t, array({moment}) AS a, map('k', struct({moment})) AS m "
        "FROM range(0, 8, 1, 2)"
    )
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        rows, expected = SparkSource.rows(df).run(Sink.list()), df.collect()
        seconds = [row.t.timestamp() for row in rows]
    time.tzset()
    assert seconds == [1730608200 + 1800 * row.id for row in rows]
    assert repr(rows) == repr(expected)  # two times that differ in fold alone are equal
    assert "fold=1" in repr(rows[-1].m) + repr(rows[4].m)


def test_partitions_give_one_list_for_each_partition_of_an_rdd(spark: SparkSession) -> None:
    rdd = spark.sparkContext.parallelize(range(10), 4).filter(lambda n: n > 3)
    assert SparkSource.partitions(rdd).run(Sink.list()) == rdd.glom().collect()


def test_order_is_kept_when_early_partitions_are_slow(spark: SparkSession, tmp_path: Path) -> None:
    df = numbers(spark, 8, waiting_for(tmp_path, {0: 3, 4: 7}))
    assert ids(SparkSource.arrow(df, in_flight=4).run(Sink.list())) == list(range(8))


def test_without_order_whichever_partition_is_ready_comes_first(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    df = numbers(spark, 6, waiting_for(tmp_path, {0: "go"}))
    source = SparkSource.arrow(df, in_flight=2, ordered=False)
    subscriber = subscribed(system, source)
    subscriber.subscription.request(UNBOUNDED)
    until(lambda: len(subscriber.got) == 5)
    (tmp_path / "go").touch()
    until(lambda: subscriber.completed)
    assert sorted(ids(subscriber.got[:5])) == [1, 2, 3, 4, 5]
    assert ids(subscriber.got[5:]) == [0]


def test_nothing_to_deliver_completes(spark: SparkSession) -> None:
    context = spark.sparkContext
    empty = [
        *kinds_of_source(spark.createDataFrame([], "id long")),
        *kinds_of_source(spark.range(0, 100, 1, 5).where("id < 0")),
        SparkSource.partitions(context.emptyRDD()),
    ]
    assert [source.run(Sink.list()) for source in empty] == [[]] * 5
    nothing: RDD[int] = context.parallelize([], 3)
    assert SparkSource.partitions(nothing).run(Sink.list()) == [[], [], []]


def test_empty_partitions_between_others_change_nothing(spark: SparkSession) -> None:
    df = spark.range(0, 100, 1, 10).where("id % 30 < 10")
    assert ids(SparkSource.arrow(df, in_flight=3).run(Sink.list())) == ids(
        df.toArrow().to_batches()
    )


def test_the_end_comes_without_a_request_beyond_the_last_element(
    spark: SparkSession, system: ActorSystem
) -> None:
    subscriber = subscribed(system, SparkSource.rows(spark.range(0, 10, 1, 2)))
    subscriber.subscription.request(10)
    until(lambda: subscriber.completed)
    assert len(subscriber.got) == 10


# What is refused


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("arrow", r"expected a DataFrame of a classic Spark session, got .*\.Column"),
        ("rows", r"expected a DataFrame of a classic Spark session, got .*\.Column"),
        ("partitions", r"expected an RDD, got .*\.Column"),
    ],
)
def test_a_column_is_refused_at_once(spark: SparkSession, kind: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        getattr(SparkSource, kind)(spark.range(3).id)


def test_an_option_that_partitions_lack_is_refused_there(spark: SparkSession) -> None:
    options: Any = {"max_partition_bytes": 5}
    with pytest.raises(TypeError, match="SparkSource has no option 'max_partition_bytes'"):
        SparkSource.partitions(spark.sparkContext.parallelize([1]), **options)
