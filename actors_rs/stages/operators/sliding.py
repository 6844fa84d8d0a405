"""sliding(3)

in:  1 2 3 4 |
out: (1, 2, 3) (2, 3, 4) |

Gives tuples of neighbouring elements; one that would be shorter is not given.

Back-pressure: asks for its window, as far as downstream asks.
Completes: with upstream.
Fails: with upstream, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from actors_rs.stages.chunks.views import Windows
from actors_rs.stages.linear import Operator
from actors_rs.stages.ports import Frame

WIDEST_VIEW = 64
"""A wider tuple is made faster as a slice than of so many iterators, one element of each."""


class Sliding(Operator):
    """Tuples of ``size`` elements, each beginning ``step`` elements after the one before."""

    never_waits = True
    asks_ahead = True
    released_attributes = ("_recent",)

    def __init__(self, size: int, step: int) -> None:
        super().__init__()
        self._size = size
        self._step = step
        self._recent: list[Any] = []  # from the beginning of the next tuple on
        self._gap = 0  # elements between tuples that are still to come

    def asked(self) -> float:
        return self.outlet.requested * self._step + self._size

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        recent, size, step = self._recent, self._size, self._step
        if self._gap:
            self._gap -= sum(1 for _ in islice(elements, self._gap))
        recent.extend(elements)
        if self._makes_many(len(recent)):
            found = list(Windows(recent, size))
        else:
            begins = range(0, len(recent) - size + 1, step)
            found = [tuple(recent[begin : begin + size]) for begin in begins]
        behind = len(found) * step
        self._gap += max(0, behind - len(recent))
        del recent[:behind]
        return found

    def _pass_on(self, frame: Frame) -> int:
        if self._size > WIDEST_VIEW or not self._makes_many(len(self._recent) + len(frame)):
            return super()._pass_on(frame)
        windows = Windows([*self._recent, *frame], self._size)
        self._recent = windows.tail()
        self.outlet.emit(windows)
        return len(frame)

    def _makes_many(self, count: int) -> bool:
        """Whether ``count`` elements are so many neighbouring tuples that one iterator for each
        place in them costs less than a slice for each tuple."""
        return self._step == 1 and count >= 2 * self._size
