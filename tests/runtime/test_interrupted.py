# mypy: disable-error-code="var-annotated"
"""Ctrl-C at each place of a call where it may come: what the program does behind it still works."""

import sys
import threading

import pytest

from actors_rs import ActorSystem, PooledActor, Sink, Source
from actors_rs.engine.island import Island
from actors_rs.runtime._primitives import living_threads
from actors_rs.runtime.dispatch.timers import Timers
from actors_rs.runtime.system.exit import enrolled
from actors_rs.testing.leaks import no_leaks
from tests.runtime.interrupting import interrupted_everywhere
from tests.runtime.support import DEADLINE, behind, eventually


class Echo(PooledActor):
    def on_receive(self, message):
        return message


class Pinned(Echo):
    dispatcher = "pinned"


@pytest.fixture
def system():
    with ActorSystem(workers=1, max_workers=1, shutdown_timeout=DEADLINE) as system:
        yield system


@pytest.mark.parametrize("kind", [Echo, Pinned])
def test_an_actor_that_was_told_answers_who_asks_next(system, kind):
    told = system.spawn(kind)
    sleepers = behind(told)._dispatcher_._workers._queue._sleepers
    eventually(lambda: sleepers)
    for place in interrupted_everywhere(lambda: told.tell(1)):
        assert told.ask(place, timeout=DEADLINE) == place
        eventually(lambda: sleepers)  # so that the next one has a thread to wake
    assert place >= 5  # fewer where Python inlines more calls


def test_a_queue_takes_more_and_its_stream_gives_all_that_was_taken(system):
    given = []

    def offer():
        given.append(queue.offer(1))

    run, queue = fresh(system)
    for _ in interrupted_everywhere(offer):
        assert queue.offer(2)
        queue.complete()
        assert run.result(DEADLINE) in ([1, 2], [2])
        run, queue = fresh(system)
    queue.complete()


def fresh(system):
    run = system.start(Source.queue(10).to(Sink.list()))
    return run, run.queue()


@pytest.mark.parametrize(
    "call",
    [
        lambda system: system.spawn(Echo),
        lambda system: system.spawn(Echo).ask(1),
        lambda system: system.spawn(Echo).stop(),
        lambda system: system.start(Source.range(0, 10).map(str).to(Sink.list())),
        lambda system: system.start(Source.repeat(1).to(Sink.ignore())).cancel(),
    ],
    ids=["spawn", "ask", "stop", "start", "cancel"],
)
def test_the_system_ends_at_once_and_leaves_nothing(call):
    def interrupt():
        call(systems[-1])

    with no_leaks():
        systems = [ActorSystem(workers=1)]
        for _ in interrupted_everywhere(interrupt):
            systems[-1].shutdown(drain=False, timeout=DEADLINE)
            assert not systems[-1].children()
            systems[:] = [ActorSystem(workers=1)]
        systems[-1].shutdown(drain=False, timeout=DEADLINE)


def test_a_stage_that_had_just_been_started_ends_in_a_turn_of_its_own(system, monkeypatch):
    adopt, close, ended_on = system.adopt, Island._close_, {}

    def interrupted(actor):
        adopt(actor)
        raise KeyboardInterrupt

    def noted(actor, error):
        ended_on[actor.name] = threading.current_thread()
        close(actor, error)

    monkeypatch.setattr(Island, "_close_", noted)
    monkeypatch.setattr(system, "adopt", interrupted)
    with pytest.raises(KeyboardInterrupt):
        system.start(Source.repeat(1).async_boundary().to(Sink.ignore()))
    eventually(lambda: not system.children())
    assert ended_on["repeat"] is not threading.current_thread()
    assert ended_on["ignore"] is threading.current_thread(), "it was never started"


def test_the_default_system_ends_with_its_last_actor_so_that_the_process_can():
    before = set(living_threads())
    for _ in interrupted_everywhere(lambda: Echo.start().stop()):
        for actor in [actor for system in enrolled() for actor in system.children()]:
            actor.actor_ref.stop()  # of whom ``start`` may not have told anybody any more
        for thread in set(living_threads()) - before:
            if not thread.daemon:
                thread.join(DEADLINE)
                assert not thread.is_alive()


def test_timers_that_are_set_behind_it_ring():
    timers = Timers("test-timers")
    for _ in interrupted_everywhere(lambda: timers.after(0.0, lambda: None)):
        rung = threading.Event()
        timers.after(0.0, rung.set)
        assert rung.wait(DEADLINE)
    timers.close(DEADLINE)


def at_depth(left, call):
    return call() if left <= 0 else at_depth(left - 1, call)


def test_who_tells_as_deep_as_python_goes_makes_no_actor_deaf(system):
    told = system.spawn(Echo)
    told.ask(0)
    refused = 0
    for spare in range(60):
        try:
            at_depth(sys.getrecursionlimit() - spare, lambda: told.tell(1))
        except RecursionError:
            refused += 1
        assert told.ask(spare, timeout=DEADLINE) == spare
    assert 0 < refused < 60
