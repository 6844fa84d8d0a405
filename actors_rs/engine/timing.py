"""A stage's times: how long a turn may last, and where the time of the stage went."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING

from actors_rs.runtime.actors.actor import TURN_SECONDS
from actors_rs.stages.inner.port_set import PortSet
from actors_rs.stages.latencies import Latencies

if TYPE_CHECKING:
    from actors_rs.stages.stage import StageLogic

__all__ = [
    "FIRST",
    "LONG",
    "SAMPLED",
    "StageClock",
    "TurnBudget",
    "is_held_back",
    "moved_by",
    "nothing",
]

SAMPLED = 32
"""Of so many short turns of a stage, the time of one is noted."""
FIRST = 8
"""Turns that are all noted, so that a short run has figures."""
LONG = 0.001
"""Seconds; turns that last so long are all noted."""


def nothing() -> None:
    """Do nothing: for callers without an action."""


NEVER = -inf
"""The time of what has not happened yet."""


class TurnBudget:
    """The ``Budget`` of one stage's turns; ``now`` is the system's ``timing_clock``."""

    __slots__ = ("began", "idle", "lapped", "now", "relieve", "was_spent")

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.relieve: Callable[[], None] = nothing
        """Called when the turn goes on although it has given something already."""
        self.began = self.lapped = 0.0
        """When the turn began, and when it was last asked how long something took."""
        self.idle = 0.0
        """Seconds between turns, in all; what passed before the first one included."""
        self.was_spent = False

    def begin(self) -> float:
        """A turn begins; returns the time."""
        now = self.now()
        self.idle += now - self.lapped
        self.began = self.lapped = now
        self.was_spent = False
        return now

    def lap(self) -> float:
        """Seconds since the last call, or since the turn began."""
        clock = self.now  # as a variable: called as a method it takes longer
        now = clock()
        seconds, self.lapped = now - self.lapped, now
        return seconds

    def spent(self) -> bool:
        """Whether the turn has lasted long enough, by the time of the last lap."""
        if self.lapped - self.began > TURN_SECONDS:
            self.was_spent = True
        else:
            self.relieve()
        return self.was_spent


class StageClock:
    """Seconds a stage was busy, idle, or held back by missing demand.

    Written by the stage's own turns, read on any thread: each field is right by itself. The rest of
    the time was idle, so it is not counted.
    """

    __slots__ = (
        "_ended",
        "_first",
        "_held_back",
        "_samples",
        "back_pressured",
        "began",
        "busy",
        "latencies",
        "until_sample",
    )

    def __init__(self) -> None:
        self.busy = self.back_pressured = 0.0
        self.began = NEVER
        """When the last turn began. It goes on if none has ended since."""
        self._first = self._ended = NEVER
        self._held_back = False
        self.until_sample = 0
        """Turns until the next whose time is noted."""
        self._samples = 0
        self.latencies: Latencies | None = None
        """How long turns took in which an element moved; made for the first one."""

    def note(self, seconds: float, before: int, logic: StageLogic) -> None:
        """A turn took ``seconds``. ``before``: what ``moved_by`` gave, -1 if it is no sample."""
        weight = 1
        if before >= 0:
            self._samples += 1
            if self._samples > FIRST:
                weight, self.until_sample = SAMPLED, SAMPLED - 1
        if seconds >= LONG:
            weight = 1
        elif moved_by(logic) == before:
            return
        if (latencies := self.latencies) is None:
            latencies = self.latencies = Latencies()
        latencies.add(seconds, weight)

    def end(self, now: float, held_back: bool) -> None:
        """The turn ends; ``held_back`` if the stage could give more but nobody asked."""
        began = self.began
        if self._held_back:
            self.back_pressured += began - self._ended
        elif self._first == NEVER:
            self._first = began
        self.busy += now - began
        self._ended = now
        self._held_back = held_back

    def seconds(self, now: float) -> float:
        """Since its first turn began; 0 before."""
        return 0.0 if self._first == NEVER else max(now, self._ended) - self._first

    def shares(self, now: float | None = None) -> tuple[float, float, float]:
        """Busy, idle and back-pressured as parts of 1; zeros before the first turn.

        The turn or pause that is going on counts up to ``now``, else a stage that waits for long
        would show what it did before. ``None`` counts up to the end of the last turn.
        """
        ended = self._ended
        until = ended if now is None else max(now, ended)
        turn = max(0.0, until - self.began) if self.began > ended else 0.0
        if self._first == NEVER:
            return (1.0, 0.0, 0.0) if turn else (0.0, 0.0, 0.0)
        busy, held_back, total = self.busy + turn, self.back_pressured, until - self._first
        if self._held_back:
            held_back += until - ended - turn
        if not total:
            return 0.0, 0.0, 0.0
        return busy / total, max(0.0, total - busy - held_back) / total, held_back / total


def moved_by(logic: StageLogic) -> int:
    """How many elements have come and gone; the elements of inner streams do not count."""
    moved = 0
    for ports in (logic.inlets, logic.outlets):
        for port in ports.own if isinstance(ports, PortSet) else ports:
            moved += port.count
    return moved


def is_held_back(logic: StageLogic) -> bool:
    """Whether a stage has something to give and an outlet that nobody asks; in every turn."""
    if logic.held_back is not None:
        return logic.held_back()
    holds = not logic.inlets
    for inlet in logic.inlets:
        if inlet.buffered:
            holds = True
    if holds:
        for outlet in logic.outlets:
            if not outlet.demand and not outlet.closed:
                return True
    return False
