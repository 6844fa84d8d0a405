# mypy: disable-error-code="var-annotated"
"""A second Ctrl-C while the first one is handled, and a message of another thread in between."""

import threading
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from pykka import ActorDeadError, Timeout

from actors_rs import ActorSystem, OneForOne, PooledActor
from actors_rs.runtime.actors.actor_ref import STOP
from tests.runtime.family import SOON
from tests.runtime.interrupting import interrupted_everywhere, interrupted_twice
from tests.runtime.support import DEADLINE, behind, eventually
from tests.runtime.test_interrupted_calling_thread import STEP, Keeps, Supervised, handled_or_ended
from tests.runtime.test_interrupted_waits import KINDS, Waiters


class Fails(Keeps):
    """Its supervisor restarts it."""

    def on_receive(self, message):
        if message == "fail":
            raise ValueError
        return super().on_receive(message)


def restarts_interrupted(told: str, interrupted: Any) -> None:
    """A supervised child receives "fail" or "stop", and ``interrupted`` interrupts the sender."""

    def tell():
        if told == "stop":
            with suppress(ActorDeadError):
                trial.child.stop(block=False)
        else:
            trial.child.tell(told)

    begun = partial(Supervised, Fails, OneForOne(backoff=SOON))
    trial = begun()
    for _ in interrupted(tell):
        trial.goes_on_and_ends()
        trial = begun()
    trial.end()


@pytest.mark.parametrize(
    "interrupted",
    [partial(interrupted_everywhere, step=3), partial(interrupted_twice, step=34 * STEP)],
    ids=["once", "twice"],
)
@pytest.mark.parametrize("told", ["fail", "stop"])
def test_a_supervisor_restarts_or_ends_a_child_wherever_that_is_interrupted(told, interrupted):
    restarts_interrupted(told, interrupted)


class Leaves(PooledActor):
    """Stops in a handler that has sent itself questions and messages."""

    def __init__(self, futures):
        super().__init__()
        self.futures = futures

    def on_receive(self, message):
        if message == "leave":
            self.futures.extend(self.actor_ref.ask(n, block=False) for n in range(3))
            self.actor_ref.tell("unread")
            self.actor_inbox.offer_control(STOP)


@pytest.mark.parametrize("interrupted", [interrupted_everywhere, interrupted_twice])
def test_who_asked_an_actor_that_stops_is_answered_wherever_that_is_interrupted(interrupted):
    def begun():
        system, futures = ActorSystem(dispatcher="calling_thread"), []
        return system, futures, system.spawn(Leaves, futures)

    def leave():
        ref.tell("leave")

    system, futures, ref = begun()
    options = [5 * STEP] if interrupted is interrupted_twice else []
    for _ in interrupted(leave, *options):
        with suppress(KeyboardInterrupt):
            system.shutdown(timeout=DEADLINE)
        for future in futures:
            with suppress(ActorDeadError, KeyboardInterrupt):
                future.get(timeout=DEADLINE)
        assert not system.children()
        system, futures, ref = begun()
    system.shutdown(timeout=DEADLINE)


class Slow(PooledActor):
    """One message makes it wait; notes when two threads are in it."""

    def __init__(self, handled, met):
        super().__init__()
        self.handled, self.met = handled, met
        self.entered, self.go_on, self.inside = threading.Event(), threading.Event(), 0

    def on_receive(self, message):
        self.inside += 1
        if self.inside > 1:
            self.met.append(message)
        if message == "theirs":
            self.entered.set()
            self.go_on.wait(DEADLINE)
        self.handled.append(message)
        self.inside -= 1


def test_no_two_turns_of_an_actor_meet_when_another_thread_tells_it_at_the_interrupt(monkeypatch):
    class Told:
        def __init__(self):
            self.system = ActorSystem(dispatcher="calling_thread")
            self.handled, self.actors = [], []
            self.ref = self.system.spawn(Slow, self.handled, met)
            self.actor = behind(self.ref)
            self.teller = threading.Thread(target=self.tell, daemon=True)

        def tell(self):
            with suppress(ActorDeadError):
                self.ref.tell("theirs")

        def before(self):
            """The other thread is in the handler now, unless the interrupted one hinders it."""
            self.teller.start()
            self.actor.entered.wait(0.01)

        def ends(self):
            self.actor.go_on.set()
            self.teller.join(DEADLINE)
            with suppress(ActorDeadError):
                self.ref.tell("later")
            eventually(partial(handled_or_ended, "later", self.handled, self.ref))
            with suppress(KeyboardInterrupt):
                self.system.shutdown(timeout=DEADLINE)
            assert not self.teller.is_alive()

    def mine():
        told.ref.tell("mine")

    def before():
        told.before()

    met, failures = [], []
    monkeypatch.setattr(threading, "excepthook", lambda failed: failures.append(failed.exc_value))
    told = Told()
    for _ in interrupted_everywhere(mine, before=before):
        told.ends()
        told = Told()
    told.before()
    told.ends()
    assert (met, failures) == ([], [])


@pytest.mark.parametrize("kind", KINDS)
def test_who_waits_with_a_thread_that_is_interrupted_twice_is_woken(kind):
    def wait():
        with suppress(Timeout):
            one.wait(0.001)

    one = kind()
    others = Waiters(one.wait)
    for _ in interrupted_twice(wait, 3):
        one.set()
        assert others.all_come_back()
        assert one.wait(DEADLINE)
        one = kind()
        others = Waiters(one.wait)
    one.set()
    assert others.all_come_back()
