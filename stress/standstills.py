"""Standstills: a thread stops for milliseconds in front of or behind one function of the runtime.

Yields are short and everywhere: they find what needs two threads to meet. What needs one of them
to be late by a whole turn, or until elements go ahead of their frame, they do not find. So a few
functions are picked, and whoever calls them stands still at random, as on a machine that is busy.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from actors_rs.engine import island
from actors_rs.engine.boundary.fan_out import FanOut
from actors_rs.engine.boundary.foreign import ForeignSubscriber, SubscriberEnd
from actors_rs.engine.boundary.hub import HubPublisher
from actors_rs.engine.calls import UserCalls
from actors_rs.engine.inner.handoff import Handoff, PendingHandoff
from actors_rs.engine.island import Island
from actors_rs.engine.member import Member
from actors_rs.engine.run.end import RunEnd
from actors_rs.engine.run.scope import RunScope
from actors_rs.engine.run.source_queue import SourceQueue
from actors_rs.engine.sections.scope import SectionScope
from actors_rs.engine.sections.section import Section
from actors_rs.language.merge_hub import MergeHub
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.actors.awaiting import Awaiting
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.runtime.dispatch.timers import Timer, Timers
from actors_rs.stages.chunks.steps import Steps
from actors_rs.stages.ports import Inlet, Outlet

__all__ = ["PLACES", "standing_still"]

PLACES: list[tuple[type, str]] = [
    *(
        (Island, name)
        for name in ("_run_turn_", "_deliver", "_look_at_turn", "_hand_over", "left_by")
    ),
    *((Member, name) for name in ("advance", "filling", "post", "attach", "_finish")),
    (UserCalls, "run_blocking"),
    *((Outlet, name) for name in ("send_ahead", "_rest_of", "emit", "cancel", "complete")),
    *((Inlet, name) for name in ("push", "complete", "cancel", "untake")),
    *((Mailbox, name) for name in ("offer", "offer_control", "end_turn", "close")),
    (Steps, "draw"),
    *((ActorCore, name) for name in ("_turn_", "_schedule_turn_")),
    *((ForeignSubscriber, name) for name in ("push", "_grant", "request", "_cancelled", "begin")),
    *((SubscriberEnd, name) for name in ("on_subscribe", "_arrived", "_end", "_drain")),
    *((Section, name) for name in ("_begin", "_failed", "_take_back")),
    *((SectionScope, name) for name in ("stage_ended", "join", "_may_be_over", "note_failure")),
    *((RunScope, name) for name in ("stage_ended", "join", "drain", "_tell_to_stop", "_settle")),
    (RunEnd, "settle"),
    *((Awaiting, name) for name in ("until", "wake")),
    *((SourceQueue, name) for name in ("put", "take", "_tell", "end", "close")),
    *((FanOut, name) for name in ("admit", "push", "settle")),
    *((HubPublisher, name) for name in ("_admit", "_stopped")),
    *((MergeHub, name) for name in ("_admit", "_stopped")),
    (Timer, "fire"),
    (Timers, "after"),
    (Handoff, "claim"),
    (PendingHandoff, "hand_over"),
]
"""Functions of the runtime; whoever moves one moves its name here."""
SECONDS = (0.002, 0.015, 0.05)
WHOLE = 1.0
"""Seconds after which nobody stands still any more: a round is to come to its end."""
INTERVALS = (1e-6, 1e-5, 1e-4, 0.005, 0.05)
AHEAD = (0.01, 0.01, 0.003, 0.001, 0.0002)
"""Seconds after which elements go ahead; soon, to have it happen often."""


@contextmanager
def standing_still(dice: random.Random) -> Iterator[str]:
    """In this block threads stand still at places that ``dice`` draw; gives what was drawn."""
    undo: list[tuple[type, str, Any]] = []
    until = time.monotonic() + WHOLE
    chosen = dice.sample(PLACES, dice.choice((1, 2, 3, 10)))
    drawn = random.Random(dice.random()).random
    for owner, name in chosen:
        p = dice.choice((0.01, 0.05, 0.3)) if len(chosen) < 10 else 0.02
        seconds = dice.choice(SECONDS)
        before = vars(owner)[name]

        def stop(p: float = p, seconds: float = seconds) -> None:
            if drawn() < p and time.monotonic() < until:
                time.sleep(seconds * drawn())

        undo.append((owner, name, before))
        setattr(owner, name, _around(before, stop))
    interval, ahead = sys.getswitchinterval(), island.AHEAD_SECONDS
    sys.setswitchinterval(dice.choice(INTERVALS))
    island.AHEAD_SECONDS = dice.choice(AHEAD)
    try:
        yield ", ".join(f"{owner.__name__}.{name}" for owner, name in chosen)
    finally:
        island.AHEAD_SECONDS = ahead
        sys.setswitchinterval(interval)
        for owner, name, before in reversed(undo):
            setattr(owner, name, before)


def _around(method: Callable[..., Any], stop: Callable[[], None]) -> Callable[..., Any]:
    @wraps(method)
    def standing(*args: Any, **options: Any) -> Any:
        stop()
        result = method(*args, **options)
        stop()
        return result

    return standing
