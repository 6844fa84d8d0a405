"""merge(a, b)

a:   1   3 |
b:     2     4 |
out: 1 2 3   4 |

Elements as they come, each input's in its own order; frame by frame, each input in its turn. The
source of a ``Feedback`` goes first, as in ``merge_preferred``: else its loop would fill up.

Back-pressure: asks every input for its window once downstream asks; gives only what was asked for.
Completes: when all inputs have completed and what they gave was delivered.
Fails: when an input has failed, after what that input gave; the others are cancelled.
Cancels: all inputs, when downstream cancels.
"""

from __future__ import annotations

from actors_rs.stages.junction import FanIn
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import Budget


class Merge(FanIn):
    """All inlets at once, frame by frame in turn; the first failure ends it."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.preferred: tuple[Inlet, ...] = ()
        """Inlets that go before all others while they hold elements: the ways back of loops."""
        self._next = 0

    def advance(self, budget: Budget) -> None:
        demand, outlet = self.look_downstream(), self.outlet
        while demand > 0 and (ready := self.next_ready()) is not None:
            outlet.emit(ready.take(demand))
            demand = outlet.demand
        self.end_with_the_last()

    def next_ready(self) -> Inlet | None:
        """The next inlet that holds elements, each in its turn."""
        for inlet in self.preferred:
            if inlet.buffered:
                return inlet
        count = len(self.inlets)
        for step in range(count):
            inlet = self.inlets[(self._next + step) % count]
            if inlet.buffered:
                self._next = (self._next + step + 1) % count
                return inlet
        return None
