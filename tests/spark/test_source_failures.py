"""What becomes of a run whose JVM is killed or whose session is stopped."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.spark

PROGRAM_START = """
import signal, threading, time
from actors_rs import ActorSystem, Sink
from actors_rs.spark import SparkSource, local_session

def session():
    return local_session(master="local[2]", short_lived=True, conf={
        "spark.driver.memory": "512m", "spark.sql.execution.arrow.maxRecordsPerBatch": "10"})

def sleeping(batches):
    import time
    time.sleep(600)
    yield from batches

def until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        threading.Event().wait(0.02)

def jobs_running():
    return len(spark.sparkContext.statusTracker().getActiveJobsIds())

def kill():
    spark.sparkContext._gateway.proc.send_signal(signal.SIGKILL)

def ended(what, run, end):
    began = time.monotonic()
    end()
    try:
        run.result(timeout=30)
        print(what, "completed", flush=True)
    except Exception as error:
        in_time = "in time" if time.monotonic() - began < 10 else "late"
        print(what, in_time, type(error).__name__, error, flush=True)

def last(what):
    left = [t.name for t in threading.enumerate() if t.name.startswith("actors")]
    print(what, "left", left, flush=True)

class Once:
    def __init__(self):
        self.subscription = None
        self.got, self.ended = [], threading.Event()
    def on_subscribe(self, subscription): self.subscription = subscription
    def on_next(self, element): self.got.append(element)
    def on_error(self, error): self.error = error; self.ended.set()
    def on_complete(self): self.error = None; self.ended.set()
    def result(self, timeout):
        assert self.ended.wait(timeout), "hangs"
        raise self.error

spark = session()
"""

KILLED = """
slow = spark.range(0, 8, 1, 8).mapInArrow(sleeping, "id long")
with ActorSystem() as system:
    run = system.start(SparkSource.arrow(slow).to(Sink.list()))
    until(lambda: jobs_running() == 2)
    ended("running", run, kill)
last("running")

spark = session()
slow = spark.range(0, 8, 1, 8).mapInArrow(sleeping, "id long").groupBy("id").count()
with ActorSystem() as system:
    run = system.start(SparkSource.rows(slow).to(Sink.list()))
    until(lambda: jobs_running() == 1)
    ended("planning", run, kill)
last("planning")

spark = session()
with ActorSystem() as system:
    subscriber = Once()
    system.publisher(SparkSource.arrow(spark.range(0, 100_000, 1, 2))).subscribe(subscriber)
    until(lambda: subscriber.subscription)
    subscriber.subscription.request(1)
    until(lambda: subscriber.got and system.children()[0].logic._fetches[0].credit._value == 0)
    ended("waiting", subscriber, kill)
last("waiting")
"""

STOPPED = """
slow = spark.range(0, 8, 1, 8).mapInArrow(sleeping, "id long")
with ActorSystem() as system:
    run = system.start(SparkSource.arrow(slow).to(Sink.list()))
    until(lambda: jobs_running() == 2)
    ended("running", run, spark.stop)
    ended("later", system.start(SparkSource.rows(slow).to(Sink.list())), lambda: None)
last("stopped")
"""


def output_of(program: str) -> dict[str, str]:
    """What a program prints, by the word its lines begin with; its end is part of the promise."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM_START + program],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    assert done.returncode == 0, done.stderr
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    assert not [rest for _, rest in lines if rest.startswith("left") and rest != "left []"]
    return {word: rest for word, rest in lines if not rest.startswith("left")}


def test_a_killed_jvm_fails_the_run_in_time_and_no_thread_hangs() -> None:
    said = output_of(KILLED)
    assert sorted(said) == ["planning", "running", "waiting"]
    for what, during in [
        ("running", "partition"),
        ("planning", "planning"),
        ("waiting", "partition 0"),
    ]:
        lost = r"in time SparkSessionLost Spark's JVM \(process \d+\) was killed by SIGKILL"
        assert re.match(f"{lost} during {during}", said[what]), said[what]


def test_a_stopped_session_fails_runs_that_are_under_way_and_later_ones() -> None:
    said = output_of(STOPPED)
    lost = "in time SparkSessionLost the Spark session was stopped by other code during "
    assert said["running"] in (lost + "partition 0", lost + "partition 1")
    assert said["later"] == lost + "planning"
