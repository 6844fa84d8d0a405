# mypy: disable-error-code="no-untyped-def"
"""What a failure on executors of their own is told as: provoked, not made up."""

import ast
from typing import Any

import pytest

from tests.spark.test_cluster import START
from tests.spark.test_liveness import lines_of

pytestmark = pytest.mark.spark

SETTINGS = '"spark.task.maxFailures": "1"'
STRICTER = """"spark.task.maxFailures": "1", "spark.stage.maxConsecutiveAttempts": "1",
    "spark.driver.maxResultSize": "1m", "spark.local.dir": tempfile.mkdtemp()"""
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
spark.stop()
"""


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    start = START.replace(SETTINGS, STRICTER)
    return {
        what: ast.literal_eval(told)
        for what, told in lines_of(start + PROVOKED, "400", seconds=550).items()
    }


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


CUT_OFF = """
import time
from actors_rs.spark import SparkPartitionError

def cut_off(how, mark):
    def cut(batches):
        import os, signal, time

        def parent(process):
            stat = open(f"/proc/{process}/stat").read()
            return int(stat.rpartition(")")[2].split()[1])

        for number, batch in enumerate(batches):
            yield batch
            time.sleep(0.05)  # else all of it is computed before anything is sent
            if number == 30 and not os.path.exists(mark):
                open(mark, "w").close()
                if how == "raised":
                    raise ValueError("row 30 is bad")
                worker = os.getpid()
                os.kill(worker if how == "worker" else parent(parent(worker)), signal.SIGKILL)
                time.sleep(30)
    return cut

spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 10_000)
for how in ("raised", "worker", "executor"):
    df = spark.range(0, 1_000_000, numPartitions=1)
    df = df.mapInArrow(cut_off(how, str(folder / how)), df.schema)
    with ActorSystem() as system:
        source = SparkSource.arrow(df, max_partition_bytes=100_000)
        try:
            system.start(source.to(Sink.count())).result(150)
        except SparkPartitionError as error:
            tell(how, (error.kind.name, str(error)))
spark.stop()
"""


@pytest.fixture(scope="module")
def cut_off() -> dict[str, Any]:
    start = START.replace(SETTINGS, '"spark.task.maxFailures": "3"')
    return {
        how: ast.literal_eval(told)
        for how, told in lines_of(start + CUT_OFF, "400", seconds=550).items()
    }


@pytest.mark.parametrize(
    ("how", "kind", "said"),
    [
        ("raised", "USER_CODE", "ValueError: row 30 is bad"),
        ("worker", "WORKER_LOST", "Python worker exited unexpectedly"),
        ("executor", "EXECUTOR_LOST", "ExecutorLostFailure"),
    ],
)
def test_what_cut_a_streamed_partition_off_is_told_though_spark_tried_again(
    cut_off: dict[str, Any], how: str, kind: str, said: str
) -> None:
    assert cut_off[how][0] == kind
    assert said in cut_off[how][1]
