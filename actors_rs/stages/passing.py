"""Stages with one inlet and one outlet that do not change what flows, or not its order.

``PassThrough`` hands on what comes, and requests what downstream requests. Subclasses watch it or
cut it short. ``Buffered`` requests its window.
``Detached`` takes what comes whether or not it is asked for, and gives at downstream's pace.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.stages.chunks.chunk import ELEMENTS, ChunkSize
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic

__all__ = ["Buffered", "Detached", "PassThrough"]


class PassThrough(StageLogic):
    """What comes is passed on as it is, as soon as it is asked for."""

    passes_demand = True

    def __init__(self) -> None:
        self.inlet, self.outlet = Inlet(), Outlet()
        self.inlets, self.outlets = (self.inlet,), (self.outlet,)
        if self.passes_demand:
            self.inlet.room = self.outlet

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        if outlet.demand:
            inlet.open()
        self.pass_on(budget)
        if outlet.demand:
            inlet.open()  # elements that were taken and not given are requested anew
        if inlet.exhausted:
            self.upstream_ended(inlet.error)

    def pass_on(self, budget: Budget) -> None:
        """Give what is here and asked for."""
        inlet, outlet = self.inlet, self.outlet
        while inlet.buffered and outlet.demand:
            outlet.emit(inlet.take(outlet.demand))

    def upstream_ended(self, error: BaseException | None) -> None:
        """Nothing is left to pass on; called in every turn until the stage has ended."""
        self.end(error)


class Buffered(PassThrough):
    """A window of elements waits here for downstream."""

    passes_demand = False


class Detached(StageLogic):
    """Takes all that comes at once, and gives something of it when it is asked.

    Subclasses keep state of a bounded size and give three hooks. The inlet's window then limits all
    other elements in the stage. If the stream ends in any way, downstream first gets what is held.
    So while an element that raised waits for that, no other is taken.
    """

    gives_each = False
    """Whether each element that comes while downstream asks is given, rather than the newest one.

    Then none is taken beyond ``outlet.demand`` while more requested elements are foreseen: the next
    grant is a turn of its own, after the elements of the last grant.
    """

    def __init__(self) -> None:
        self.inlet, self.outlet = Inlet(), Outlet()
        self.inlets, self.outlets = (self.inlet,), (self.outlet,)
        self._chunk = ChunkSize(ELEMENTS)
        self._failure: BaseException | None = None
        self._raised: tuple[Exception, Any, int] | None = None  # error, element, position

    def take_in(self, elements: Iterator[Any], /) -> None:
        """Take ``elements``, all of them; may give some. If it raises, the last one is at fault."""
        raise NotImplementedError

    def give(self, budget: Budget) -> None:
        """Give what is due, as far as ``outlet.demand`` allows."""
        raise NotImplementedError

    @property
    def holds(self) -> bool:
        """Whether something is kept that has to be given before the stream ends."""
        raise NotImplementedError

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        if outlet.demand:
            inlet.open()
        self.give(budget)
        while self._may_go_on() and (most := self._most()) and not budget.spent():
            self._take_frame(most, budget)
            self.give(budget)
        if inlet.exhausted and not self._raised and (outlet.closed or not self.holds):
            self.end(self._failure if self._failure is not None else inlet.error)

    def fail_behind(self, error: BaseException) -> None:
        """Fail with ``error``, after the held elements; upstream is cancelled at once."""
        self._failure = self.context.failed(error)
        self.inlet.cancel(self._failure)

    def _may_go_on(self) -> bool:
        """Deal with an element that raised, if what came before it has been given."""
        if self._raised is None:
            return True
        if self.holds and not self.outlet.closed:
            return False
        raised, self._raised = self._raised, None
        return self.survives(*raised)

    def _most(self) -> int:
        """How many elements to take next."""
        most = min(self._chunk.size, self.inlet.buffered)
        waits_for_grant = self.gives_each and self.outlet.foreseen
        return min(most, self.outlet.demand) if waits_for_grant else most

    def _take_frame(self, most: int, budget: Budget) -> None:
        frame = self.inlet.take(most)
        elements = self.drawing = iter(frame)
        try:
            self.take_in(elements)
        except Exception as error:
            rest = list(elements)
            self.inlet.untake(rest)
            self._raised = (error, frame[len(frame) - len(rest) - 1], self.inlet.count - 1)
        else:
            self._chunk.record(len(frame), budget.lap())
