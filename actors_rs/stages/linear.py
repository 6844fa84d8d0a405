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

__all__ = ["Expanding", "Operator", "SinkLogic"]


class _Linear(StageLogic):
    """Shared by operators and sinks: an inlet, and pieces of a fitting size."""

    def __init__(self) -> None:
        self.inlet = Inlet()
        self.inlets = (self.inlet,)
        self.pace = Pace()

    def fail_at(self, error: Exception, piece: Frame, rest: Iterator[Any]) -> None:
        """Fail, naming the element of ``piece`` behind which ``rest`` continues."""
        self.fail(error, self.inlet.count - length_hint(rest) - 1)


class Operator(_Linear):
    """At most one element out for each element in. Subclasses give ``transform``."""

    def __init__(self) -> None:
        super().__init__()
        self.outlet = Outlet()
        self.outlets = (self.outlet,)
        self.satisfied = False
        """Set by ``transform`` when the stream is to complete behind what it has given."""

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        """What comes of ``elements``, a piece of the input. State lives in the logic itself."""
        raise NotImplementedError

    def advance(self, budget: Budget) -> None:
        inlet, outlet, pace = self.inlet, self.outlet, self.pace
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        while (demand := outlet.demand) > 0:
            inlet.open()
            if not inlet.buffered or self.satisfied:
                break
            piece = inlet.take(min(pace.size, demand))
            if not self._emit_from(piece):
                return
            pace.record(len(piece), budget.lap())
            if budget.spent():
                break
        self._end_if_due()

    def _emit_from(self, piece: Frame) -> bool:
        elements = iter(piece)
        out: list[Any] = []
        try:
            out.extend(self.transform(elements))
        except Exception as error:
            self.outlet.emit(out)
            self.fail_at(error, piece, elements)
            return False
        self.outlet.emit(out)
        return True

    def _end_if_due(self) -> None:
        inlet = self.inlet
        if self.satisfied:
            self.end(None)
        elif inlet.exhausted:
            self.end(inlet.error)


class Expanding(Operator):
    """Any number of elements out for each element in: what exceeds demand waits in an iterator."""

    def __init__(self) -> None:
        super().__init__()
        self._piece: Frame = ()
        self._elements: Iterator[Any] = iter(())
        self._results: Iterator[Any] | None = None

    def advance(self, budget: Budget) -> None:
        inlet, outlet, pace = self.inlet, self.outlet, self.pace
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        while (demand := outlet.demand) > 0:
            inlet.open()
            if self._results is None and not self._load():
                break
            out = self._some(min(pace.size, demand))
            outlet.emit(out)
            pace.record(len(out), budget.lap())
            if budget.spent():
                break
        if self._results is None:
            self._end_if_due()

    def _load(self) -> bool:
        if not self.inlet.buffered or self.satisfied:
            return False
        self._piece = self.inlet.take(self.pace.size)
        self._elements = iter(self._piece)
        self._results = iter(self.transform(self._elements))
        return True

    def _some(self, most: int) -> list[Any]:
        out: list[Any] = []
        try:
            out.extend(islice(self._results or (), most))
        except Exception as error:
            self.outlet.emit(out)
            self._results = None
            self.fail_at(error, self._piece, self._elements)
            return []
        if len(out) < most:
            self._results = None
        return out


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
        while inlet.buffered and not self.satisfied:
            piece = inlet.take(pace.size)
            elements = iter(piece)
            try:
                self.consume(elements)
            except Exception as error:
                self.fail_at(error, piece, elements)
                return
            pace.record(len(piece), budget.lap())
            if budget.spent():
                return
        ended = inlet.exhausted and inlet.error is None and not inlet.cancelled
        if (self.satisfied or ended) and not self.completed:
            self.result = self.finish()
            self.completed = True
            inlet.cancel()
