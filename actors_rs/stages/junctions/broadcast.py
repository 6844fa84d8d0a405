"""broadcast(2)

in:    1 2 3 |
out 0: 1 2 3 |
out 1: 1 2 3 |      (at the pace of the slowest)
"""

from __future__ import annotations

from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic


class Broadcast(StageLogic):
    """Every element to every outlet; an outlet that has had enough no longer counts."""

    def __init__(self, count: int) -> None:
        self.inlet = Inlet()
        self.inlets = (self.inlet,)
        self.outlets = tuple(Outlet(f"out {i}") for i in range(count))

    def advance(self, budget: Budget) -> None:
        inlet = self.inlet
        if (cause := self.downstream_failure()) is not None:
            self.end(cause)
        active = [outlet for outlet in self.outlets if not outlet.closed]
        if not active:
            inlet.cancel()
            return
        while (demand := min(outlet.demand for outlet in active)) > 0:
            inlet.open()
            if not inlet.buffered:
                break
            frame = inlet.take(demand)
            for outlet in active:
                outlet.emit(frame)
        if inlet.exhausted:
            self.end(inlet.error)
