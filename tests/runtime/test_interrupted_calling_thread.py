# mypy: disable-error-code="var-annotated"
"""Ctrl-C at each place of a call on a system without threads: no turn, no message is lost."""

from contextlib import suppress
from functools import partial

import pytest
from pykka import ActorDeadError

from actors_rs import ActorSystem, ChildSpec, OneForOne, PooledActor, Sink, Source, Supervisor
from actors_rs.runtime.actors.actor_ref import Ask
from actors_rs.runtime.actors.future import PooledFuture
from tests.runtime.interrupting import interrupted_everywhere, interrupted_twice
from tests.runtime.support import DEADLINE, eventually


class Keeps(PooledActor):
    """What it is told, it keeps; what it is asked, it gives back."""

    def __init__(self, handled, other=None):
        super().__init__()
        self.handled = handled
        self.other = other

    def on_receive(self, message):
        self.handled.append(message)
        if self.other is not None:
            self.other.tell(message)
        return message


def handled_or_ended(message, handled, ref):
    return message in handled or not ref.is_alive()


class Trial:
    """A system without threads, which an interrupt inside of a handler may end."""

    def __init__(self):
        self.system = ActorSystem(dispatcher="calling_thread")
        self.handled, self.passed_on = [], []
        self.second = self.system.spawn(Keeps, self.passed_on)
        self.first = self.system.spawn(Keeps, self.handled, self.second)

    def reads_all(self):
        eventually(lambda: not len(self.first.actor_inbox))

    def knows(self, message):
        lost = [letter.what for letter in self.system.dead_letters.recent()]
        return message in self.handled or message in lost

    def goes_on(self):
        """A later message is handled, unless the interrupt has ended the system."""
        for ref, handled in ((self.first, self.handled), (self.second, self.passed_on)):
            try:
                ref.tell("later")
            except ActorDeadError:
                assert not self.system.is_open or not ref.is_alive()
            else:
                eventually(partial(handled_or_ended, "later", handled, ref))

    def end(self):
        try:
            self.system.shutdown(timeout=DEADLINE)
        except KeyboardInterrupt:  # a handler had it, which ends the system with it
            pass


class Supervised(Trial):
    """With an actor of ``kind`` below a supervisor."""

    def __init__(self, kind=Keeps, strategy=None):
        super().__init__()
        self.kept = []
        family = Supervisor(strategy or OneForOne(), [ChildSpec(kind, (self.kept,))])
        self.child = self.system.supervise(family).child(kind.__name__)

    def goes_on_and_ends(self):
        with suppress(ActorDeadError):
            self.child.tell("later")
        eventually(partial(handled_or_ended, "later", self.kept, self.child))
        self.end()
        assert not self.system.children()


PART = 20
"""The start of a run has a thousand places: here every twentieth, under ``stress`` all."""
STEP = 29
"""Of all pairs of places every 29th; fewer of a call that has a thousand places."""
ways = pytest.mark.parametrize(
    "interrupted",
    [interrupted_everywhere, partial(interrupted_twice, step=STEP)],
    ids=["once", "twice"],
)


@ways
def test_what_an_interrupted_thread_has_told_is_handled_or_refused(interrupted):
    def tell():
        trial.first.actor_inbox.put("mine")
        accepted.append(1)

    trial, accepted = Trial(), []
    for _ in interrupted(tell):
        if accepted:
            eventually(partial(trial.knows, "mine"))
        trial.goes_on()
        trial.reads_all()
        trial.end()
        trial, accepted = Trial(), []
    trial.end()


@ways
def test_a_question_gets_an_answer_or_an_error_wherever_the_asker_is_interrupted(interrupted):
    def ask():
        futures.append(PooledFuture())
        accepted.append(trial.first.actor_inbox.offer(Ask("mine", futures[-1])))

    trial, futures, accepted = Trial(), [], []
    for _ in interrupted(ask):
        trial.goes_on()
        trial.reads_all()
        if accepted or "mine" in trial.handled:
            with suppress(ActorDeadError, KeyboardInterrupt):
                assert futures[-1].get(timeout=DEADLINE) == "mine"
        trial.end()
        trial, futures, accepted = Trial(), [], []
    trial.end()


def starts_interrupted(first: int) -> None:
    """Interrupts the start of a run at each ``PART``-th place, from ``first`` on."""

    def start():
        run = trial.system.start(Source.range(0, 3).map(str).to(Sink.list()))
        assert run.result(DEADLINE) == ["0", "1", "2"]

    trial = Trial()
    for _ in interrupted_everywhere(start, most=4000, first=first, step=PART):
        trial.goes_on()
        trial.end()
        assert not trial.system.children()
        trial = Trial()
    trial.end()


def test_a_system_goes_on_and_ends_wherever_the_start_of_a_run_was_interrupted():
    starts_interrupted(0)


@ways
def test_a_supervised_actor_goes_on_wherever_its_teller_was_interrupted(interrupted):
    def tell():
        trial.child.tell("mine")

    trial = Supervised()
    for _ in interrupted(tell):
        trial.goes_on_and_ends()
        trial = Supervised()
    trial.end()
