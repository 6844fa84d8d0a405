"""A stage's times: how long a turn may last, and where the time of the stage went."""

from __future__ import annotations

from actors_rs.runtime._primitives import monotonic
from actors_rs.runtime.actor import TURN_SECONDS

__all__ = ["StageClock", "TurnBudget"]


class TurnBudget:
    """The ``Budget`` of one stage's turns."""

    __slots__ = ("_began", "_lap", "was_spent")

    def __init__(self) -> None:
        self._began = self._lap = 0.0
        self.was_spent = False

    now = staticmethod(monotonic)

    def begin(self) -> float:
        """A turn begins; returns the time."""
        self._began = self._lap = now = monotonic()
        self.was_spent = False
        return now

    def lap(self) -> float:
        """Seconds since the last call, or since the turn began."""
        now = monotonic()
        seconds, self._lap = now - self._lap, now
        return seconds

    def spent(self) -> bool:
        """Whether the turn has lasted long enough, by the time of the last lap."""
        self.was_spent = self._lap - self._began > TURN_SECONDS
        return self.was_spent


class StageClock:
    """Seconds a stage was busy, idle, or held back by missing demand.

    Written by the stage's own turns, read by anyone: each field is right by itself.
    """

    __slots__ = ("_held_back", "_since", "back_pressured", "busy", "idle", "last_turn")

    def __init__(self) -> None:
        self.busy = self.idle = self.back_pressured = 0.0
        self.last_turn = 0.0
        self._since: float | None = None
        self._held_back = False

    def begin(self, now: float) -> None:
        """A turn begins: the pause before it was idle or back-pressured time."""
        if self._since is not None:
            if self._held_back:
                self.back_pressured += now - self._since
            else:
                self.idle += now - self._since
        self._since = now

    def end(self, now: float, held_back: bool) -> None:
        """A turn ends; ``held_back`` if the stage could give more but nobody asked."""
        if self._since is not None:
            self.last_turn = now - self._since
            self.busy += self.last_turn
        self._since = now
        self._held_back = held_back

    def shares(self) -> tuple[float, float, float]:
        """Busy, idle and back-pressured as parts of 1; zeros before the first turn."""
        total = self.busy + self.idle + self.back_pressured
        if not total:
            return 0.0, 0.0, 0.0
        return self.busy / total, self.idle / total, self.back_pressured / total
