"""A consumer that is slower than Spark: how many partitions are computed before it takes them."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Sink
from actors_rs.spark import SparkSource
from tests.spark.jobs import jobs_begun, jobs_running, until

pytestmark = pytest.mark.spark

PARTITIONS = 14
GRAPHS = {
    "sink": lambda source: source,
    "map": lambda source: source.map(len),
    "three stages": lambda source: source.map(len).map(str).filter(bool),
    "fused": lambda source: source.map(len).map(str).filter(bool).fuse(),
}
IN_TWO = range(2)  # what each partition becomes after flat_map
ONE_A_JOB = 600.0
"""A ``partition_timeout`` gives each partition a job of its own, so the tests can count jobs.
Without one, small partitions share a job if several are requested at a time."""


class Slow:
    """A function that goes on when Spark has computed all that it will without it.

    The first call waits for ``in_flight`` partitions ahead, and later ones for as many as
    ``later``, by default the same.
    """

    def __init__(self, spark: SparkSession, in_flight: int, later: int | None = None) -> None:
        self._spark = spark
        self._in_flight = in_flight
        self._later = in_flight if later is None else later
        self._before = jobs_begun(spark)
        self.taken = 0
        self.most = 0

    def __call__(self, element: Any) -> None:
        ahead, self._in_flight = self._in_flight, self._later
        self.taken += 1
        until(partial(self._all_is_computed, min(ahead, PARTITIONS - self.taken)))
        self.most = max(self.most, self._ahead())

    def _ahead(self) -> int:
        return jobs_begun(self._spark) - self._before - self.taken

    def _all_is_computed(self, expected: int) -> bool:
        return self._ahead() >= expected and not jobs_running(self._spark)


@pytest.mark.parametrize("in_flight", [1, 4])
@pytest.mark.parametrize("graph", GRAPHS)
def test_in_flight_partitions_are_computed_ahead_of_a_slow_consumer_and_no_more(
    spark: SparkSession, system: ActorSystem, graph: str, in_flight: int
) -> None:
    behind: Callable[[Any], Any] = GRAPHS[graph]
    df = spark.range(0, PARTITIONS * 10, 1, PARTITIONS)
    slow = Slow(spark, in_flight)
    source = SparkSource.arrow(df, in_flight, partition_timeout=ONE_A_JOB)
    system.start(behind(source).to(Sink.for_each(slow))).result(60)
    assert slow.taken == PARTITIONS
    assert slow.most == in_flight


def test_an_rdd_is_computed_no_further_ahead(spark: SparkSession, system: ActorSystem) -> None:
    rdd = spark.sparkContext.parallelize(range(10 * PARTITIONS), PARTITIONS)
    slow = Slow(spark, 2)
    source = SparkSource.partitions(rdd, in_flight=2)
    system.start(source.map(len).to(Sink.for_each(slow))).result(60)
    assert slow.taken == PARTITIONS
    assert slow.most == 2


def test_a_slow_function_before_flat_map_has_no_more_than_in_flight_partitions_computed_ahead(
    spark: SparkSession, system: ActorSystem
) -> None:
    df = spark.range(0, PARTITIONS * 10, 1, PARTITIONS)
    # In flight is also the one that the function holds. What flat_map requests when it has taken
    # a result reaches the source between two calls, or after the next one.
    slow = Slow(spark, 3, later=0)
    rows = (
        SparkSource.arrow(df, 4, partition_timeout=ONE_A_JOB).map(slow).flat_map(lambda _: IN_TWO)
    )
    assert system.start(rows.to(Sink.count())).result(60) == 2 * PARTITIONS
    assert slow.most <= 4


def test_a_window_bounds_the_partitions_computed_ahead_of_a_slow_function_after_flat_map(
    spark: SparkSession, system: ActorSystem
) -> None:
    df = spark.range(0, PARTITIONS * 10, 1, PARTITIONS)
    slow = Slow(spark, 1)
    rows = SparkSource.arrow(df, 1, partition_timeout=ONE_A_JOB).flat_map(lambda _: IN_TWO[:1])
    system.start(rows.map(slow).with_attributes(window=2).to(Sink.count())).result(60)
    assert slow.taken == PARTITIONS
    assert slow.most <= 1 + 2 + 1  # in flight, in the window, and in flat_map
