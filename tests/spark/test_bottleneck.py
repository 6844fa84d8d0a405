"""The bottleneck of a run with Spark: Spark itself, or the stage that is slower than Spark."""

import threading
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Graph, Sink
from actors_rs.spark import SparkSource
from tests.spark.jobs import numbers, stuck_from, until

pytestmark = pytest.mark.spark


def bottleneck_of(system: ActorSystem, graph: Graph[Any], planted: str) -> None:
    """Fails if ``planted`` does not become the bottleneck of ``graph``."""
    run = system.start(graph)

    def is_planted() -> bool:
        snapshot = run.snapshot()
        slowest = snapshot.bottleneck
        return slowest is not None and slowest.name == planted and slowest.busy > 0.8

    try:
        until(is_planted, 240)  # a loaded machine takes a minute to compute what is ahead
    finally:
        run.cancel()


def test_partitions_that_take_long_make_spark_the_bottleneck(
    spark: SparkSession, system: ActorSystem
) -> None:
    source = SparkSource.arrow(numbers(spark, 8, stuck_from(2)), in_flight=2)
    bottleneck_of(system, source.named("planted").map(len).to(Sink.ignore()), "planted")


def test_a_slow_sink_of_a_fast_spark_is_the_bottleneck(
    spark: SparkSession, system: ActorSystem
) -> None:
    over = threading.Event()
    source = SparkSource.arrow(numbers(spark, 64, lambda batches: batches), in_flight=2)
    slow = Sink.for_each(lambda batch: over.wait())
    try:
        bottleneck_of(system, source.to(slow.named("planted")), "planted")
    finally:
        over.set()
