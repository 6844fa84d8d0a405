"""``Watermarks``: how far event time has come, over all inputs."""

from __future__ import annotations

from math import inf

__all__ = ["Watermarks"]


class Watermarks:
    """For each input the latest event time less ``lateness``; for all of them the minimum.

    An input of which nothing has come yet holds all others back, one that has ended or is idle
    does not. The watermark never goes back.
    """

    def __init__(self, inputs: int, lateness: float) -> None:
        self.value = -inf
        """No element before this moment is waited for any more."""
        self._lateness = lateness
        self._marks = [-inf] * inputs
        self._idle = [False] * inputs

    def of(self, which: int) -> float:
        """The watermark of one input."""
        return self._marks[which]

    def saw(self, which: int, moment: float) -> bool:
        """Input ``which`` gave an element of ``moment``; whether the watermark has moved."""
        mark = moment - self._lateness
        woken, self._idle[which] = self._idle[which], False
        if mark <= self._marks[which] and not woken:
            return False
        self._marks[which] = max(mark, self._marks[which])
        return self._move()

    def ended(self, which: int) -> bool:
        """Input ``which`` gives nothing any more; whether the watermark has moved."""
        self._marks[which] = inf
        return self._move()

    def idle(self, which: int) -> bool:
        """Do not wait for input ``which`` until it gives an element; whether that moved it."""
        self._idle[which] = True
        return self._move()

    def _move(self) -> bool:
        marks = self._marks
        lowest = marks[0]
        if len(marks) > 1 and any(mark < inf for mark in marks):
            pairs = zip(marks, self._idle, strict=True)
            awake = [mark for mark, is_idle in pairs if mark < inf and not is_idle]
            lowest = min(awake, default=-inf)  # all idle: time stands still, or they come too late
        if lowest <= self.value:
            return False
        self.value = lowest
        return True
