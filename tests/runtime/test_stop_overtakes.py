# mypy: disable-error-code="override"
"""A system that is cancelled stops each of its actors before any further message."""

import asyncio
import threading

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, PooledActor
from actors_rs.runtime.supervision.child_spec import ChildSpec, Supervisor
from tests.runtime.support import behind, eventually, raises_at_the_end

BACKLOG = 500


class Slow(PooledActor):
    """Is in its first message until it is let go, and counts those that it has begun with."""

    def __init__(self, gate, handled, nap=None):
        super().__init__()
        self.gate, self.handled, self.nap = gate, handled, nap

    def on_receive(self, message):
        self.handled.append(message)
        self.gate.acquire(timeout=60)
        self.gate.release()
        if self.nap is not None:
            self.nap.wait(0.001)
        return "answer"


def plain(system, *args):
    return system.spawn(Slow, *args)


def supervised(system, *args):
    tree = Supervisor(children=[ChildSpec(Slow, args, name="slow")])
    return system.supervise(tree).child("slow")


def deeper(system, *args):
    inner = Supervisor(children=[ChildSpec(Slow, args, name="slow")], name="inner")
    return system.supervise(Supervisor(children=[inner])).child("inner/slow")


every_kind = pytest.mark.parametrize("make", [plain, supervised, deeper])


class Backlog:
    """An actor in its first message, behind which others lie, and a question."""

    def __init__(self, system, make):
        self.gate = threading.Semaphore(0)
        self.handled: list[object] = []
        self.ref = make(system, self.gate, self.handled, threading.Event())
        for number in range(BACKLOG):
            self.ref.tell(number)
        self.question = self.ref.ask("question", block=False)
        eventually(lambda: self.handled)
        self.system = system

    def is_told_to_stop(self):
        """Whether the stop, on its way from one supervisor to the next, has come to the actor."""
        return self.ref.actor_inbox.statistics().control > 0

    def check_that_the_rest_was_not_handled(self, beside=0):
        assert self.handled == [0]
        with pytest.raises(ActorDeadError):
            self.question.get(timeout=20)
        eventually(lambda: self.system.dead_letters.total >= BACKLOG - 1 + beside)
        assert self.system.dead_letters.total == BACKLOG - 1 + beside


@every_kind
def test_the_stop_of_a_cancelled_system_overtakes_the_backlog(make):
    system = ActorSystem()
    backlog = Backlog(system, make)
    ends = threading.Thread(target=lambda: system.shutdown(drain=False, timeout=60))
    ends.start()
    eventually(backlog.is_told_to_stop)
    backlog.gate.release()
    ends.join(60)
    backlog.check_that_the_rest_was_not_handled()


@every_kind
def test_nothing_is_handled_behind_the_end_of_a_shutdown_and_questions_are_answered(make):
    system = ActorSystem()
    backlog = Backlog(system, make)
    system.shutdown(drain=False, timeout=0.1)
    with pytest.raises(ActorDeadError):
        backlog.question.get(timeout=20)  # although the actor is still in its handler
    backlog.gate.release()
    eventually(lambda: not system.children())
    backlog.check_that_the_rest_was_not_handled()


@every_kind
def test_a_drained_system_whose_time_is_over_stops_them_at_once(make):
    system = ActorSystem()
    backlog = Backlog(system, make)
    system.shutdown(timeout=0.1)
    backlog.gate.release()
    eventually(lambda: not system.children())
    backlog.check_that_the_rest_was_not_handled()


@every_kind
def test_a_block_left_by_an_exception_works_off_no_backlog(make):
    with raises_at_the_end(ValueError, match="mine"), ActorSystem() as system:
        backlog = Backlog(system, make)
        backlog.gate.release()
        raise ValueError("mine")
    assert len(backlog.handled) < BACKLOG
    with pytest.raises(ActorDeadError):
        backlog.question.get(timeout=20)
    assert system.dead_letters.total == BACKLOG - len(backlog.handled)


@every_kind
def test_a_block_that_is_left_normally_does(make):
    with ActorSystem() as system:
        backlog = Backlog(system, make)
        backlog.gate.release()
    assert backlog.handled == [*range(BACKLOG), "question"]
    assert backlog.question.get(timeout=20) == "answer"


def test_a_fatal_error_works_off_no_backlog():
    class Exits(PooledActor):
        def on_receive(self, message):
            raise SystemExit(3)

    with raises_at_the_end(SystemExit), ActorSystem() as system:
        backlog = Backlog(system, plain)
        system.spawn(Exits).tell("now")
        eventually(lambda: not system.is_open)
        backlog.gate.release()
    backlog.check_that_the_rest_was_not_handled(beside=1)


class Connects(PooledActor):
    """Is made once its gate opens, and awaits in ``on_start`` what never comes."""

    def __init__(self, gate, making):
        super().__init__()
        making.set()
        assert gate.wait(60)

    async def on_start(self):
        await asyncio.Event().wait()


@pytest.mark.parametrize("is_made", [True, False], ids=["in on_start", "in its constructor"])
@pytest.mark.parametrize("inner", [False, True])
def test_a_child_that_has_not_started_yet_stops_at_once(is_made, inner):
    system, gate, making = ActorSystem(), threading.Event(), threading.Event()
    tree = Supervisor(children=[ChildSpec(Connects, (gate, making), name="child")], name="inner")
    tree = Supervisor(children=[tree]) if inner else tree
    top = system.supervise(tree)
    ref = top.child("inner/child" if inner else "child")
    assert making.wait(60)
    if is_made:
        gate.set()
        eventually(lambda: getattr(ref._actor_weakref(), "_pending_", None))
    ends = threading.Thread(target=lambda: system.shutdown(drain=False, timeout=200))
    ends.start()
    if not is_made:
        eventually(lambda: behind(top.child("inner") if inner else top)._last_call)
        gate.set()
    ends.join(60)
    assert not ends.is_alive()
    assert not system.children()
