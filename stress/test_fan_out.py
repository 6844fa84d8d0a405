"""Thousands of partitions through one driver: memory, threads, descriptors, time, cancellation."""

import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Sink
from actors_rs.delivery import Ledger
from actors_rs.errors import RunCancelled
from actors_rs.spark import SparkSource
from stress.bench.measuring.fresh import resident_bytes
from tests.spark.jobs import jobs_begun, jobs_running, numbers, until
from tests.spark.test_cancelled import are_gone, stuck, workers

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1800)]

IN_FLIGHT = 4
MANY = 10_000


def table(spark: SparkSession, partitions: int, rows: int) -> Any:
    numbers = spark.range(0, partitions * rows, 1, partitions)
    return numbers.selectExpr("id", "id % 1000 AS key", "id * 0.5D AS value")


def descriptors(pid: int) -> int:
    """Open files and sockets of a process."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def held(spark: SparkSession) -> dict[str, int]:
    """What must not grow with the number of partitions."""
    gateway: Any = spark.sparkContext._gateway
    return {
        "threads": threading.active_count(),
        "descriptors": descriptors(os.getpid()),
        "JVM threads": len(os.listdir(f"/proc/{gateway.proc.pid}/task")),
        "JVM descriptors": descriptors(gateway.proc.pid),
    }


def test_ten_thousand_small_partitions_leave_nothing_behind(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Growth from a hundred partitions to ten thousand; each run keeps a ledger."""
    figures, seconds = {}, {}
    for partitions in (100, 100, 1_000, MANY):
        source = SparkSource.arrow(table(spark, partitions, 10), IN_FLIGHT, ordered=False)
        ledger = Ledger(tmp_path / "l", on_other_plan="start_over")
        graph = source.resume(ledger).map(lambda batch: batch.num_rows).to(Sink.sum())
        began = time.monotonic()
        with ActorSystem() as system:
            assert system.start(graph).result() == 10 * partitions
        seconds[partitions] = time.monotonic() - began
        figures[partitions] = {**held(spark), "MiB": resident_bytes() // 2**20}
        (tmp_path / "l").unlink()
        print(f"{partitions} partitions: {seconds[partitions]:.1f} s, {figures[partitions]}")
    for what in ("threads", "descriptors", "JVM threads", "JVM descriptors"):
        assert figures[MANY][what] <= figures[100][what] + 10, what
    per_partition = {n: taken / n for n, taken in seconds.items()}
    assert per_partition[MANY] <= 2 * per_partition[1_000], "a partition costs more among many"


def test_a_small_partition_costs_little_more_than_a_bare_job(spark: SparkSession) -> None:
    """Against a loop over ``sc.runJob`` with as many threads as there are partitions in flight."""
    partitions = 1_000
    rdd = spark.sparkContext.parallelize(range(10 * partitions), partitions)

    def bare() -> None:
        with ThreadPoolExecutor(IN_FLIGHT) as pool:
            jobs = [pool.submit(rdd.context.runJob, rdd, list, [n]) for n in range(partitions)]
            assert sum(len(job.result()) for job in jobs) == 10 * partitions

    def ours() -> None:
        source = SparkSource.partitions(rdd, IN_FLIGHT, ordered=False, max_attempts=3)
        with ActorSystem() as system:
            total = system.start(source.map(len).to(Sink.sum())).result()
        assert total == 10 * partitions

    taken: dict[Callable[[], None], list[float]] = {bare: [], ours: []}
    for _ in range(4):
        for run, seconds in taken.items():
            began = time.monotonic()
            run()
            seconds.append(time.monotonic() - began)
    ratio = median(taken[ours][1:]) / median(taken[bare][1:])
    print(f"a partition costs {ratio:.2f} times a bare job")
    assert ratio <= 1.2


def test_a_consumer_that_is_much_slower_than_spark_keeps_the_driver_flat(
    spark: SparkSession,
) -> None:
    partitions = 1_000
    ahead: list[int] = []
    sizes: list[int] = []
    df = table(spark, partitions, 5_000)
    before = jobs_begun(spark)

    def slow(batch: pa.RecordBatch) -> None:
        time.sleep(0.05)
        ahead.append(jobs_begun(spark) - before - len(ahead) - 1)
        sizes.append(resident_bytes())

    with ActorSystem() as system:
        source = SparkSource.arrow(df, IN_FLIGHT, max_attempts=3)
        checked = source.filter(lambda batch: batch.num_rows > 0)
        system.start(checked.to(Sink.for_each(slow))).result()
    growth = (max(sizes[100:]) - sizes[100]) / 2**20
    print(f"{max(ahead)} partitions computed ahead, {growth:.1f} MiB of growth")
    assert growth <= 16
    assert max(ahead) <= IN_FLIGHT, "computed, and not taken by the consumer's function"


def test_cancelling_ends_jobs_at_once_and_workers_soon(spark: SparkSession, tmp_path: Path) -> None:
    df = numbers(spark, 100, stuck(tmp_path))
    with ActorSystem() as system:
        run = system.start(SparkSource.arrow(df, IN_FLIGHT, max_attempts=3).to(Sink.ignore()))
        until(lambda: jobs_running(spark) == IN_FLIGHT and len(workers(tmp_path)) >= 2)
        began = time.monotonic()
        run.cancel()
        until(lambda: jobs_running(spark) == 0)
        jobs = time.monotonic() - began
        begun = jobs_begun(spark)
        until(partial(are_gone, tmp_path))
        gone = time.monotonic() - began
        with pytest.raises(RunCancelled):
            run.result(10)
    print(f"jobs ended after {jobs:.2f} s, workers after {gone:.2f} s")
    assert jobs_begun(spark) == begun
    assert jobs <= 1.0
    assert gone <= 10.0
