# mypy: disable-error-code="misc, arg-type, var-annotated, no-any-return, no-untyped-def"
"""The advice to use ``map_async``: for functions that block, not for all that takes long."""

import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.graph import blocked, shell
from actors_rs.graph.blocked import Suspicion
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
    assert said.startswith("stage 'map': tests.graph.test_blocked.")
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
