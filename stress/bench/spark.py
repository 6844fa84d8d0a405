"""SparkSource.arrow against Spark's own ways to the driver, and what supervision adds to it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count as numbers
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from actors_rs import ActorSystem, Graph, Sink
from actors_rs.delivery import Ledger
from actors_rs.spark import SparkSource, local_session
from stress.bench.measuring.harness import Figure, at_least, at_most, count, in_turn, rate, ratio

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["measure"]

PARTITIONS = 20
IN_FLIGHT = 4
ROW_PARTITIONS = 2
SMALL, SMALL_ROWS = 200, 5_000
ROUNDS, WARM_UP = 15, 7
"""The JVM goes on compiling for so many rounds: its processor time falls to a third meanwhile."""


def table(spark: SparkSession, partitions: int, rows: int) -> DataFrame:
    """``partitions`` of ``rows`` rows each: two integers and a double."""
    numbers = spark.range(0, partitions * rows, 1, partitions)
    return numbers.selectExpr("id", "id % 1000 AS key", "id * 0.5D AS value")


def rows_of(source: Any) -> Graph[int]:
    """How many rows ``source`` gives."""
    graph: Graph[int] = source.map(lambda batch: batch.num_rows).to(Sink.sum())
    return graph


def graph(df: DataFrame) -> Graph[int]:
    return rows_of(SparkSource.arrow(df, in_flight=IN_FLIGHT))


def supervised(df: DataFrame, folder: Path) -> Callable[[], Graph[int]]:
    """Gives the same with all precautions, each time with a new ledger."""
    number = numbers()

    def make() -> Graph[int]:
        ledger = Ledger(folder / f"{next(number)}.ledger")
        source = SparkSource.arrow(
            df,
            in_flight=IN_FLIGHT,
            max_attempts=3,
            on_poison="dead_letter",
            partition_timeout=60.0,
        )
        return rows_of(source.resume(ledger))

    return make


def iterate(df: DataFrame) -> int:
    return sum(1 for _ in df.toLocalIterator())


def measure(scale: float) -> list[Figure]:
    spark = local_session("bench", conf={"spark.driver.memory": "4g"})
    try:
        with ActorSystem() as system, TemporaryDirectory() as folder:
            return [*against_spark(spark, system, scale), *cost(spark, system, Path(folder), scale)]
    finally:
        spark.stop()


def against_spark(spark: SparkSession, system: ActorSystem, scale: float) -> list[Figure]:
    """Rows one by one are so slow that two partitions have to do; rates are compared."""
    per_partition = count(scale, 500_000)
    df, small = table(spark, PARTITIONS, per_partition), table(spark, ROW_PARTITIONS, per_partition)
    n, few = PARTITIONS * per_partition, ROW_PARTITIONS * per_partition
    assert system.start(graph(df)).result() == n, "rows are missing"
    ours, to_arrow = in_turn(
        ROUNDS,
        [(lambda: system.start(graph(df)).result(), n), (df.toArrow, n)],
        warm_up=WARM_UP,
    )
    (rows,) = in_turn(3, [(lambda: iterate(small), few)])
    what = f"SparkSource.arrow, {PARTITIONS} partitions of {per_partition:,} rows, in_flight=4"
    over, times = ratio(ours, to_arrow), ratio(ours, rows)
    return [
        Figure(what, "df.toArrow()", rate(ours), rate(to_arrow), over, goal=at_least(0.9)),
        Figure(what, "df.toLocalIterator()", rate(ours), rate(rows), times, goal=at_least(10)),
    ]


def cost(spark: SparkSession, system: ActorSystem, folder: Path, scale: float) -> list[Figure]:
    """Ledger, retries and watchdog against none of them."""
    partitions = count(scale, SMALL)
    df = table(spark, partitions, SMALL_ROWS)
    careful, n = supervised(df, folder), partitions * SMALL_ROWS
    assert system.start(careful()).result() == n, "rows are missing"
    ours, plain = in_turn(
        ROUNDS,
        [
            (lambda: system.start(careful()).result(), n),
            (lambda: system.start(graph(df)).result(), n),
        ],
        warm_up=WARM_UP,
    )
    what = f"ledger and supervision, {partitions} partitions of {SMALL_ROWS:,} rows"
    share = 1 / ratio(ours, plain)
    return [Figure(what, "neither", rate(ours), rate(plain), share, goal=at_most(1.05))]
