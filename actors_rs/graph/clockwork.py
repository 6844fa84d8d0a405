"""A stage's times: how long a turn may last, and where the time of the stage went."""

from __future__ import annotations

from collections.abc import Callable

from actors_rs.runtime.actor import TURN_SECONDS

__all__ = ["StageClock", "TurnBudget"]


class TurnBudget:
    """The ``Budget`` of one stage's turns; ``now`` is the system's stopwatch."""

    __slots__ = ("_lap", "began", "now", "relieve", "was_spent")

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.relieve: Callable[[], None] = lambda: None
        """Called when the turn goes on although it has given something already."""
        self.began = self._lap = 0.0
        self.was_spent = False

    def begin(self) -> float:
        """A turn begins; returns the time."""
        self.began = self._lap = now = self.now()
        self.was_spent = False
        return now

    def lap(self) -> float:
        """Seconds since the last call, or since the turn began."""
        now = self.now()
        seconds, self._lap = now - self._lap, now
        return seconds

    def spent(self) -> bool:
        """Whether the turn has lasted long enough, by the time of the last lap."""
        if self._lap - self.began > TURN_SECONDS:
            self.was_spent = True
        else:
            self.relieve()
        return self.was_spent


class StageClock:
    """Seconds a stage was busy, idle, or held back by missing demand.

    Written by the stage's own turns, read by anyone: each field is right by itself.
    """

    __slots__ = ("_held_back", "_in_turn", "_since", "back_pressured", "busy", "idle")

    def __init__(self) -> None:
        self.busy = self.idle = self.back_pressured = 0.0
        self._since: float | None = None
        self._held_back = False
        self._in_turn = False

    def begin(self, now: float) -> None:
        """A turn begins: the pause before it was idle or back-pressured time."""
        if self._since is not None:
            if self._held_back:
                self.back_pressured += now - self._since
            else:
                self.idle += now - self._since
        self._since = now
        self._in_turn = True

    def end(self, now: float, held_back: bool) -> None:
        """A turn ends; ``held_back`` if the stage could give more but nobody asked."""
        if self._since is not None:
            self.busy += now - self._since
        self._since = now
        self._held_back = held_back
        self._in_turn = False

    def shares(self, now: float | None = None) -> tuple[float, float, float]:
        """Busy, idle and back-pressured as parts of 1; zeros before the first turn.

        The turn or pause that is going on counts up to ``now``, else a stage that waits for long
        would show what it did before. ``None`` counts up to the end of the last turn.
        """
        since = self._since
        going_on = max(0.0, now - since) if now is not None and since is not None else 0.0
        busy, idle, back_pressured = self.busy, self.idle, self.back_pressured
        if self._in_turn:
            busy += going_on
        elif self._held_back:
            back_pressured += going_on
        else:
            idle += going_on
        total = busy + idle + back_pressured
        if not total:
            return 0.0, 0.0, 0.0
        return busy / total, idle / total, back_pressured / total
