# mypy: disable-error-code="no-untyped-def"
"""Executors that are processes of their own: killed, and with them their Python workers.

What a failure there is told as is provoked, not made up.
"""

import ast
from typing import Any

import pytest

from tests.spark.programs import lines_of

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

START = """
import os, signal, sqlite3, sys, tempfile
from pathlib import Path
from actors_rs import ActorSystem, Backoff, Sink, Source
from actors_rs.delivery import Ledger
from actors_rs.delivery.ledger import status
from actors_rs.spark import SparkSource, local_session, spark_map

folder = Path(tempfile.mkdtemp())

def cluster(executors, **conf):
    return local_session(master=f"local-cluster[{executors},1,1024]", short_lived=True, conf={
        "spark.driver.memory": "512m", "spark.executor.memory": "512m",
        "spark.executor.memoryOverhead": "384m",
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
        # Each attempt at a partition is one of ours; Spark would make four of it.
        "spark.task.maxFailures": "1", **conf})

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
    # Until Spark sees that an executor is gone, it sends tasks there: attempts go on until then.
    source = SparkSource.arrow(
        df, max_attempts=1000, backoff=Backoff(0.1, 1.0), **options
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

STRICT = """
stricter = {
    "spark.stage.maxConsecutiveAttempts": "1", "spark.driver.maxResultSize": "1m",
    "spark.local.dir": tempfile.mkdtemp()}
spark = cluster(2, **stricter)
"""

KILLED = """
run_with_kills("whole", 8, {2}, {5})

def elsewhere(n, driver=os.getpid()):
    import os
    return n * n, os.getpid() != driver

with ActorSystem() as system:
    got = system.start(Source.range(0, 100).via(spark_map(elsewhere, spark)).to(Sink.list()))
    tell("mapped", got.result(120) == [(n * n, True) for n in range(100)])
"""


PROVOKED = """
from actors_rs.spark import SparkPartitionError

def kind_of(name, source):
    with ActorSystem() as system:
        try:
            system.start(source.to(Sink.count())).result(150)
        except SparkPartitionError as error:
            tell(name, error.kind.name)
            tell(name + "_says", str(error))
        else:
            tell(name, "nothing failed")

def numbers(kill):
    df = spark.range(0, 4, numPartitions=1)
    return SparkSource.arrow(df.mapInArrow(kill, df.schema))

# more than the driver takes
large = spark.range(0, 1, numPartitions=1).selectExpr("repeat('x', 3000000) AS x")
kind_of("large", SparkSource.arrow(large))

# what a shuffle has written is gone
rdd = spark.range(0, 1000, numPartitions=2).repartition(2).rdd
rdd.count()
for file in Path(spark.conf.get("spark.local.dir")).rglob("shuffle_*.data"):
    file.unlink()
kind_of("fetch", SparkSource.partitions(rdd, in_flight=1))

kind_of("worker", numbers(killing(folder, {0}, ())))
(folder / "0").unlink()
kind_of("executor", numbers(killing(folder, (), {0})))
jvm = spark.sparkContext._jvm
spark.stop()
"""


CUT_OFF = """
import time
from actors_rs.spark import SparkPartitionError

def cut_off(how, mark, taken):
    def cut(batches):
        import os, signal, time

        def parent(process):
            stat = open(f"/proc/{process}/stat").read()
            return int(stat.rpartition(")")[2].split()[1])

        for number, batch in enumerate(batches):
            yield batch
            if os.path.exists(mark):
                continue
            if number == 30:
                until = time.monotonic() + 120
                while not os.path.exists(taken) and time.monotonic() < until:
                    time.sleep(0.01)  # rows of it have to come before it is cut off
                open(mark, "w").close()
                if how == "raised":
                    raise ValueError("row 30 is bad")
                worker = os.getpid()
                os.kill(worker if how == "worker" else parent(parent(worker)), signal.SIGKILL)
                time.sleep(30)
    return cut

for setting in stricter:  # the JVM is the same, and has them for all that follows
    jvm.java.lang.System.clearProperty(setting)
spark = cluster(1, **{"spark.task.maxFailures": "2"})
spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 10_000)
for how in ("raised", "worker", "executor"):
    df = spark.range(0, 1_000_000, numPartitions=1)
    taken = folder / f"{how}.taken"
    df = df.mapInArrow(cut_off(how, str(folder / how), str(taken)), df.schema)
    with ActorSystem() as system:
        source = SparkSource.arrow(df, max_partition_bytes=100_000)
        try:
            system.start(source.to(Sink.for_each(lambda batch: taken.touch()))).result(150)
        except SparkPartitionError as error:
            tell(f"cut_off_{how}", (error.kind.name, str(error)))
spark.stop()
"""


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    """The lines of one program. Its two clusters follow each other and have one JVM as driver."""
    program = START + STRICT + KILLED + PROVOKED + CUT_OFF
    told = lines_of(program, "400", seconds=850)
    return {what: ast.literal_eval(value) for what, value in told.items()}


def test_killed_workers_and_executors_cost_attempts_and_no_row(said: dict[str, Any]) -> None:
    assert said["whole-complete"]
    attempts = said["whole-attempts"]
    assert attempts[2] >= 2
    assert attempts[5] >= 2


def test_functions_are_mapped_in_executors_that_are_other_processes(said: dict[str, Any]) -> None:
    assert said["mapped"]


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        ("worker", "WORKER_LOST"),
        ("executor", "EXECUTOR_LOST"),
        ("fetch", "FETCH_FAILED"),
        ("large", "TOO_LARGE"),
    ],
)
def test_what_made_a_partition_fail_is_told(said: dict[str, Any], cause: str, kind: str) -> None:
    assert said[cause] == kind


def test_a_result_that_is_too_large_says_what_to_do(said: dict[str, Any]) -> None:
    assert said["large_says"].startswith("partition 0 failed: org.apache.spark.SparkException: ")
    assert "is bigger than spark.driver.maxResultSize" in said["large_says"]
    assert "; read it in pieces with max_partition_bytes=... " in said["large_says"]
    assert ", or raise spark.driver.maxResultSize (stage " in said["large_says"]


@pytest.mark.parametrize(
    ("how", "kind", "text"),
    [
        ("raised", "USER_CODE", "ValueError: row 30 is bad"),
        ("worker", "WORKER_LOST", "Python worker exited unexpectedly"),
        ("executor", "EXECUTOR_LOST", "ExecutorLostFailure"),
    ],
)
def test_what_cut_a_streamed_partition_off_is_told_though_spark_tried_again(
    said: dict[str, Any], how: str, kind: str, text: str
) -> None:
    told, message = said[f"cut_off_{how}"]
    assert told == kind
    assert text in message
