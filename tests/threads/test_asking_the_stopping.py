# mypy: disable-error-code="var-annotated, no-untyped-def, type-arg, method-assign"
"""A message between the look whether an actor lives and its last look into the mailbox.

pykka looks first and puts then; when the actor has emptied its mailbox for the last time in
between, nobody answers. That is found on plain pykka within a few interleavings, and ours is tried
in all of them.
"""

import pykka
from pykka.messages import _ActorStop

from actors_rs.runtime.actors import future, mailbox, stop_flag
from actors_rs.runtime.actors.actor import PooledActor
from actors_rs.runtime.actors.future import PooledFuture
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.runtime.actors.stop_flag import StopFlag
from actors_rs.runtime.dispatch.dispatcher import DispatcherStatistics
from tests.threads.bounded import check_all
from tests.threads.controlled import explored
from tests.threads.dispatching import Held


def is_answered(model):
    try:
        model.future.get(timeout=0)
    except pykka.Timeout:
        return False
    except pykka.ActorDeadError:
        return True
    return True


class Plain:
    """An actor of pykka's that has been told to stop, and its loop."""

    class Echo(pykka.ThreadingActor):
        def on_receive(self, message):
            return message

    def __init__(self):
        self.actor = self.Echo()
        self.ref = self.actor.actor_ref
        pykka.ActorRegistry.register(self.ref)
        self.ref.tell(_ActorStop())

    def loop(self):
        self.actor._actor_loop()

    def ask(self):
        self.future = self.ref.ask("who?", block=False)


class HeldTurns(Held):
    def relieve(self):
        """Nothing."""

    def grow_if_starved(self):
        """Nothing."""

    def statistics(self):
        return DispatcherStatistics(0, len(self.turns), 0)


class Echo(PooledActor):
    def on_receive(self, message):
        return message


class Ours:
    """The same with an actor of ours."""

    def __init__(self):
        self.actor = Echo()
        self.ref = self.actor.actor_ref
        self.actor._on_start_due_ = False
        self.actor.actor_inbox.end_turn()
        self.actor._dispatcher_ = Held()  # type: ignore[assignment]
        self.ref.tell(_ActorStop())

    def loop(self):
        for message in iter(self.actor.actor_inbox.take, mailbox.EMPTY):
            if type(message) is _ActorStop:
                self.actor.actor_stopped.set()
                for left in self.actor.actor_inbox.close():
                    self.actor._return_unread_(left)
                return
            self.actor._process_(message)

    def ask(self):
        self.future = self.ref.ask("who?", block=False)


def test_plain_pykka_forgets_a_question_asked_while_the_actor_stops():
    found = explored(Plain, [Plain.loop, Plain.ask], is_answered, packages=["pykka", "pykka.*"])
    assert not found.property_holds
    assert found.num_explored <= 10


def test_ours_answers_in_every_interleaving():
    shared = Mailbox, StopFlag, PooledFuture, PooledActor
    modules = mailbox, future, stop_flag
    found = check_all(Ours, [Ours.loop, Ours.ask], is_answered, *modules, shared=shared)
    assert found.runs > 10
