"""``AutoWindow``: measures what the stage drains from a link, and asks the policy for the window.

It reads no clock of its own. The island that runs the stage says what time it is, and for how long
it had nothing to do. An island that has nothing to do while the link is empty waits for upstream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from actors_rs.stages.pieces.weights import weight_of
from actors_rs.stages.pieces.window_policy import WindowPolicy

__all__ = ["AutoWindow", "Turn"]


class Turn(Protocol):
    """The turns of the stage's island."""

    lapped: float
    """The time, as it was looked at last."""
    idle: float
    """Seconds that passed between turns, in all."""


class AutoWindow:
    """The window of one inlet; in turns of its stage."""

    __slots__ = ("_count", "_last", "_policy", "_turn", "_waited", "_went_dry", "weigh")

    def __init__(self, turn: Turn, policy: WindowPolicy) -> None:
        self.weigh: Callable[[Any], float] = weight_of
        self._policy = policy
        self._turn = turn
        self._count = 0  # what had been drained when it was asked last
        self._last: float | None = None  # how much time had passed then that is the stage's
        self._waited = 0.0  # idle seconds in which the link was empty
        self._went_dry = turn.idle

    @property
    def size(self) -> int:
        """Elements that may be held and requested together."""
        return self._policy.size

    @property
    def most(self) -> int:
        """What it may grow to."""
        return self._policy.most

    def runs_dry(self) -> None:
        """The last element that the link held has been taken."""
        self._went_dry = self._turn.idle

    def flows(self) -> None:
        """Something arrives where nothing was."""
        self._waited += self._turn.idle - self._went_dry
        if self._last is None:
            self._last = self._turn.lapped - self._waited

    def taking(self, frame: Any, drained: int) -> int:
        """The size, as ``frame`` is being taken and ``drained`` elements were before it."""
        passed = self._turn.lapped - self._waited
        seconds, self._last = passed - (self._last or passed), passed
        elements, self._count = drained - self._count, drained
        weight = self.weigh(next(iter(frame)))
        return self._policy.drained(elements, seconds, weight)
