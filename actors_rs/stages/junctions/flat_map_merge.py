"""flat_map(f, breadth=2)

in:       a     b     c |
f(a):       1     2 |
f(b):             3     4 |
f(c):                     5 |       (started when one of the others has completed)
out:        1     2 3   4 5 |

Merges the streams that ``f`` returns, ``breadth`` of them at a time, each in its own order.

Back-pressure: takes an element only when an inner stream can be started for it and downstream
  asks; inner streams are asked for a share of the window each, frame by frame in turn.
Completes: when upstream and all inner streams have completed.
Fails: when upstream has failed and the inner streams have completed, when an inner stream fails,
  behind its last element, or when ``f`` raises and the stage's policy is to stop.
Cancels: upstream and all inner streams.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from actors_rs.stages.hosting import Hosting
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import Budget

LEAST_WINDOW = 16
"""Elements an inner stream is asked for at least, however many share the window."""
PIECE = 64
"""Most elements taken from upstream at once, to be given to ``f`` one by one."""


class FlatMapMerge(Hosting):
    """Up to ``breadth`` inner streams at a time, one for each element."""

    def __init__(self, f: Callable[[Any], Any], breadth: int) -> None:
        self.inlet = Inlet()
        super().__init__(self.inlet)
        self._f = f
        self._breadth = breadth
        self._hand: deque[Any] = deque()  # taken, but not given to f yet

    def advance(self, budget: Budget) -> None:
        outlet = self.outlet
        if outlet.cancelled:
            self.end(outlet.cause)
        while outlet.demand > 0 and (self._start_one() or self.line):
            if self.line:
                self._look_at_first()
            budget.lap()
            if budget.spent():
                break
        if not outlet.demand:
            self._look_for_ends()
        if self.inlet.exhausted and not self._hand and not self.running:
            self.end(self.inlet.error)

    def _start_one(self) -> bool:
        """Start the stream of the next element, if there is one and room for it."""
        inlet, hand = self.inlet, self._hand
        if self.running >= self._breadth:
            return False
        if not hand:
            inlet.open()
            if not inlet.buffered:
                return False
            hand.extend(inlet.take(PIECE))
        element = hand.popleft()
        try:
            source = self._f(element)
            at_hand = self.context.at_hand(source)
            if at_hand is None:
                self.begin(source, self._share, alone=False).open()
            elif at_hand:
                self.hold(at_hand)
        except Exception as error:
            return self.survives(error, element, inlet.count - len(hand) - 1)
        return True

    @property
    def _share(self) -> int:
        least = min(LEAST_WINDOW, self.window)
        return max(least, self.window // self._breadth)

    def _look_at_first(self) -> None:
        first = self.line.popleft()
        first.in_line = False
        if not first.cancelled and self.flow(first) and first.buffered:
            first.get_in_line()

    def _look_for_ends(self) -> None:
        """An end needs no demand, unless there are elements before it."""
        for inlet in tuple(self.line):
            if inlet.exhausted and not inlet.cancelled:
                self.line.remove(inlet)
                self.flow(inlet)

    def end(self, error: BaseException | None) -> None:
        self._hand.clear()
        super().end(error)
