"""merge(a, b)

a:   1   3 |
b:     2     4 |
out: 1 2 3   4 |    (as they come; each input in its own order)
"""

from __future__ import annotations

from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic


class Merge(StageLogic):
    """All inlets at once, frame by frame in turn; the first failure ends it."""

    def __init__(self, count: int) -> None:
        self.inlets = tuple(Inlet(f"in {i}") for i in range(count))
        self.outlet = Outlet()
        self.outlets = (self.outlet,)
        self._next = 0

    def advance(self, budget: Budget) -> None:
        outlet = self.outlet
        if outlet.cancelled:
            self.end(outlet.cause)
        while (demand := outlet.demand) > 0:
            for inlet in self.inlets:
                inlet.open()
            ready = self._next_ready()
            if ready is None:
                break
            outlet.emit(ready.take(demand))
        failed = next((i for i in self.inlets if i.exhausted and i.error is not None), None)
        if failed is not None:
            self.end(failed.error)
        elif all(inlet.exhausted for inlet in self.inlets):
            self.end(None)

    def _next_ready(self) -> Inlet | None:
        """The next inlet that holds elements, each in its turn."""
        count = len(self.inlets)
        for step in range(count):
            inlet = self.inlets[(self._next + step) % count]
            if inlet.buffered:
                self._next = (self._next + step + 1) % count
                return inlet
        return None
