# mypy: disable-error-code="misc, arg-type, var-annotated, no-any-return, no-untyped-def"
"""The advice to use ``map_async``, or to pin: for functions that block, not for all that lasts."""

import threading

import pytest

from actors_rs import ActorSystem, PooledActor, Sink, Source
from actors_rs.graph import shell
from actors_rs.runtime import actor_core, blocked
from actors_rs.runtime.blocked import Suspicion
from tests.graph.helpers import SECONDS, wait_until


def advice(caplog):
    return [r.getMessage() for r in caplog.records if "blocked a pool thread" in r.getMessage()]


class Clocks:
    """What the suspicion reads: the processor time of this thread, and of the process."""

    def __init__(self, monkeypatch):
        self.thread = self.process = 0.0
        monkeypatch.setattr(blocked, "thread_seconds", lambda: self.thread)
        monkeypatch.setattr(blocked, "cpu_seconds", lambda: self.process)

    def judged(self, thread, process, function="mine.f (mine.py:1)"):
        """What is said of a turn of one second that used so many seconds."""
        suspicion, said = Suspicion(), []
        suspicion.begin()
        suspicion._function = function
        self.thread += thread
        self.process += process
        suspicion.judge(1.0, said.append)
        suspicion.judge(1.0, said.append)
        return said


@pytest.mark.parametrize(
    ("thread", "process", "function", "said"),
    [
        (0.01, 0.01, "f", ["f"]),  # it blocks
        (0.01, 0.4, "f", ["f"]),  # others compute a little
        (1.0, 1.0, "f", []),  # it computes
        (0.1, 0.1, "f", []),  # it computes, on a machine that has too much to do
        (0.0, 1.0, "f", []),  # it may have waited for the interpreter's lock
        (0.0, 0.0, "", []),  # no function of the user's: a stage of the library waits for a disk
    ],
)
def test_only_a_turn_without_processor_time_blocks(monkeypatch, thread, process, function, said):
    assert Clocks(monkeypatch).judged(thread, process, function) == said


def test_a_function_that_blocks_again_is_named_once(monkeypatch, caplog):
    monkeypatch.setattr(shell, "SLOW_TURN_SECONDS", 0.001)
    stage_looks, go_on = [], threading.Event()
    look = Suspicion.look

    def looked(suspicion, thread, code, owner):
        look(suspicion, thread, code, owner)
        stage_looks.append(suspicion._function)
        go_on.set()

    monkeypatch.setattr(Suspicion, "look", looked)
    monkeypatch.setattr(blocked, "cpu_seconds", lambda: 0.0)
    monkeypatch.setattr(blocked, "thread_seconds", lambda: 0.0)

    def waits_for_a_server(n):
        go_on.clear()
        go_on.wait(SECONDS if n else 0.05)  # the first call makes its stage suspected
        return n

    with ActorSystem(workers=2) as system:
        graph = Source.range(0, 4).map(waits_for_a_server).to(Sink.ignore())
        system.start(graph).result(SECONDS)
    (said,) = advice(caplog)
    assert said.startswith("stage 'map': tests.runtime.test_blocked.")
    assert "waits_for_a_server (" in said
    assert said.endswith("use map_async or with_attributes(dispatcher='pinned')")


def test_a_computation_and_map_async_are_not_advised(monkeypatch, caplog):
    monkeypatch.setattr(shell, "SLOW_TURN_SECONDS", -1.0)  # every turn is suspected
    with ActorSystem(workers=2) as system:
        numbers = Source.range(0, 200).map(lambda n: sum(range(1000)))
        system.start(numbers.to(Sink.list())).result(SECONDS)
        gate = threading.Event()
        slow = Source.range(0, 4).map_async(lambda n: gate.wait(SECONDS), 4)
        run = system.start(slow.to(Sink.ignore()))
        wait_until(lambda: stage_details(run)["under_way"] == 4)
        gate.set()
        run.result(SECONDS)
    assert advice(caplog) == []


def stage_details(run):
    return next((s.details for s in run.snapshot().stages if "map_async" in s.name), None) or {
        "under_way": 0
    }


class Blocks(PooledActor):
    def on_receive(self, gate):
        return gate.wait(0.005)

    def called(self, gate):
        return gate.wait(0.005)


@pytest.fixture
def every_turn_is_slow(monkeypatch):
    monkeypatch.setattr(actor_core, "SLOW_TURN_SECONDS", -1.0)
    monkeypatch.setattr(actor_core, "TURN_SECONDS", 0.0)


@pytest.fixture
def no_processor_time(monkeypatch):
    monkeypatch.setattr(blocked, "cpu_seconds", lambda: 0.0)
    monkeypatch.setattr(blocked, "thread_seconds", lambda: 0.0)


def ask_for(kind, ask, times=4):
    with ActorSystem(workers=2) as system:
        for ref in (system.spawn(kind), system.spawn(kind)):
            for _ in range(times):
                ask(ref)


def fresh(kind):
    """A class that has not been suspected yet."""
    return type(kind.__name__, (kind,), {})


@pytest.mark.usefixtures("every_turn_is_slow", "no_processor_time")
@pytest.mark.parametrize(
    ("ask", "function"),
    [
        (lambda ref: ref.ask(threading.Event(), timeout=SECONDS), "on_receive"),
        (lambda ref: ref.proxy().called(threading.Event()).get(timeout=SECONDS), "called"),
    ],
)
def test_a_handler_that_blocks_again_is_named_once_for_its_class(caplog, ask, function):
    ask_for(fresh(Blocks), ask)
    (said,) = advice(caplog)
    assert said.startswith("Blocks (urn:uuid:")
    assert f": tests.runtime.test_blocked.Blocks.{function} (" in said
    assert said.endswith(" ms: set dispatcher = 'pinned'")


@pytest.mark.usefixtures("every_turn_is_slow")
def test_a_handler_that_computes_is_not_advised(monkeypatch, caplog):
    clock = iter(range(100_000))
    monkeypatch.setattr(blocked, "thread_seconds", lambda: float(next(clock)))
    monkeypatch.setattr(blocked, "cpu_seconds", lambda: 0.0)
    ask_for(fresh(Blocks), lambda ref: ref.ask(threading.Event(), timeout=SECONDS))
    assert advice(caplog) == []


@pytest.mark.usefixtures("every_turn_is_slow", "no_processor_time")
def test_a_pinned_actor_and_one_that_is_slow_once_are_not_advised(caplog):
    class Pinned(Blocks):
        dispatcher = "pinned"

    def ask(ref):
        ref.ask(threading.Event(), timeout=SECONDS)

    ask_for(Pinned, ask)
    ask_for(fresh(Blocks), ask, times=1)
    assert advice(caplog) == []
