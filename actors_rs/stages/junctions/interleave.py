"""a.interleave(b, 2)

a:   1 2 3 4 5 |
b:   8 9 7 |
out: 1 2 8 9 3 4 7 5 |

``n`` elements of one input, then as many of the other. When one has completed, the rest of the
other follows.

Back-pressure: asks both inputs for their windows once downstream asks; waits for the one whose
  turn it is.
Completes: when both inputs have completed and what they gave was delivered.
Fails: when an input has failed, after what that input gave; the other is cancelled.
Cancels: both inputs, when downstream cancels.
"""

from __future__ import annotations

from typing import Any

from actors_rs.stages.junction import FanIn
from actors_rs.stages.stage import Budget


class Interleave(FanIn):
    """Two inlets in turn, ``n`` elements each."""

    def __init__(self, n: int) -> None:
        super().__init__(2)
        self._n = n
        self._turn = 0  # the inlet whose turn it is
        self._left = n  # elements until it is the other's

    def advance(self, budget: Budget) -> None:
        if self.look_downstream() > 0:
            self._give_rounds()
            while self.outlet.demand > 0 and self._give_segment():
                pass
        self.end_with_the_last()

    def _give_rounds(self) -> None:
        """All rounds that are complete on both sides, in one frame."""
        one, other = self.inlets
        n = self._n
        rounds = min(self.outlet.demand // (2 * n), one.buffered // n, other.buffered // n)
        if rounds < 1 or self._turn or self._left < n:
            return
        first, second = one.gather(rounds * n), other.gather(rounds * n)
        frame: list[Any] = []
        for begin in range(0, rounds * n, n):
            frame += first[begin : begin + n]
            frame += second[begin : begin + n]
        self.outlet.emit(frame)

    def _give_segment(self) -> bool:
        """A part of the turn's inlet; False if that must be waited for, or all have ended."""
        inlet = self.inlets[self._turn]
        if inlet.exhausted:
            if inlet.error is not None or self.inlets[1 - self._turn].exhausted:
                return False
            self._pass_turn()
            return True
        if not inlet.buffered:
            return False
        other = self.inlets[1 - self._turn]
        alone = other.exhausted and other.error is None
        most = self.outlet.demand if alone else min(self.outlet.demand, self._left)
        frame = inlet.take(most)
        self.outlet.emit(frame)
        self._left -= len(frame)
        if self._left <= 0:
            self._pass_turn()
        return True

    def _pass_turn(self) -> None:
        self._turn = 1 - self._turn
        self._left = self._n
