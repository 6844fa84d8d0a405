"""Linear stages: one inlet, and one outlet or none.

An operator is an iterator transform: ``map`` is ``map(f, elements)``. It is applied piece by piece
to what has arrived, limited by demand, and what it produced before an exception is delivered
before the failure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from operator import length_hint
from typing import Any

from actors_rs.stages.pace import Pace
from actors_rs.stages.ports import Frame, Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic

__all__ = ["Operator", "SinkLogic"]


class _Linear(StageLogic):
    """Shared by operators and sinks: an inlet, and pieces of a fitting size."""

    def __init__(self) -> None:
        self.inlet = Inlet()
        self.inlets = (self.inlet,)
        self.pace = Pace()

    def fail_at(self, error: Exception, rest: Iterator[Any]) -> None:
        """Fail, naming the element taken last: ``rest`` is what of its piece comes behind it."""
        self.fail(error, self.inlet.count - length_hint(rest) - 1)


class Operator(_Linear):
    """One inlet, one outlet. Subclasses give ``transform``."""

    expanding = False
    """Whether an element in may give more than one out."""

    def __init__(self) -> None:
        super().__init__()
        self.outlet = Outlet()
        self.outlets = (self.outlet,)
        self.satisfied = False
        """Set by ``transform`` when the stream is to complete behind what it has given."""
        self._elements: Iterator[Any] = iter(())
        self._results: Iterator[Any] | None = None  # what is left of the piece, beyond demand

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        """What comes of ``elements``, a piece of the input. State lives in the logic itself."""
        raise NotImplementedError

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        """Append all that comes of ``elements``; keeps what came before an exception."""
        out.extend(self.transform(elements))

    def advance(self, budget: Budget) -> None:
        inlet, outlet, pace = self.inlet, self.outlet, self.pace
        handled = 0
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        while outlet.demand > 0:
            if self._results is None and (self.satisfied or not inlet.buffered):
                inlet.open()
                break
            if handled and budget.spent():
                break
            handled = self._advance_piece()
            pace.record(handled, budget.lap())
        if self._results is None:
            self._end_if_due()

    def _advance_piece(self) -> int:
        """Take a piece, or go on with the open one; returns how many elements were handled."""
        demand, most = self.outlet.demand, self.pace.size
        if self._results is None:
            piece = self.inlet.take(most)
            if len(piece) <= demand and not self.expanding:
                return self._pass_on(piece)
            self._open_piece(piece)
        return self._give(min(demand, most))

    def _pass_on(self, piece: Frame) -> int:
        """A piece that cannot exceed demand, in one go; returns its size."""
        elements = iter(piece)
        out: list[Any] = []
        try:
            self.collect(elements, out)
        except Exception as error:
            self.outlet.emit(out)
            self.fail_at(error, elements)
        else:
            self.outlet.emit(out)
        return len(piece)

    def _open_piece(self, piece: Frame) -> None:
        """A piece that may exceed demand: its results are drawn as they are demanded.

        A transform that returns a list has settled the piece: the list is what is left of it.
        """
        self._elements = iter(piece)
        try:
            results = self.transform(self._elements)
            self._results = iter(results)
        except Exception as error:
            self.fail_at(error, self._elements)
        else:
            if isinstance(results, list):
                self._elements = self._results

    def _give(self, most: int) -> int:
        """Emit up to ``most`` results of the open piece; returns how many elements were handled."""
        before = length_hint(self._elements)
        out: list[Any] = []
        try:
            out.extend(islice(self._results or (), most))
        except Exception as error:
            self._results = None
            self.outlet.emit(out)
            self.fail_at(error, self._elements)
            return len(out)
        left = length_hint(self._elements)
        if len(out) < most or not (left or self.expanding):
            self._results = None
        self.outlet.emit(out)
        return max(len(out), before - left)

    def _end_if_due(self) -> None:
        inlet = self.inlet
        if self.satisfied:
            self.end(None)
        elif inlet.exhausted:
            self.end(inlet.error)


class SinkLogic(_Linear):
    """The end of a stream. Subclasses give ``consume`` and ``finish``; ``result`` is the run's."""

    def __init__(self) -> None:
        super().__init__()
        self.result: Any = None
        self.completed = False
        self.satisfied = False
        """Set by ``consume`` when no further element is needed."""

    def consume(self, elements: Iterator[Any], /) -> None:
        """Take all ``elements``, a piece of the input; raising fails the run."""
        raise NotImplementedError

    def finish(self) -> Any:
        """The stream completed; returns the sink's result."""
        return None

    def start(self) -> None:
        self.inlet.open()

    def advance(self, budget: Budget) -> None:
        inlet, pace = self.inlet, self.pace
        taken = 0
        while inlet.buffered and not self.satisfied:
            if taken and budget.spent():
                return
            piece = inlet.take(pace.size)
            elements = iter(piece)
            try:
                self.consume(elements)
            except Exception as error:
                self.fail_at(error, elements)
                return
            pace.record(len(piece), budget.lap())
            if budget.spent() and inlet.buffered:  # an end that is already here is dealt with now
                return
        ended = inlet.exhausted and inlet.error is None and not inlet.cancelled
        if (self.satisfied or ended) and not self.completed:
            self.result = self.finish()
            self.completed = True
            inlet.cancel()
