"""Data sets whose jobs tell what they do, a subscriber, and waiting: for tests of the source."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from actors_rs import ActorSystem, Flow
from actors_rs.spark import SparkSource

Transform = Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]

PATIENCE = 60.0
"""Seconds that a test waits for what takes one on a quick machine. How long it takes says nothing
here; it is measured in stress/."""

SLOW_JOBS = """
def sleeping(batches):
    import time
    time.sleep(600)
    yield from batches

def slow(partitions):
    return spark.range(0, partitions, 1, partitions).mapInArrow(sleeping, "id long")

def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        threading.Event().wait(0.02)

def jobs_running():
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(60000)
    return len(spark.sparkContext.statusTracker().getActiveJobsIds())
"""
"""For programs of their own that have a session ``spark``, ``threading`` and ``time``."""


class Asking:
    """A subscriber that asks when the test says so."""

    def __init__(self) -> None:
        self.subscription: Any = None
        self.got: list[Any] = []
        self.error: BaseException | None = None
        self.completed = False

    def on_subscribe(self, subscription: Any, /) -> None:
        self.subscription = subscription

    def on_next(self, element: Any, /) -> None:
        self.got.append(element)

    def on_error(self, error: BaseException, /) -> None:
        self.error = error

    def on_complete(self) -> None:
        self.completed = True

    @property
    def ended(self) -> bool:
        return self.completed or self.error is not None


def subscribed(system: ActorSystem, source: Any) -> Asking:
    subscriber = Asking()
    system.publisher(source).subscribe(subscriber)
    until(lambda: subscriber.subscription is not None)
    return subscriber


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait for ``condition``, which nobody announces, by asking it again and again."""
    pause = threading.Event()
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail("the condition did not come true in time")
        pause.wait(0.02)


def jobs_begun(spark: SparkSession) -> int:
    """Jobs since the session started, whoever ran them."""
    return int(spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def jobs_running(spark: SparkSession) -> int:
    """Jobs that run now: those begun before the call are among them, those ended are not.

    Spark's tracker hears of both through a queue, which is emptied first: else a job that has just
    ended would be taken for the one that was begun behind it.
    """
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(int(PATIENCE * 1000))
    return len(spark.sparkContext.statusTracker().getActiveJobsIds())


def touching(spark: SparkSession) -> tuple[Any, Transform]:
    """An accumulator, and a function that adds 1 to it for each partition computed."""
    computed = spark.sparkContext.accumulator(0)

    def touch(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        computed.add(1)
        yield from batches

    return computed, touch


def stuck_from(first: int) -> Transform:
    """Partitions from ``first`` on take longer than any test waits."""

    def stick(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import time

        from pyspark import TaskContext

        if TaskContext.get().partitionId() >= first:  # type: ignore[union-attr]
            time.sleep(600)
        yield from batches

    return stick


def waiting_for(marks: Path, needed: Mapping[int, int | str], at_once: bool = False) -> Transform:
    """Partition p waits for the mark ``needed[p]``; each partition leaves its own mark.

    It does so when it is done, or ``at_once``: then partitions can wait for each other.
    """
    folder = str(marks)

    def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        import time

        from pyspark import TaskContext

        number = TaskContext.get().partitionId()  # type: ignore[union-attr]
        if at_once:
            open(f"{folder}/{number}", "w").close()
        patience = 5000  # 100 s: a test that waits for others fails before
        while number in needed and not os.path.exists(f"{folder}/{needed[number]}") and patience:
            time.sleep(0.02)
            patience -= 1
        open(f"{folder}/{number}", "w").close()
        yield from batches

    return wait


def ids(batches: list[pa.RecordBatch]) -> list[int]:
    return [value for batch in batches for value in batch.column(0).to_pylist()]


def numbers(spark: SparkSession, partitions: int, transform: Transform) -> DataFrame:
    """One row a partition: its number."""
    return spark.range(0, partitions, 1, partitions).mapInArrow(transform, "id long")


def kinds_of_source(df: DataFrame) -> list[Flow[Any, Any]]:
    return [SparkSource.arrow(df), SparkSource.rows(df)]
