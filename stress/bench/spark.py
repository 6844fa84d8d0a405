"""SparkSource.arrow against Spark's own ways to the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from actors_rs import ActorSystem, Graph, Sink
from actors_rs.spark import SparkSource, local_session
from stress.bench.harness import Figure, at_least, count, in_turn, rate, ratio

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["measure"]

PARTITIONS = 20
IN_FLIGHT = 4
ROW_PARTITIONS = 2


def table(spark: SparkSession, partitions: int, rows: int) -> DataFrame:
    """``partitions`` of ``rows`` rows each: two integers and a double."""
    numbers = spark.range(0, partitions * rows, 1, partitions)
    return numbers.selectExpr("id", "id % 1000 AS key", "id * 0.5D AS value")


def graph(df: DataFrame) -> Graph[int]:
    return (
        SparkSource.arrow(df, in_flight=IN_FLIGHT).map(lambda batch: batch.num_rows).to(Sink.sum())
    )


def iterate(df: DataFrame) -> int:
    return sum(1 for _ in df.toLocalIterator())


def measure(scale: float) -> list[Figure]:
    """Rows one by one are so slow that two partitions have to do; rates are compared."""
    per_partition = count(scale, 500_000)
    spark = local_session("bench", conf={"spark.driver.memory": "4g"})
    df, small = table(spark, PARTITIONS, per_partition), table(spark, ROW_PARTITIONS, per_partition)
    n, few = PARTITIONS * per_partition, ROW_PARTITIONS * per_partition
    try:
        with ActorSystem() as system:
            assert system.start(graph(df)).result() == n, "rows are missing"
            ours, to_arrow, rows = in_turn(
                5,
                [
                    (lambda: system.start(graph(df)).result(), n),
                    (df.toArrow, n),
                    (lambda: iterate(small), few),
                ],
            )
    finally:
        spark.stop()
    size = f"{PARTITIONS} partitions of {per_partition:,} rows"
    what = f"SparkSource.arrow, {size}, in_flight={IN_FLIGHT}"
    over, times = ratio(ours, to_arrow), ratio(ours, rows)
    return [
        Figure(what, "df.toArrow()", rate(ours), rate(to_arrow), over, goal=at_least(0.7)),
        Figure(what, "df.toLocalIterator()", rate(ours), rate(rows), times, goal=at_least(10)),
    ]
