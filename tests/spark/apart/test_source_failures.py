"""What becomes of a run whose JVM is killed or whose session is stopped.

How soon is measured in stress/test_spark_lost.py.
"""

import re

import pytest

from tests.spark.jobs import SLOW_JOBS
from tests.spark.programs import lines_of

pytestmark = [pytest.mark.spark, pytest.mark.timeout(330)]  # two sessions

PROGRAM = (
    """
import signal, threading, time
from actors_rs import ActorSystem, Sink
from actors_rs.spark import SparkSource, local_session
from tests.spark.master import CONF, MASTER

def session():
    return local_session(master=MASTER, short_lived=True, conf={
        **CONF, "spark.driver.memory": "512m",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "10"})

"""
    + SLOW_JOBS
    + """
def tell(what, run):
    try:
        print(what, "completed", run.result(timeout=60), flush=True)  # its jobs would take 600 s
    except Exception as error:
        print(what, type(error).__name__, error, flush=True)

class Asking:
    def __init__(self):
        self.subscription = None
        self.got, self.ended = [], threading.Event()
    def on_subscribe(self, subscription):
        self.subscription = subscription
    def on_next(self, element):
        self.got.append(element)
    def on_error(self, error):
        self.error = error
        self.ended.set()
    def on_complete(self):
        self.on_error(EOFError())
    def result(self, timeout):
        assert self.ended.wait(timeout), "it hangs"
        raise self.error

spark = session()
with ActorSystem() as system:
    run = system.start(SparkSource.arrow(slow(8)).to(Sink.list()))
    until(lambda: jobs_running() == 2)
    later = SparkSource.rows(slow(2)).to(Sink.list())
    spark.stop()
    tell("stopped", run)
    tell("later", system.start(later))

spark = session()
with ActorSystem() as system:
    waiting = Asking()
    system.publisher(SparkSource.arrow(spark.range(0, 100_000, 1, 2))).subscribe(waiting)
    until(lambda: waiting.subscription)
    waiting.subscription.request(1)
    until(lambda: waiting.got and not jobs_running())
    until(lambda: system.children()[0].planned[0].logic._fetches[0].demand._value == 0)
    running = system.start(SparkSource.arrow(slow(8), in_flight=1).to(Sink.list()))
    planning = system.start(SparkSource.rows(slow(2).groupBy("id").count()).to(Sink.list()))
    until(lambda: jobs_running() == 2)
    spark.sparkContext._gateway.proc.send_signal(signal.SIGKILL)
    tell("running", running)
    tell("planning", planning)
    tell("waiting", waiting)

print("threads", [t.name for t in threading.enumerate() if t.name.startswith("actors")])
"""
)


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """What the program prints, by the word each line begins with."""
    return lines_of(PROGRAM)


@pytest.mark.parametrize(
    ("what", "during"),
    [("running", "partition 0"), ("planning", "planning"), ("waiting", "partition 0")],
)
def test_a_killed_jvm_fails_what_runs_plans_or_waits(
    said: dict[str, str], what: str, during: str
) -> None:
    lost = r"SparkSessionLost Spark's JVM \(process \d+\) was killed by SIGKILL"
    where = r" \(stage 'spark_\w+', made at .*\)"
    assert re.fullmatch(f"{lost} during {during}; start a new session{where}", said[what])


def test_a_stopped_session_fails_runs_that_are_under_way_and_later_ones(
    said: dict[str, str],
) -> None:
    lost = "SparkSessionLost the Spark session was stopped by other code "
    ran = "while partitions 0, 1 were running (stage 'spark_"  # neither of them is at fault
    assert said["stopped"].startswith(lost + ran)
    assert said["later"].startswith(lost + "during planning (stage 'spark_")


def test_no_thread_hangs_when_the_session_is_lost(said: dict[str, str]) -> None:
    assert said["threads"] == "[]"
