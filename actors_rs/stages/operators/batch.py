"""batch(3)

    in:  1 2 3 4 |
    out: [1 2 3] [4] |

Gives lists of a number of elements; the last one may be shorter. With ``within`` a batch that is
not full is given that many seconds after its first element.

Back-pressure: asks for its window once downstream asks, and gathers one list ahead.
Completes: with upstream, behind what came of its elements.
Fails: with upstream, behind what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, Cancellable, StageLogic


class Batch(StageLogic):
    """Lists of ``count`` elements; the last one, or one whose time is up, may be shorter."""

    def __init__(self, count: int, within: float | None) -> None:
        self.inlet, self.outlet = Inlet(), Outlet()
        self.inlets, self.outlets = (self.inlet,), (self.outlet,)
        self._count = count
        self._within = within
        self._batch: list[Any] = []
        self._due = False
        self._timer: Cancellable | None = None

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        if outlet.demand:
            inlet.open()
        self._gather()
        while outlet.demand and self._ready():
            self._give()
            self._gather()
            if budget.spent():
                return
        if inlet.exhausted and not self._batch:
            self.end(inlet.error)

    def held(self) -> list[Any]:
        return self._batch

    def stop(self, error: BaseException | None) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _gather(self) -> None:
        inlet = self.inlet
        while inlet.buffered and len(self._batch) < self._count:
            if not self._batch and self._within is not None:
                self._timer = self.context.after(
                    self._within, partial(self._time_is_up, self._batch)
                )
            self._batch.extend(inlet.take(self._count - len(self._batch)))

    def _ready(self) -> bool:
        full = len(self._batch) == self._count
        return full or (bool(self._batch) and (self._due or self.inlet.exhausted))

    def _give(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        batch, self._batch, self._due, self._timer = self._batch, [], False, None
        self.outlet.emit([batch])

    def _time_is_up(self, batch: list[Any]) -> None:
        self._due = self._due or batch is self._batch
