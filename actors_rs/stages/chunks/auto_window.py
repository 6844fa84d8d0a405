"""``AutoWindow``: measures what the stage drains from a link, and asks the policy for the window.

It reads no clock of its own. The island that runs the stage says what time it is, and for how long
it had nothing to do. An island that has nothing to do while the link is empty waits for upstream.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Protocol

from actors_rs.stages.chunks.weights import weight_of
from actors_rs.stages.chunks.window_policy import MOST_SECONDS, WindowPolicy

__all__ = ["AutoWindow", "MemoryShare", "Turn"]

LOOK_AGAIN = 16
"""How many of the largest windows are drained between two looks, unless that takes long."""


class Turn(Protocol):
    """The turns of the stage's island."""

    lapped: float
    """The time, as it was looked at last."""
    idle: float
    """Seconds that passed between turns, in all."""


class MemoryShare(Protocol):
    """The part of a system's memory limit that one link has. Any thread."""

    @property
    def limit(self) -> int:
        """Bytes that all links of the system share."""
        ...

    def reserve(self, size: int, weight: float, held: int, /) -> int:
        """How many of ``size`` elements the link may hold, at least one; it has ``held``."""
        ...

    def release(self) -> None:
        """The link holds nothing any more."""


class Asked(Protocol):
    """The stage, as its window sees it."""

    def asked(self) -> float:
        """How many elements it can take before it waits for downstream."""
        ...


class _Unbounded:
    """A stage that never waits for downstream."""

    def asked(self) -> float:
        return inf


UNBOUNDED: Asked = _Unbounded()


class AutoWindow:
    """The window of one inlet; in turns of its stage.

    It grows only while downstream asks the stage for more than the window holds. Otherwise the
    windows of fast stages would grow while the links before a slow one fill, and a drain would have
    to go through all that they hold.

    The inlet calls ``taking`` when a whole window has been drained, or when that takes long. With
    ``on_arrival`` it calls it for each frame that arrives, too: elements wait in it for long.
    """

    __slots__ = (
        *("_count", "_last", "_policy", "_share", "_stage"),
        *("due", "late", "on_arrival", "turn", "waited", "weigh", "went_dry"),
    )

    def __init__(
        self,
        turn: Turn,
        policy: WindowPolicy,
        share: MemoryShare | None = None,
        *,
        stage: Asked = UNBOUNDED,
        on_arrival: bool = False,
    ) -> None:
        self.turn = turn
        self.on_arrival = on_arrival
        self.weigh: Callable[[Any], float] = weight_of
        self.waited = 0.0
        """Seconds for which the island had nothing to do and the link was empty, in all."""
        self.went_dry = turn.idle
        """What ``turn.idle`` was when the link became empty."""
        self.due = policy.size
        """When so many elements have left the link, it is time to look again."""
        self.late = -inf  # the first elements are weighed at once
        """The time after which a window has taken long, even if the link was not empty."""
        self._policy = policy
        self._share = share
        self._stage = stage
        self._count = 0  # elements that had been drained at the last call
        self._last: float | None = None  # how much time had passed then that is the stage's

    @property
    def most(self) -> int:
        """The largest that the window may become."""
        return self._policy.most

    @property
    def weight(self) -> float:
        """Bytes of an element, as they were lately; 0 before the first."""
        return self._policy.weight

    def taking(self, frame: Any, drained: int, held: int) -> int:
        """The size, as ``frame`` is taken, or has arrived, and ``drained`` elements were before it.

        ``held`` elements are left in the link, or requested.
        """
        now = self.turn.lapped
        passed = now - self.waited
        seconds = 0.0 if self._last is None else passed - self._last
        self._last = passed
        elements, self._count = drained - self._count, drained
        weight, asked = self.weigh(next(iter(frame))), self._stage.asked()
        size = self._policy.drained(elements, seconds, weight, asked=asked)
        if (share := self._share) is not None:
            size = share.reserve(size, self._policy.weight, held)
        windows = LOOK_AGAIN if share is None and size == self._policy.most else 1
        self.due, self.late = drained + windows * size, now + MOST_SECONDS
        return size

    def widen(self, most: int) -> None:
        """The window may become ``most``, if that is more: look again at the next elements."""
        if most > self._policy.most:
            self._policy.most, self.due = most, 0

    def dry(self, done: bool) -> None:
        """The link is empty, and nothing will come if it is ``done``."""
        self.went_dry = self.turn.idle
        if done:
            self.over()

    def unlink(self) -> None:
        """The stage has ended: release it, so that it is freed without the cyclic collector."""
        self._stage = UNBOUNDED

    def over(self) -> None:
        """The link holds nothing any more, and nothing will come."""
        if self._share is not None:
            self._share.release()
