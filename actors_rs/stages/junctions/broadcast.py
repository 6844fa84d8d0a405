"""broadcast(2)

in:    1 2 3 |
out 0: 1 2 3 |
out 1: 1 2 3 |          (at the pace of the slowest)

Back-pressure: asks upstream for what all outlets have asked for.
Completes: all outlets, when the input has completed and all of it was given.
Fails: all outlets, when the input has failed, after what it gave; or when a stage after one of
  them has failed.
Cancels: upstream, when all outlets have been cancelled; one that was no longer counts.
"""

from __future__ import annotations

from actors_rs.stages.chunks.room import Slowest
from actors_rs.stages.junction import FanOut
from actors_rs.stages.ports import Frame, Outlet
from actors_rs.stages.stage import Budget


class Broadcast(FanOut):
    """Every element to every outlet; an outlet that has had enough no longer counts."""

    passes_demand = True

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.inlet.room = Slowest(self.outlets)

    def advance(self, budget: Budget) -> None:
        inlet = self.inlet
        if not (active := self.look_downstream()):
            return
        while (demand := min(outlet.demand for outlet in active)) > 0:
            inlet.open()
            if not inlet.buffered:
                break
            self.give(inlet.take(demand), active)
        if inlet.exhausted:
            self.end(inlet.error)

    def give(self, frame: Frame, active: list[Outlet]) -> None:
        """Hand ``frame`` to the outlets that are ``active``."""
        for outlet in active:
            outlet.emit(frame)
