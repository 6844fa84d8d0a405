"""A JVM that is killed or frozen ends what runs on it, and no thread stays behind."""

import os
import re
import socket
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from actors_rs.spark import liveness
from actors_rs.testing.faults import threads_refused
from tests.spark.jobs import SLOW_JOBS, until
from tests.spark.programs import lines_of

pytestmark = pytest.mark.spark

START = (
    """
import os, signal, sys, threading, time
from actors_rs import ActorSystem, Sink
from actors_rs.spark import SparkSource, liveness, local_session
from tests.spark.master import CONF, MASTER

MOST = float(sys.argv[1])  # seconds
if len(sys.argv) > 2:
    liveness.STOPPED_PATIENCE = float(sys.argv[2])
    liveness.GREET_EVERY = 0.2

"""
    + SLOW_JOBS
    + """
def nobody_watches():
    return "spark-liveness" not in [thread.name for thread in threading.enumerate()]

def tell(what, run, began):
    try:
        print(what, "completed", run.result(timeout=2 * MOST), flush=True)
    except Exception as error:
        in_time = "in time" if time.monotonic() - began < MOST else "late"
        print(what, in_time, type(error).__name__, error, flush=True)

spark = local_session(master=MASTER, short_lived=True, conf={
    **CONF, "spark.driver.memory": "512m",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "10"})
gateway = spark.sparkContext._gateway
process = gateway.proc
"""
)

FROZEN_WORKER = """
def children_of(parents):
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            stat = open(f"/proc/{name}/stat").read()
        except OSError:
            continue
        if int(stat.rpartition(")")[2].split()[1]) in parents:
            found.append(int(name))
    return found

def workers():
    return children_of(children_of([process.pid]))

with ActorSystem() as system:
    running = system.start(SparkSource.arrow(slow(2), in_flight=1).to(Sink.list()))
    until(lambda: jobs_running() == 1 and workers())
    frozen = workers()
    for worker in frozen:
        os.kill(worker, signal.SIGSTOP)
    began = time.monotonic()
    running.cancel()
    tell("worker-cancelled", running, began)
    system.shutdown(timeout=2 * MOST)
    print("worker-shutdown", "in time" if time.monotonic() - began < MOST else "late")
    until(lambda: jobs_running() == 0)
for worker in set(frozen) & set(workers()):  # a number that is free again may be anybody's
    os.kill(worker, signal.SIGKILL)
"""

JVM_OF_OTHERS = """
until(nobody_watches)
gateway.proc = None
system = ActorSystem()
running = system.start(SparkSource.arrow(slow(8), in_flight=1).to(Sink.list()))
until(lambda: jobs_running() == 1)
began = time.monotonic()
process.send_signal(signal.SIGSTOP)
tell("others-running", running, began)
began = time.monotonic()
system.shutdown(timeout=1)
print("others-shutdown", "in time" if time.monotonic() - began < MOST else "late")
print("others-alive", process.poll() is None)
process.send_signal(signal.SIGCONT)
until(lambda: jobs_running() == 0 and nobody_watches())
gateway.proc = process
"""

FROZEN_JVM = """
with ActorSystem() as system:
    running = system.start(SparkSource.arrow(slow(8), in_flight=1).to(Sink.list()))
    planning = system.start(SparkSource.rows(slow(2).groupBy("id").count()).to(Sink.list()))
    until(lambda: jobs_running() == 2)
    cancelled = system.start(SparkSource.arrow(slow(2), in_flight=1).to(Sink.list()))
    until(lambda: jobs_running() == 3)
    later = SparkSource.arrow(slow(2)).to(Sink.list())
    began = time.monotonic()
    process.send_signal(signal.SIGSTOP)
    cancelled.cancel()
    tell("running", running, began)
    tell("planning", planning, began)
    tell("cancelled", cancelled, began)
    tell("later", system.start(later), began)
def left():
    return [t.name for t in threading.enumerate() if t.name.startswith("actors")]

until(lambda: not left())  # a call that was given up after its grace ends with the JVM
print("threads", left())
"""


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    return lines_of(START + FROZEN_WORKER + JVM_OF_OTHERS + FROZEN_JVM, "60", "2")


LOST = r"in time SparkSessionLost Spark's JVM( \(process \d+\))? is frozen: it did not answer"


def test_a_frozen_jvm_fails_every_run_on_it_and_is_killed(said: dict[str, str]) -> None:
    for what in ("running", "planning", "later"):
        assert re.match(LOST, said[what]), said
        assert "so it was killed" in said[what]
        assert "start a new session (stage 'spark_" in said[what]
    assert said["cancelled"].startswith("in time RunCancelled")


def test_no_thread_hangs_in_a_frozen_jvm(said: dict[str, str]) -> None:
    assert said["threads"] == "[]"


def test_a_frozen_jvm_that_others_started_is_left_alone_and_ends_the_run_too(
    said: dict[str, str],
) -> None:
    assert re.match(LOST, said["others-running"]), said
    assert said["others-shutdown"] == "in time"
    assert said["others-alive"] == "True"


def test_a_frozen_python_worker_hinders_neither_cancel_nor_shutdown(said: dict[str, str]) -> None:
    assert said["worker-cancelled"].startswith("in time RunCancelled")
    assert said["worker-shutdown"] == "in time"


class Gateway:
    """A gateway whose JVM is a socket that takes connections and says nothing, or answers."""

    def __init__(self, answer: bytes = b"") -> None:
        self.proc: Any = None
        self.greeted = 0
        self._answer = answer
        self._server = socket.create_server(("127.0.0.1", 0))
        port = self._server.getsockname()[1]
        self.gateway_parameters = SimpleNamespace(
            address="127.0.0.1", port=port, auth_token="secret"
        )
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        kept = []
        while True:
            try:
                connection = self._server.accept()[0]
            except OSError:
                return
            kept.append(connection)
            assert connection.recv(100) == b"A\nsecret\n"
            self.greeted += 1
            if self._answer:
                connection.sendall(self._answer)

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "GREET_EVERY", 0.01)
    monkeypatch.setattr(liveness, "_LOOK_EVERY", 0.05)
    monkeypatch.setattr(liveness, "STOPPED_PATIENCE", 0.1)


@pytest.mark.usefixtures("quick")
def test_one_thread_greets_for_all_who_watch_and_tells_them_all() -> None:
    gateway = Gateway()
    told: list[int] = []
    for number in range(3):
        liveness.watch(gateway, lambda number=number: told.append(number))  # type: ignore[misc]
    until(lambda: len(told) == 3)
    assert sorted(told) == [0, 1, 2]
    assert "is frozen" in (liveness.why_frozen(gateway) or "")
    gateway.close()


@pytest.mark.usefixtures("quick")
def test_a_jvm_that_answers_is_greeted_until_nobody_watches() -> None:
    gateway = Gateway(b"!yv\n")
    told: list[int] = []
    with liveness.watch(gateway, lambda: told.append(1)):
        until(lambda: gateway.greeted > 3)
    until(lambda: "spark-liveness" not in [t.name for t in threading.enumerate()])
    assert told == []
    assert liveness.why_frozen(gateway) is None
    gateway.close()


@pytest.mark.usefixtures("quick")
def test_a_jvm_that_goes_on_after_it_was_given_up_is_not_frozen_any_more() -> None:
    gateway = Gateway()
    told: list[int] = []
    liveness.watch(gateway, lambda: told.append(1))
    until(lambda: told)
    gateway._answer = b"!yv\n"
    with liveness.watch(gateway):
        until(lambda: liveness.why_frozen(gateway) is None)
    gateway.close()


@pytest.mark.usefixtures("quick")
def test_where_there_was_no_thread_to_watch_on_the_next_who_watches_gets_one() -> None:
    gateway = Gateway()
    told: list[int] = []
    with threads_refused("spark-liveness"), pytest.raises(RuntimeError, match="new thread"):
        liveness.watch(gateway, lambda: told.append(0))
    with liveness.watch(gateway, lambda: told.append(1)):
        until(lambda: told)
    assert told == [1]
    gateway.close()


def test_behind_a_watchman_that_broke_another_one_is_looked_for() -> None:
    watchman = liveness._Watchman(SimpleNamespace())  # its address cannot be asked for
    assert watchman.take(liveness.Watch(lambda: None))
    with pytest.raises(AttributeError, match="gateway_parameters"):
        watchman.run()
    assert not watchman.take(liveness.Watch(lambda: None))


@pytest.mark.usefixtures("quick")
def test_a_process_that_the_system_runs_is_given_more_time() -> None:
    gateway = Gateway()
    gateway.proc = SimpleNamespace(pid=os.getpid(), kill=lambda: None)
    told: list[int] = []
    with liveness.watch(gateway, lambda: told.append(1)):
        until(lambda: gateway.greeted)
        assert not threading.Event().wait(0.5)
        assert told == []
    gateway.close()
