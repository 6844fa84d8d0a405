"""batch(3)

    in:  1 2 3 4 |
    out: [1 2 3] [4] |

Gives lists of a number of elements; the last one may be shorter. With ``within`` a batch that is
not full is emitted that many seconds after the stage took its first element, or later if downstream
has no demand. The stage takes that element when it comes, but not before it has emitted the list
before. So with a slow downstream, the time that an element waited in the inlet does not count.

Back-pressure: asks for its window once downstream asks, and gathers one list ahead.
Completes: with upstream, after the last list.
Fails: with upstream, after what came before.
Cancels: upstream, when downstream cancels.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from actors_rs.stages.ports import Frame, Inlet, Outlet
from actors_rs.stages.stage import Budget, Cancellable, StageLogic

SHORT = 20
"""Lists that are shorter cost less as tuples of ``zip`` than as slices."""


def cut_up(frame: Frame, count: int) -> list[list[Any]]:
    """``frame``, whose length is a multiple of ``count``, as lists of so many elements."""
    if count < SHORT:
        return list(map(list, zip(*[iter(frame)] * count, strict=True)))
    elements = frame if type(frame) is list else list(frame)
    return [elements[end - count : end] for end in range(count, len(elements) + 1, count)]


class Batch(StageLogic):
    """Lists of ``count`` elements; the last one, or one whose time is up, may be shorter."""

    never_waits = True
    cuts = True
    """Whether any ``count`` elements may be one batch, so that whole frames can be cut up."""

    def __init__(self, count: int, within: float | None) -> None:
        self.inlet, self.outlet = Inlet(), Outlet()
        self.inlets, self.outlets = (self.inlet,), (self.outlet,)
        self._count = count
        self._within = within
        self._batch: list[Any] = []
        self._due = self._closed = False
        self._timer: Cancellable | None = None

    def asked(self) -> float:
        return self.outlet.requested * self._count

    def fitting(self, batch: list[Any], frame: Frame) -> int:
        """How many elements of ``frame`` may join ``batch``; a batch others do not fit is closed.

        At least one if ``batch`` is empty.
        """
        return len(frame)

    def packed(self, batch: list[Any]) -> Any:
        """The element that is given for ``batch``."""
        return batch

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        if outlet.demand:
            inlet.open()
        self._collect(budget)
        while outlet.demand and self._ready():
            self._give()
            self._collect(budget)
            budget.lap()
            if budget.spent():
                return
        if inlet.exhausted and not self._batch:
            self.end(inlet.error)

    def held(self) -> list[Any]:
        return self._batch

    def release_held(self) -> None:
        self._batch, self._timer = [None] * len(self._batch), None

    def stop(self, error: BaseException | None) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _collect(self, budget: Budget) -> None:
        if self.cuts:
            self._give_full()
        self._gather(budget)

    def _give_full(self) -> None:
        """Give the lists that are full with what is here, together."""
        count, held = self._count, len(self._batch)
        if lists := min(self.outlet.demand, (held + self.inlet.buffered) // count):
            wanted = lists * count - held
            frame: Frame = self.inlet.gather(wanted) if wanted else ()
            full: list[Any] = []
            if held:
                self._batch += frame[: count - held]
                full.append(self._closed_batch())
                frame = frame[count - held :]
            self.outlet.emit(full + cut_up(frame, count))

    def _gather(self, budget: Budget) -> None:
        inlet = self.inlet
        while inlet.buffered and len(self._batch) < self._count and not self._closed:
            if not self._batch and self._within is not None:
                self._timer = self.context.after(
                    self._within, partial(self._time_is_up, self._batch)
                )
            frame = inlet.take(self._count - len(self._batch))
            fits = self.fitting(self._batch, frame)
            self._closed = fits < len(frame)
            inlet.untake(frame[fits:])
            self._batch.extend(frame[:fits])

    def _ready(self) -> bool:
        full = len(self._batch) == self._count
        return full or self._closed or (bool(self._batch) and (self._due or self.inlet.exhausted))

    def _give(self) -> None:
        self.outlet.emit([self._closed_batch()])

    def _closed_batch(self) -> Any:
        """The result for the current batch; the next one begins."""
        if self._timer is not None:
            self._timer.cancel()
        batch, self._batch, self._timer = self._batch, [], None
        self._due = self._closed = False
        return self.packed(batch)

    def _time_is_up(self, batch: list[Any]) -> None:
        self._due = self._due or batch is self._batch
