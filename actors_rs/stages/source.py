"""Sources: no inlet, one outlet, elements only as far as there is demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from actors_rs.stages.chunks.steps import Steps
from actors_rs.stages.iterators import close
from actors_rs.stages.ports import Frame, Outlet
from actors_rs.stages.stage import Budget, StageLogic

__all__ = ["IteratorSource", "SourceLogic"]


class SourceLogic(StageLogic):
    """A source whose next elements are always available. Subclasses give ``produce``."""

    def __init__(self) -> None:
        self.outlet = Outlet()
        self.outlets = (self.outlet,)
        self.ended = False
        """``produce`` sets it when no more elements follow the ones it returns."""

    def produce(self, most: int, budget: Budget) -> Frame:
        """Up to ``most`` elements; none only if ``ended`` or the stage failed."""
        raise NotImplementedError

    def advance(self, budget: Budget) -> None:
        outlet = self.outlet
        while not self.ended and (demand := outlet.demand) > 0:
            outlet.emit(self.produce(demand, budget))
            if outlet.demand > 0:  # a source without end must see when its turn is over
                budget.lap()
                if budget.spent():
                    break
        if self.ended:
            outlet.complete()

    def drain(self) -> None:
        self.ended = True


class IteratorSource(SourceLogic):
    """A source over any iterator: ready elements do not wait for later ones.

    The iterator may block, so it runs in an actor of its own, as an inner stream too, unless its
    host has nothing else to do.
    Subclasses give ``elements``; the iterator is made when the first element is demanded and
    closed, where it has ``close``, when the stage stops.
    """

    def __init__(self) -> None:
        super().__init__()
        self._iterator: Iterator[Any] | None = None
        self._steps = Steps(self.outlet)

    def interrupted_by(self, interrupt: Callable[[], object] | None) -> Self:
        """``interrupt`` makes it return where it waits."""
        if interrupt is not None:
            self.interrupt = interrupt
        return self

    def elements(self) -> Iterable[Any]:
        """The elements of one materialization."""
        raise NotImplementedError

    def produce(self, most: int, budget: Budget) -> Frame:
        out: list[Any] = []
        try:
            if self._iterator is None:
                self._iterator = iter(self.elements())
            watched = self.context.filling(self.outlet, out)
            self.ended = not self._steps.draw(self._iterator, out, most, budget.lap, watched)
        except Exception as error:
            self.outlet.emit(out)
            if self.interrupted:
                self.ended = True
                self.context.report(None, "raised when it was interrupted", error)
            else:
                self.fail(error, self.outlet.count)
            return ()
        return out

    def stop(self, error: BaseException | None) -> None:
        close(self._iterator)
