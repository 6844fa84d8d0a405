"""``AutoWindow``: measures what the stage drains from a link, and asks the policy for the window.

It reads no clock of its own. The island that runs the stage says what time it is, and for how long
it had nothing to do. An island that has nothing to do while the link is empty waits for upstream.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Protocol

from actors_rs.stages.chunks.weights import weight_of
from actors_rs.stages.chunks.window_policy import (
    FIRST_WINDOW,
    MOST_SECONDS,
    HeldPolicy,
    WindowPolicy,
)

__all__ = ["AutoWindow", "MemoryShare", "Paced", "Turn", "auto_window_of"]

NEVER = -inf


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


class Following(Asked, Protocol):
    """The logic of a stage, and its options for windows."""

    weigh: Callable[[Any], float] | None

    @property
    def window_follows(self) -> str: ...


class Paced(Protocol):
    """A stage, as an inlet sees it whose window is to follow the pace of the stage."""

    def auto_window(self, most: int, /) -> AutoWindow:
        """What measures the pace, for a window of ``most`` elements at most."""
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

    The inlet calls ``taking`` when a whole window has been drained, or when that takes long, and at
    each request while the window is small. It calls ``dried`` when the stage wants more of a small
    window that it has drained. With ``on_arrival`` it calls ``taking`` for each frame that arrives,
    too: elements wait in it for long.
    """

    __slots__ = (
        *("_count", "_last", "_policy", "_share", "_stage"),
        *("due", "late", "on_arrival", "turn", "waited", "weigh"),
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
        """Seconds for which the island had nothing to do and the link was empty, in all, from any
        start. While the link is empty it is less by ``turn.idle``: the inlet adds that later."""
        self.due: float = policy.size
        """When so many elements have left the link, it is time to look again."""
        self.late = NEVER  # the first elements are weighed at once
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
        return self._look(drained, held, self.weigh(next(iter(frame))), self.waited)

    def dried(self, drained: int) -> int:
        """The size, as the link is empty and has no share; ``drained`` elements have left it."""
        if drained == self._count:
            return self._policy.size
        return self._look(drained, 0, self._policy.weight, self.waited + self.turn.idle)

    def _look(self, drained: int, held: int, weight: float, waited: float) -> int:
        now = self.turn.lapped
        passed = now - waited
        seconds = 0.0 if self._last is None else passed - self._last
        self._last = passed
        elements, self._count = drained - self._count, drained
        policy, share = self._policy, self._share
        size = policy.drained(elements, seconds, weight, asked=self._stage.asked())
        if share is not None:
            size = share.reserve(size, policy.weight, held)
        elif size == policy.most:  # as fast as can be: look when it is late, for it may turn slow
            self.due, self.late = inf, now + MOST_SECONDS
            return size
        self.due = drained if size <= FIRST_WINDOW else drained + size
        self.late = now + MOST_SECONDS
        return size

    def widen(self, most: int) -> None:
        """The window may become ``most``, if that is more: look again at the next elements."""
        if most > self._policy.most:
            self._policy.most, self.due = most, 0

    def unlink(self) -> None:
        """The stage has ended: release it, so that it is freed without the cyclic collector."""
        self._stage = UNBOUNDED

    def over(self) -> None:
        """The link holds nothing any more, and nothing will come."""
        if self._share is not None:
            self._share.release()


def auto_window_of(
    logic: Following, turn: Turn, most: int, share: MemoryShare | None = None
) -> AutoWindow:
    """What ``logic`` asks for, up to ``most`` elements, and no more than ``share`` has room for."""
    follows = logic.window_follows
    held = follows == "memory"
    policy = HeldPolicy(most) if held else WindowPolicy(most, any_pace=follows == "weight")
    if share is not None:
        policy.size = 1  # the first element may be larger than the limit
    auto = AutoWindow(turn, policy, share, stage=logic, on_arrival=held)
    if logic.weigh is not None:
        auto.weigh = logic.weigh
    return auto
