"""The ways in which work goes to executors and results come back, against plain loops."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from actors_rs import ActorSystem, Sink, Source
from actors_rs.spark import SparkSource, local_session, spark_map
from stress.bench.measuring.harness import Figure, at_least, count, in_turn, rate, ratio

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["measure"]

BATCH = 1_000
TASKS = 2
PARALLELISM = 2
BUDGET = 16_000_000


def square(n: int) -> int:
    return n * n


def by_hand(spark: SparkSession, n: int) -> list[int]:
    """The loop that people write: one batch after the other."""
    results: list[int] = []
    for start in range(0, n, BATCH):
        batch = list(range(start, start + BATCH))
        results += spark.sparkContext.parallelize(batch, TASKS).map(square).collect()
    return results


def mapped(system: ActorSystem, spark: SparkSession, n: int) -> list[int]:
    stage = spark_map(square, spark, parallelism=PARALLELISM, batch=BATCH)
    return system.start(Source.range(0, n).via(stage).to(Sink.list())).result()


def rows_of(system: ActorSystem, source: Any) -> int:
    rows: int = system.start(source.map(lambda batch: batch.num_rows).to(Sink.sum())).result()
    return rows


def measure(scale: float) -> list[Figure]:
    spark = local_session("bench", conf={"spark.driver.memory": "4g"})
    n, rows = BATCH * count(scale, 50), count(scale, 5_000_000)
    huge = spark.range(0, rows, 1, 1).selectExpr("id", "id % 1000 AS key", "id * 0.5D AS value")
    whole = SparkSource.arrow(huge)
    streamed = SparkSource.arrow(huge, max_partition_bytes=BUDGET)
    try:
        with ActorSystem() as system:
            assert mapped(system, spark, n) == by_hand(spark, n), "results are missing"
            assert rows_of(system, streamed) == rows_of(system, whole) == rows, "rows are missing"
            ours, loop = in_turn(
                5, [(lambda: mapped(system, spark, n), n), (lambda: by_hand(spark, n), n)]
            )
            in_chunks, at_once = in_turn(
                5,
                [
                    (lambda: rows_of(system, streamed), rows),
                    (lambda: rows_of(system, whole), rows),
                ],
            )
    finally:
        spark.stop()
    return [
        Figure(
            f"spark_map, batches of {BATCH:,}, parallelism={PARALLELISM}",
            f"parallelize(batch, {TASKS}).map(f).collect() in a loop",
            rate(ours),
            rate(loop),
            ratio(ours, loop),
            goal=at_least(0.8),
        ),
        Figure(
            f"one partition of {rows:,} rows, streamed",
            "the same as one job's result",
            rate(in_chunks),
            rate(at_once),
            ratio(in_chunks, at_once),
            goal=at_least(0.4),
        ),
    ]
