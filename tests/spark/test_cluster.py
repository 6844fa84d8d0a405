# mypy: disable-error-code="no-untyped-def"
"""Executors that are processes of their own: killed, and with them their Python workers."""

import ast
from typing import Any

import pytest

from tests.spark.test_liveness import lines_of

pytestmark = pytest.mark.spark

START = """
import os, signal, sqlite3, sys, tempfile
from pathlib import Path
from actors_rs import ActorSystem, Backoff, Sink, Source
from actors_rs.delivery import Ledger
from actors_rs.delivery.ledger import status
from actors_rs.spark import SparkSource, local_session, spark_map

folder = Path(tempfile.mkdtemp())
spark = local_session(master="local-cluster[2,1,1024]", short_lived=True, conf={
    "spark.driver.memory": "512m", "spark.executor.memory": "512m",
    "spark.executor.memoryOverhead": "384m", "spark.task.maxFailures": "1"})

def killing(marks, workers, executors):
    def kill(batches):
        import os, signal, time
        from pyspark import TaskContext

        def parent(process):
            stat = open(f"/proc/{process}/stat").read()
            return int(stat.rpartition(")")[2].split()[1])

        number = TaskContext.get().partitionId()
        if number in workers or number in executors:
            try:
                os.close(os.open(f"{marks}/{number}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                worker = os.getpid()
                if number in workers:
                    os.kill(worker, signal.SIGKILL)
                executor = parent(parent(worker))  # an orphan's would be anybody's
                command = open(f"/proc/{executor}/cmdline").read()
                assert "CoarseGrainedExecutorBackend" in command, command
                os.kill(executor, signal.SIGKILL)
                time.sleep(30)
        yield from batches
    return kill

def rows(batch):
    return [(n,) for n in batch.column(0).to_pylist()]

def tell(what, value):
    print(what, repr(value), flush=True)

def run_with_kills(name, partitions, workers, executors, **options):
    marks = folder / name
    marks.mkdir()
    df = spark.range(0, 5 * partitions, numPartitions=partitions)
    df = df.mapInArrow(killing(str(marks), workers, executors), df.schema)
    source = SparkSource.arrow(
        df, max_attempts=6, backoff=Backoff(0.1, 0.5), **options
    ).resume(Ledger(marks / "ledger"))
    insert = "INSERT INTO t VALUES (?)"
    setup = "CREATE TABLE IF NOT EXISTS t (n INTEGER)"
    graph = source.flat_map(rows).to(Sink.sqlite(marks / "rows", insert, setup=setup))
    with ActorSystem() as system:
        tell(f"{name}-written", system.start(graph).result(float(sys.argv[1])))
    written = sqlite3.connect(marks / "rows").execute("SELECT n FROM t ORDER BY n")
    tell(f"{name}-complete", [n for (n,) in written] == list(range(5 * partitions)))
    entries = status(marks / "ledger").partitions
    tell(f"{name}-attempts", [entry.attempts for entry in entries])
"""

KILLED = """
run_with_kills("whole", 8, {2}, {5})

pids = os.getpid()
def elsewhere(n):
    import os
    return n * n, os.getpid() != pids

with ActorSystem() as system:
    got = system.start(Source.range(0, 100).via(spark_map(elsewhere, spark)).to(Sink.list()))
    tell("mapped", got.result(120) == [(n * n, True) for n in range(100)])
spark.stop()
"""


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    return {
        what: ast.literal_eval(told)
        for what, told in lines_of(START + KILLED, "400", seconds=550).items()
    }


def test_killed_workers_and_executors_cost_attempts_and_no_row(said: dict[str, Any]) -> None:
    assert said["whole-complete"]
    attempts = said["whole-attempts"]
    assert attempts[2] >= 2
    assert attempts[5] >= 2


def test_functions_are_mapped_in_executors_that_are_other_processes(said: dict[str, Any]) -> None:
    assert said["mapped"]
