# mypy: disable-error-code="var-annotated, no-untyped-def, method-assign, assignment, arg-type"
"""Death watch in every interleaving of watching, unwatching and the end of the watched."""

from collections import deque
from types import SimpleNamespace
from unittest.mock import patch

from pykka.messages import _ActorStop

from actors_rs.runtime import mailbox, stop_flag, watch
from actors_rs.runtime.actor import PooledActor
from actors_rs.runtime.mailbox import EMPTY
from tests.threads.controlled import check, explored


class Watched(PooledActor):
    """Its turns run on the thread that schedules them."""


class Watcher(PooledActor):
    """Its turn is the thread of the search that watches; what it has heard is read in the end."""

    def __init__(self):
        super().__init__()
        self.heard = deque()

    def on_receive(self, message):
        self.heard.append(message)


def nothing(*args, **kwargs):
    """What an actor tells a system that is not there."""


SYSTEM = SimpleNamespace(forget=nothing, dead_letters=SimpleNamespace(publish=nothing))


class Model:
    def __init__(self):
        self.watched, self.watcher = Watched(), Watcher()
        for actor in (self.watched, self.watcher):
            actor._on_start_due = False
            actor._system = SYSTEM
            actor.actor_inbox.end_turn()
        self.watched._schedule_turn = self.turn
        self.watcher._schedule_turn = nothing
        self.ref = self.watched.actor_ref

    def turn(self):
        actor, inbox = self.watched, self.watched.actor_inbox
        again = True
        while again:
            message = inbox.take()
            if type(message) is _ActorStop:
                actor._close(None)
            elif message is not EMPTY:
                message.receive(actor)
            again = not inbox.closed and inbox.end_turn()

    def stop(self):
        self.watched.actor_inbox.offer(_ActorStop())

    def watch(self):
        watch.begin_watch(self.watcher, self.ref)

    def watch_twice(self):
        self.watch()
        self.watch()

    def watch_and_unwatch(self):
        self.watch()
        watch.end_watch(self.watcher, self.ref)

    def unwatch_and_watch_again(self):
        self.watch_and_unwatch()
        self.watch()

    @property
    def heard(self):
        """How often the watcher hears of the end, once it has read its mailbox."""
        inbox = self.watcher.actor_inbox
        for message in iter(inbox.take, EMPTY):
            message.receive(self.watcher)
        return len(self.watcher.heard)


def heard(times):
    return lambda model: model.heard == times


MODULES = mailbox, stop_flag


def test_whoever_watches_hears_of_the_end_once_whenever_it_comes():
    assert check(Model, [Model.watch, Model.stop], heard(1), *MODULES) > 2


def test_watching_twice_is_watching_once():
    assert check(Model, [Model.watch_twice, Model.stop], heard(1), *MODULES) > 2


def test_whoever_unwatches_hears_nothing_whenever_the_end_comes():
    assert check(Model, [Model.watch_and_unwatch, Model.stop], heard(0), *MODULES) > 2


def test_watching_anew_is_heard_at_least_once():
    threads = [Model.unwatch_and_watch_again, Model.stop]
    assert check(Model, threads, lambda model: model.heard == 1, *MODULES) > 2


def test_an_end_before_the_watch_that_is_not_told_is_found():
    def careless(watcher, ref):
        watcher._watching = {ref.actor_urn}
        ref.actor_inbox.offer_control(watch._Watch(watcher.actor_ref))

    with patch.object(watch, "begin_watch", careless):
        found = explored(Model, [Model.watch, Model.stop], heard(1), *MODULES)
    assert not found.property_holds
