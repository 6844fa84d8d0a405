# mypy: disable-error-code="var-annotated, no-untyped-def, assignment, arg-type"
"""An actor with its production turn, in every order of those who tell it something and a stop."""

from collections import deque
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from actors_rs.runtime.actors import actor, mailbox, stop_flag
from actors_rs.runtime.actors.actor import PooledActor
from actors_rs.runtime.actors.actor_ref import STOP
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.runtime.actors.stop_flag import StopFlag
from tests.threads.bounded import check_all, search
from tests.threads.dispatching import OnTheCallingThread
from tests.threads.shared import access

MODULES = actor, mailbox, stop_flag
SHARED = Mailbox, StopFlag, PooledActor


class Told(PooledActor):
    """Notes in deques of C code what happens to it: hidden from the search."""

    def __init__(self):
        super().__init__()
        self.heard, self.inside, self.overlaps, self.ends = deque(), deque(), deque(), deque()

    def on_receive(self, message):
        self.inside.append(message)
        if len(self.inside) > 1:
            self.overlaps.append("two turns at a time")
        self.heard.append(message)
        self.inside.pop()

    def on_stop(self):
        self.ends.append("stopped")


class Context:
    """As the standard one, which one thread at a time can be in; it shows who enters and leaves."""

    entered = False

    def run(self, call):
        access(self, "entered", True)
        if self.entered:
            raise RuntimeError("cannot enter context: it is already entered")
        self.entered = True
        try:
            return call()
        finally:
            access(self, "entered", True)
            self.entered = False


class Model:
    """One message a turn, for the end of a turn is where others may come in between."""

    def __init__(self):
        self.unread, self.refused = deque(), deque()
        self.actor = Told()
        self.actor._on_start_due_ = False
        self.actor._dispatcher_ = OnTheCallingThread()
        self.actor._context_ = Context()
        self.actor._system_ = SimpleNamespace(
            timing_clock=lambda: 0.0,
            throughput=1,
            forget=lambda actor: None,
            delayed=(),
            _stop_line=SimpleNamespace(ended=lambda actor: None),
            dead_letters=SimpleNamespace(
                publish=lambda message, **_: self.unread.append(message),
                record=lambda message, **_: self.unread.append(message),
            ),
        )
        self.actor.actor_inbox.end_turn()

    def tell(self, message):
        if not self.actor.actor_inbox.offer(message):
            self.refused.append(message)

    def stop(self):
        self.actor.actor_inbox.offer(STOP)


def tell(message):
    return lambda model: model.tell(message)


def each_once(*messages):
    def holds(model):
        told = model.actor
        seen = [*told.heard, *model.unread, *model.refused]
        return sorted(seen) == list(messages) and not told.overlaps and len(told.ends) == 1

    return holds


def test_what_is_told_to_a_stopping_actor_is_heard_dead_lettered_or_refused_once():
    threads = [tell(1), tell(2), Model.stop]
    found = check_all(Model, threads, each_once(1, 2), *MODULES, shared=SHARED, alike=(0, 1))
    assert found.runs > 500


def test_three_who_tell_and_a_stop_with_two_preemptions():
    threads = [tell(1), tell(2), tell(3), Model.stop]
    holds, alike = each_once(1, 2, 3), (0, 1, 2)
    found = check_all(Model, threads, holds, *MODULES, shared=SHARED, preemptions=2, alike=alike)
    assert found.runs > 1_000


def ends_inside_its_context(actor):
    def turn():
        again = actor._run_turn_()
        return not actor.actor_inbox.halted and actor.actor_inbox.end_turn(again)

    if actor._context_.run(turn):
        actor._dispatcher_.schedule(actor._turn_)


def ends_without_a_look(actor):
    actor._context_.run(actor._run_turn_)
    if not actor.actor_inbox.halted:
        more = not actor.actor_inbox.empty()
        actor.actor_inbox._scheduled = more
        if more:
            actor._dispatcher_.schedule(actor._turn_)


@pytest.mark.parametrize("planted", [ends_inside_its_context, ends_without_a_look])
def test_a_planted_turn_that_ends_wrong_is_found(planted):
    with patch.object(PooledActor, "_turn_", planted):
        threads, holds = [tell(1), tell(2), Model.stop], each_once(1, 2)
        found = search(Model, threads, holds, *MODULES, shared=SHARED, preemptions=2)
    assert not found.holds
