"""One partition that is four times the driver's heap: streamed, with memory that stays flat."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.spark

PROGRAM = """
import pathlib, sys
from actors_rs import ActorSystem, Sink
from actors_rs.spark import SparkSource, local_session
from tests.spark.master import CONF, MASTER

def resident():
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024

ROWS, WIDTH = 2_200_000, 1000
known = [f"id + {n} AS c{n}" for n in range(WIDTH // 8)]
columns = known if sys.argv[1] == "known" else ["id", f"repeat('x', {WIDTH}) AS text"]
spark = local_session(master=MASTER, conf={**CONF, "spark.driver.memory": "512m"})
df = spark.range(0, ROWS, 1, 1).selectExpr(*columns)
source = SparkSource.arrow(df, max_partition_bytes=16_000_000)
peak = [0.0]

def measured(batch):
    peak[0] = max(peak[0], resident())
    return batch.num_rows, batch.nbytes

before = resident()
rows = size = 0
with ActorSystem() as system:
    for n, bytes_ in system.start(source.map(measured).to(Sink.list())).result(500):
        rows, size = rows + n, size + bytes_
assert rows == ROWS, rows
assert size >= 4 * 512 * 1024 * 1024, size
print(round(peak[0] - before))
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("width", ["known", "unknown"])
def test_a_partition_of_four_times_the_drivers_heap_is_streamed(width: str) -> None:
    """Columns of known width are encoded by the JVM, others by the worker."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, width],
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    assert done.returncode == 0, done.stderr
    print(f"grew by {done.stdout.strip()} MiB")
    assert int(done.stdout) <= 150, "MiB beyond what this process had"
