# mypy: disable-error-code="var-annotated, no-untyped-def, method-assign, assignment, arg-type"
"""Death watch in every interleaving of watching, unwatching and the end of the watched."""

from collections import deque
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from pykka.messages import _ActorStop

from actors_rs.runtime.actors import mailbox, stop_flag, watch
from actors_rs.runtime.actors.actor import PooledActor
from actors_rs.runtime.actors.mailbox import EMPTY, Mailbox
from actors_rs.runtime.actors.stop_flag import StopFlag
from tests.threads.bounded import check_all, search
from tests.threads.dispatching import Held, OnTheCallingThread


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


SYSTEM = SimpleNamespace(
    delayed=(),
    is_open=True,
    forget=nothing,
    dead_letters=SimpleNamespace(publish=nothing, record=nothing),
    _stop_line=SimpleNamespace(ended=nothing),
)


class Model:
    def __init__(self):
        self.watched, self.watcher = Watched(), Watcher()
        for actor in (self.watched, self.watcher):
            actor._on_start_due_ = False
            actor._system_ = SYSTEM
            actor.actor_inbox.end_turn()
        self.watched._turn_ = self.turn
        self.watched._dispatcher_, self.watcher._dispatcher_ = OnTheCallingThread(), Held()
        self.ref = self.watched.actor_ref

    def turn(self):
        actor, inbox = self.watched, self.watched.actor_inbox
        again = True
        while again:
            message = inbox.take()
            if type(message) is _ActorStop:
                actor._close_(None)
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


SHARED = Mailbox, StopFlag, PooledActor


def checked(*threads, times):
    return check_all(Model, [*threads], heard(times), mailbox, stop_flag, shared=SHARED)


def test_whoever_watches_hears_of_the_end_once_whenever_it_comes():
    assert checked(Model.watch, Model.stop, times=1).runs > 50


def test_watching_twice_is_watching_once():
    assert checked(Model.watch_twice, Model.stop, times=1).runs > 50


def test_whoever_unwatches_hears_nothing_whenever_the_end_comes():
    assert checked(Model.watch_and_unwatch, Model.stop, times=0).runs > 50


def test_watching_anew_is_heard_once():
    assert checked(Model.unwatch_and_watch_again, Model.stop, times=1).runs > 50


def test_the_wish_comes_before_the_stop_between_stop_and_close_and_behind_the_close():
    met = set()

    def noting(name, then):
        def note(*args, **named):
            met.add(name)
            return then(*args, **named)

        return note

    wish = watch._Watch
    with (
        patch.object(wish, "receive", noting("read", wish.receive)),
        patch.object(wish, "unread", noting("left in the mailbox", wish.unread)),
        patch.object(watch, "_Notice", noting("refused", watch._Notice)),
    ):
        checked(Model.watch, Model.stop, times=1)
    assert met == {"read", "left in the mailbox", "refused"}


def without_a_notice_of_what_has_ended(watcher, ref):
    watcher._watching_ = {ref.actor_urn: ref.actor_inbox}
    ref.actor_inbox.offer_control(watch._Watch(watcher.actor_ref))


def that_trusts_the_flag(watcher, ref):
    watcher._watching_ = {ref.actor_urn: ref.actor_inbox}
    wish, notice = watch._Watch(watcher.actor_ref), watch._Notice(watch.Terminated(ref))
    if ref.actor_stopped.is_set():
        watcher.actor_inbox.offer(notice)
    else:
        ref.actor_inbox.offer_control(wish)


def before_the_mailbox_is_closed(actor, error):
    actor.actor_stopped.set()
    watch.tell_watchers(actor, error)
    for message in actor.actor_inbox.close():
        actor._return_unread_(message)


def of_those_who_watched_at_the_stop(actor, error):
    actor.actor_stopped.set()
    watchers = actor._watchers_
    for message in actor.actor_inbox.close():
        actor._return_unread_(message)
    actor._watchers_ = watchers
    watch.tell_watchers(actor, error)


@pytest.mark.parametrize(
    ("owner", "name", "planted"),
    [
        (watch, "begin_watch", without_a_notice_of_what_has_ended),
        (watch, "begin_watch", that_trusts_the_flag),
        (watch._Watch, "unread", nothing),
        (PooledActor, "_return_unread_", nothing),
        (PooledActor, "_close_", before_the_mailbox_is_closed),
        (PooledActor, "_close_", of_those_who_watched_at_the_stop),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_planted_end_that_is_not_told_is_found(owner, name, planted):
    with patch.object(owner, name, planted):
        threads = [Model.watch, Model.stop]
        found = search(Model, threads, heard(1), mailbox, stop_flag, shared=SHARED)
    assert found.why == "what must hold does not"
