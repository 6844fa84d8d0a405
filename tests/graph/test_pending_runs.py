# mypy: disable-error-code="attr-defined, assignment, misc, union-attr, var-annotated"
"""Runs of hubs and processors that have not begun, made while their system ends."""

import threading

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.engine.run.pending import PendingRuns
from actors_rs.engine.watching.stall_watch import StallWatch
from tests.graph.helpers import SECONDS, Book, Feed, wait_until

MAKERS = {
    "hub": lambda system: Source.of(1).hub(system),
    "processor": lambda system: system.processor(Flow().map(str)),
}


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("ends", ["shutdown", "stop_soon"])
def test_a_run_that_is_made_as_its_system_closes_ends(monkeypatch, kind, ends):
    system, enter = ActorSystem(), PendingRuns.enter

    def enter_late(pending, scope):
        system.shutdown(drain=False) if ends == "shutdown" else system.stop_soon()
        enter(pending, scope)

    monkeypatch.setattr(PendingRuns, "enter", enter_late)
    made = MAKERS[kind](system)
    assert made.run.wait(SECONDS)
    assert made.run.state == "cancelled"
    if kind == "processor":
        feed = Feed()
        feed.subscribe(made)
        wait_until(lambda: feed.cancelled)
    system.shutdown(drain=False)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("others", [False, True], ids=["alone", "after another one"])
def test_a_run_that_is_made_while_the_shutdown_drains_others_ends_with_it(kind, others):
    def slowly(n):
        begun.set()
        assert gate.wait(SECONDS)
        return n

    system, begun, gate = ActorSystem(), threading.Event(), threading.Event()
    drained = system.start(Source.of(1).map(slowly).to(Sink.list()))
    earlier = MAKERS[kind](system) if others else None
    assert begun.wait(SECONDS)
    shutdown = threading.Thread(target=system.shutdown)
    shutdown.start()
    wait_until(lambda: drained._scope.draining and (earlier is None or earlier.run.done()))
    late = MAKERS[kind](system)
    gate.set()
    shutdown.join(SECONDS)
    assert late.run.wait(SECONDS)
    assert late.run.state == "cancelled"
    assert drained.result() == [1]


def test_a_run_that_was_cancelled_before_it_began_is_watched_no_longer_than_it_lives():
    with ActorSystem(stall_after=None) as system:
        hub = Source.never().hub(system)
        hub.run.cancel()
        hub.subscribe(book := Book(first=1))
        assert isinstance(book.wait(), Exception)
        wait_until(lambda: not system.children())
        wait_until(lambda: not StallWatch.of(system)._runs)
