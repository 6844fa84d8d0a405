"""Virtual time: it stands still while anything can run, and then moves to the next timer.

``timing_clock``, which times turns, is another matter: it shows what was decided (``tick``), so
that turns end early and frames are small or large in a world where nothing takes time. What passes
within a turn, in which a function of the scenario sleeps, counts there as well.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count

from actors_rs.runtime.dispatch.timers import Timer

__all__ = ["VirtualClock", "VirtualTimers"]

EPOCH = 946_684_800.0
"""The time of the wall clock at the beginning: 1 January 2000."""
MOST_TOGETHER = 3
"""How many points in time may be passed at once, as if the process had been suspended."""


class VirtualClock:
    """Seconds since the world began."""

    __slots__ = ("_elapsed", "seconds", "tick")

    def __init__(self) -> None:
        self.seconds = 0.0
        self.tick = 0.0
        """Seconds by which ``timing_clock`` moves at each reading, during the turn that runs."""
        self._elapsed = 0.0

    def now(self) -> float:
        """The monotonic clock."""
        return self.seconds

    def wall_clock(self) -> float:
        """Seconds since the epoch."""
        return EPOCH + self.seconds

    def timing_clock(self) -> float:
        """What turns are timed by."""
        self._elapsed += self.tick
        return self._elapsed + self.seconds


class VirtualTimers:
    """The timers of a world; fits ``Timers``."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._heap: list[tuple[float, int, Timer]] = []
        self._order = count(1)
        self._closed = False

    def __len__(self) -> int:
        return sum(not timer.cancelled for _, _, timer in self._heap)

    def after(self, seconds: float, callback: Callable[[], None], /) -> Timer:
        """Call ``callback`` once, ``seconds`` from now."""
        return self.at(self._clock.seconds + seconds, callback)

    def at(self, due: float, callback: Callable[[], None], /) -> Timer:
        """Call ``callback`` once, when the clock shows ``due``."""
        timer = Timer(due, callback)
        if not self._closed:
            heapq.heappush(self._heap, (timer.due, next(self._order), timer))
        return timer

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """Drop all timers."""
        self._closed = True
        self._heap.clear()
        return ()

    def times(self, until: float | None) -> list[float]:
        """The next points in time at which a timer is due, not later than ``until``."""
        while self._heap and self._heap[0][2].cancelled:
            heapq.heappop(self._heap)
        if not self._heap:
            return []
        due = sorted({due for due, _, timer in self._heap if not timer.cancelled})
        return [one for one in due[:MOST_TOGETHER] if until is None or one <= until]

    def take_due(self) -> list[tuple[int, Timer]]:
        """Remove and return what is due by now, each with its number."""
        due = []
        while self._heap and self._heap[0][0] <= self._clock.seconds:
            _, number, timer = heapq.heappop(self._heap)
            if not timer.cancelled:
                due.append((number, timer))
        return due
