"""One night's work on a cluster, in which the driver, the context and the JVM are lost in turn."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from actors_rs.delivery import Entry, status
from actors_rs.errors import LedgerError
from tests.spark.jobs import until
from tests.spark.master import CLUSTER, VARIABLE
from tests.spark.test_resume import rows_in

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]  # four sessions, one after the other

PATIENCE = 300.0
PARTITIONS = 16
ROWS = 5 * PARTITIONS
IN_FLIGHT = 2

PROGRAM = f"""
import signal, sys
from pathlib import Path
from actors_rs import ActorSystem, Graph, Sink
from actors_rs.delivery import Ledger
from actors_rs.spark import SparkSessionLost, SparkSource, local_session
from tests.spark.jobs import until
from tests.spark.master import CONF, MASTER
from stress.test_spark_cluster_losses import committed, gated
from tests.spark.test_resume import INSERT, SETUP, values

folder = Path(sys.argv[1])

def session():
    return local_session(master=MASTER, short_lived=True, conf={{
        **CONF, "spark.driver.memory": "512m"}})

def night(spark):
    df = spark.range(0, {ROWS}, 1, {PARTITIONS}).mapInArrow(gated(folder), "id long")
    source = SparkSource.arrow(df, in_flight={IN_FLIGHT}, ordered=False)
    files, rows = source.resume(Ledger(folder / "ledger")).broadcast(2)
    return Graph(files.to(Sink.parquet(folder / "out")),
                 rows.flat_map(values).to(Sink.sqlite(folder / "rows", INSERT, setup=SETUP)))

def lose(spark, up_to, how):
    with ActorSystem() as system:
        run = system.start(night(spark))
        open_to(up_to)
        until(lambda: len(committed(folder)) == up_to, {PATIENCE})
        how()
        try:
            run.result({PATIENCE})
        except SparkSessionLost as error:
            print("LOST", error, flush=True)

def open_to(partition):
    (folder / "next").write_text(str(partition))
    (folder / "next").rename(folder / "open")
"""

UNTIL_KILLED = """
lose(session(), 4, signal.pause)
"""

LOST_TWICE_AND_FINISHED = f"""
spark = session()
lose(spark, 8, spark.stop)
spark = session()
jvm = spark.sparkContext._gateway.proc
lose(spark, 12, lambda: jvm.send_signal(signal.SIGKILL))
spark = session()
with ActorSystem() as system:
    open_to(1000)
    system.start(night(spark)).result({PATIENCE})
spark.stop()
"""


def gated(folder: Path) -> Any:
    """Partitions before the number in the file "open" are computed, the others wait for it."""
    path = str(folder)

    def wait(batches: Any) -> Any:
        import os
        import time
        from pathlib import Path

        from pyspark import TaskContext

        rows = list(batches)
        number = TaskContext.get().partitionId()  # type: ignore[union-attr]
        Path(path, "workers", str(os.getpid())).touch()
        while number >= int(Path(path, "open").read_text()):
            time.sleep(0.05)
        yield from rows

    return wait


def committed(folder: Path) -> list[Entry]:
    """What the ledger says of the partitions that are done."""
    try:
        entries = status(folder / "ledger").partitions
    except LedgerError:  # there is none yet
        return []
    return [entry for entry in entries if entry.state == "committed"]


@contextmanager
def driver(program: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that works on; it is killed in the end."""
    with (folder / "said").open("a") as said:
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM + program, str(folder)],
            stdout=said,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, VARIABLE: CLUSTER, "PYTHONPATH": os.getcwd()},
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def children_of(parents: set[int]) -> set[int]:
    """The processes whose parents these are, and theirs, and so on."""
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = Path("/proc", name, "stat").read_text()
        except OSError:  # it has just ended
            continue
        if int(stat.rpartition(")")[2].split()[1]) in parents:
            found.add(int(name))
    return found | children_of(found) if found else found


def are_gone(processes: set[int]) -> bool:
    return not any(Path("/proc", str(process)).exists() for process in processes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What three losses and four runs have left."""
    folder = tmp_path_factory.mktemp("losses")
    (folder / "workers").mkdir()
    (folder / "open").write_text("0")
    with driver(UNTIL_KILLED, folder) as killed:
        until(lambda: len(committed(folder)) == 4 or killed.poll() is not None, PATIENCE)
        assert killed.poll() is None, (folder / "said").read_text()
        processes = children_of({killed.pid})
    until(partial(are_gone, processes), PATIENCE)
    before = committed(folder)
    with driver(LOST_TWICE_AND_FINISHED, folder) as finishing:
        assert finishing.wait(4 * PATIENCE) == 0, (folder / "said").read_text()
    assert len(before) == 4
    assert committed(folder)[:4] == before, "committed work was done again"
    return folder


def test_each_row_is_written_once_whatever_was_lost(folder: Path) -> None:
    assert rows_in(folder / "rows") == list(range(ROWS))
    assert pq.read_table(folder / "out").column(0).to_pylist() == list(range(ROWS))


def test_only_partitions_that_were_under_way_are_computed_again(folder: Path) -> None:
    attempts = [entry.attempts for entry in committed(folder)]
    assert len(attempts) == PARTITIONS
    assert sum(attempts) <= PARTITIONS + 3 * IN_FLIGHT
    assert {number for number, n in enumerate(attempts) if n > 1} <= {4, 5, 8, 9, 12, 13}


def test_each_loss_is_told_by_its_cause(folder: Path) -> None:
    said = (folder / "said").read_text().splitlines()
    stopped, killed = (line for line in said if line.startswith("LOST "))
    assert "the Spark session was stopped by other code during partition" in stopped
    assert "was killed by SIGKILL during partition" in killed


def test_no_python_worker_outlives_its_driver(folder: Path) -> None:
    workers = {int(mark.name) for mark in (folder / "workers").iterdir()}
    assert workers
    until(partial(are_gone, workers), PATIENCE)
