"""A run that is cancelled: its jobs end, no further one begins, and the workers' processes go."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Sink
from actors_rs.errors import RunCancelled
from actors_rs.spark import SparkSource
from tests.spark.jobs import Transform, jobs_begun, jobs_running, numbers, until

pytestmark = pytest.mark.spark

PATIENCE = 60.0  # how long it takes is measured in stress/


def stuck(marks: Path) -> Transform:
    """Each partition leaves its process's number, and then takes an hour."""
    folder = str(marks)

    def stick(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import os
        import time

        open(f"{folder}/{os.getpid()}", "w").close()
        time.sleep(3600)
        yield from batches

    return stick


def workers(marks: Path) -> list[str]:
    """The processes that work on a partition, or ever did, and exist."""
    return [mark.name for mark in marks.iterdir() if Path("/proc", mark.name).exists()]


def are_gone(marks: Path) -> bool:
    return not workers(marks)


def test_a_cancelled_run_leaves_no_job_and_no_worker_that_works_for_it(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    source = SparkSource.arrow(numbers(spark, 20, stuck(tmp_path)), in_flight=2)
    run = system.start(source.to(Sink.ignore()))
    until(lambda: jobs_running(spark) == 2 and len(workers(tmp_path)) == 2, PATIENCE)
    begun = jobs_begun(spark)
    run.cancel()
    with pytest.raises(RunCancelled):
        run.result(PATIENCE)
    until(lambda: jobs_running(spark) == 0, PATIENCE)
    until(partial(are_gone, tmp_path), PATIENCE)
    assert jobs_begun(spark) == begun
