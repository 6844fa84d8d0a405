"""Linear stages: one inlet, and one outlet or none.

An operator is an iterator transform: ``map`` is ``map(f, elements)``. It is applied chunk by chunk
to a frame of elements that have arrived, limited by demand. The results of a frame are emitted
as one frame, and results before an exception are delivered before the failure. An exception leaves
the chunk just past the failing element. So a stage that goes on applies the transform to the rest:
a generator that raised has ended, but its state lives in the logic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from functools import partial
from itertools import islice
from math import inf
from operator import length_hint
from sys import maxsize
from typing import Any

from actors_rs.stages.chunked import Chunked
from actors_rs.stages.chunks.chunk import CHUNK_SECONDS
from actors_rs.stages.chunks.counted import NOTHING, behind
from actors_rs.stages.chunks.views import begun, seen_at_once
from actors_rs.stages.chunks.window_policy import FIRST_WINDOW
from actors_rs.stages.ports import Frame, Outlet
from actors_rs.stages.stage import Budget, StreamEnd

__all__ = ["Operator", "SinkLogic"]

ENOUGH = 256
"""Elements for a frame that is worth its turn."""


class Operator(Chunked):
    """One inlet, one outlet. Subclasses give ``transform``."""

    expanding = False
    """Whether an element in may give more than one out."""
    one_for_one = False
    """Whether ``collect`` gives one element for each it takes, until the operator is satisfied."""
    leaves_out = False
    """Whether it drops elements, and ``transform`` gives each result as soon as it is drawn."""
    asks_ahead = False
    """Whether it needs elements before it is asked for so many: all of them, for instance."""
    survive_renewal = Chunked.survive_renewal | {
        "outlet",
        "outlets",
        "_elements",
        "_left",
        "_frame",
    }

    def __init__(self) -> None:
        super().__init__()
        self.outlet = Outlet()
        self.outlets = (self.outlet,)
        self.satisfied = False
        """``transform`` sets it if the stream must complete after the results given so far."""
        self._frame: Frame = ()
        self._elements = NOTHING
        self._left = 0  # of the frame when the transform was applied to it
        self._per_result = 1  # elements it took lately for a result, if it drops some
        self._results: Iterator[Any] | None = None  # the rest of the frame, beyond demand

    def expect_expensive(self) -> None:
        if not self.asks_ahead:
            self.inlet.room = self.outlet

    def asked(self) -> float:
        if not self.one_for_one and not self.leaves_out:
            return inf
        return self.outlet.requested * self._per_result

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        """The results of ``elements``, a chunk of the input. State lives in the logic itself.

        After an element for which it raised, it is applied anew to the rest, if the stage goes on.
        So it draws one element at a time, and neither loses nor keeps back results of earlier
        elements.
        """
        raise NotImplementedError

    def held(self) -> Iterable[Any]:
        return () if self._results is None or not self._frame else tuple(copy(self._elements))

    def release_held(self) -> None:
        super().release_held()
        if self._results is not None:
            held = [None] * length_hint(self._elements)
            self._frame = held if self._frame else ()
            self._elements, self._results = iter(held), NOTHING

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        """Append all that comes of ``elements``; keeps what came before an exception."""
        out.extend(self.transform(elements))

    def collect_until(self, full: int, elements: Iterator[Any], out: list[Any], /) -> None:
        """As ``collect``, but draw no element after that with which ``out`` has ``full`` results.

        Of an operator that ``leaves_out``, whose results are fewer than demanded as a rule.
        """
        out.extend(islice(self.transform(elements), full - len(out)))

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        self._budget = budget
        begun = False
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        if inlet.room is not None and outlet.demand:
            inlet.open()
        while outlet.demand > 0:
            if self._results is None and (self.satisfied or not inlet.buffered):
                inlet.open()
                break
            if begun and budget.spent():
                break
            begun = True
            self.chunk.record(self._advance_frame(), budget.lap())
        if self._results is None:
            self._end_if_due(budget)

    def _advance_frame(self) -> int:
        """Take a frame, or go on with the open one; returns how many elements it handled since the
        last look at the clock."""
        demand, chunk = self.outlet.demand, self.chunk
        if self._results is None:
            if self.leaves_out:
                wanted = max(chunk.size, demand * self._per_result)
                return self._pass_on(self.inlet.take_joined(min(chunk.gathered, wanted)))
            # More than is asked for only where few are, and it is not known what will come of it.
            exact = not self.expanding and (self.one_for_one or demand >= ENOUGH)
            frame = self.inlet.take_joined(min(chunk.gathered, demand) if exact else chunk.size)
            if len(frame) <= demand and not self.expanding:
                return self._pass_on(frame)
            self._open_frame(frame)
        return self._give(min(demand, chunk.gathered))

    def _pass_on(self, frame: Frame) -> int:
        """A frame whose results do not exceed demand, chunk by chunk; returns the elements of the
        last one.

        The results are emitted together. The rest of the frame goes back to the inlet when the
        operator is satisfied, when it has as many results as are demanded, when gathering takes
        too long, or when a port has closed.
        """
        left = size = len(frame)
        demand = self.outlet.demand if self.leaves_out else maxsize  # others give no more
        out: list[Any] = []
        if self.runs_user:
            self._fills(out)
        spent, lap, most = 0.0, self._budget.lap, self.chunk.size
        while True:
            begin = size - left
            part = frame if left <= most and not begin else frame[begin : begin + most]
            elements, counted = begun(part)
            self.drawing = counted
            before, behind_part = left, left - len(part)
            try:
                if cut := demand - len(out) < len(part):
                    self.collect_until(demand, elements, out)
                else:
                    self.collect(elements, out)
            except Exception as error:
                left = behind_part + length_hint(counted)
                self.drawing = None  # else it keeps the frame
                frame, emit = seen_at_once(frame), partial(self.outlet.emit, out)
                if not self.survives_in(frame, before, behind(frame, size - left), error, emit):
                    return size
            else:  # it may pass over elements without drawing them
                left = behind_part + (length_hint(counted) if self.satisfied or cut else 0)
            if not left or self.satisfied or len(out) == demand:
                break
            spent += (seconds := lap())
            if spent > CHUNK_SECONDS or self.inlet.cancelled:
                self.chunk.record(before - left, seconds)
                before = left
                break
        self.drawing = None
        if left:
            self.inlet.untake(frame[size - left :])
        if self.leaves_out:
            handled = size - left
            self._per_result = handled // len(out) if out else self._per_result + handled
        self.outlet.emit(out)
        return before - left

    def _fills(self, out: list[Any]) -> None:
        """A function of the user's is about to be called for a frame that gives ``out``."""
        self.context.filling(self.outlet, out)

    def _open_frame(self, frame: Frame) -> None:
        """A frame that may exceed demand: its results are drawn as they are demanded."""
        self._frame = frame = seen_at_once(frame)
        self._elements = iter(frame)
        self._open_rest()

    def _open_rest(self) -> None:
        """Apply the transform to what is left of the frame.

        A transform that returns a list has settled the frame: the list is what is left of it.
        """
        while True:
            self._left = length_hint(self._elements)
            self.drawing = self._elements
            try:
                results = self.transform(self._elements)
                self._results = iter(results)
            except Exception as error:
                if not self.survives_in(self._frame, self._left, self._elements, error):
                    return
            else:
                if isinstance(results, list):
                    self._elements = self._results
                return

    def _give(self, most: int) -> int:
        """Emit up to ``most`` results of the open frame; returns how many elements were handled."""
        before = length_hint(self._elements)
        out: list[Any] = []
        if self.runs_user:
            self.context.filling(self.outlet, out)
        try:
            more = self._pull(self._results or NOTHING, out, most)
        except Exception as error:
            self._results = None
            self.outlet.emit(out)
            if self.survives_in(self._frame, self._left, self._elements, error):
                self._open_rest()
            return max(len(out), 1)
        left = length_hint(self._elements)
        if not more:
            if self.satisfied and not self.expanding:  # a rest follows that was not taken
                self.inlet.untake(self._frame[len(self._frame) - left :])
            if not left:  # an iterator that was not asked once more keeps its list
                self._elements = NOTHING
            self._results, self._frame, self.drawing = None, (), None
        self.outlet.emit(out)
        return max(len(out), before - left)

    def _pull(self, results: Iterator[Any], out: list[Any], most: int) -> bool:
        """Append up to ``most`` of ``results`` to ``out``; whether there may be more of them."""
        out.extend(islice(results, most))
        return len(out) == most and (self.expanding or length_hint(self._elements) > 0)

    def _end_if_due(self, budget: Budget) -> None:
        inlet = self.inlet
        if self.satisfied:
            self.end(None)
        elif inlet.closed and inlet.exhausted:
            self.end(inlet.error)


class SinkLogic(Chunked, StreamEnd):
    """The end of a stream. Subclasses give ``consume`` and ``finish``; ``result`` is the run's."""

    all_or_nothing = False
    """Whether a ``consume`` that raises has done nothing for the elements before the failing one;
    they are given to it once more then."""

    def __init__(self) -> None:
        super().__init__()
        self.result: Any = None
        self.completed = False
        self.satisfied = False
        """Set by ``consume`` when no further element is needed."""
        self._not_mine = 0

    @property
    def taken(self) -> int:
        """How many elements it took since its last restart, without those it failed for."""
        return self.inlet.count - self._not_mine

    def consume(self, elements: Iterator[Any], /) -> None:
        """Take all ``elements``, a chunk of the input; raising fails the run.

        If it raises, its effects for earlier elements must stand, for the stage may go on.
        Otherwise set ``all_or_nothing``.
        """
        raise NotImplementedError

    def finish(self) -> Any:
        """The stream completed; returns the sink's result."""
        return None

    @property
    def settled(self) -> bool:
        """Whether ``finish`` may be called; else something else has to happen first."""
        return True

    def start(self) -> None:
        self.inlet.open()

    def advance(self, budget: Budget) -> None:
        inlet = self.inlet
        self._budget = budget
        while inlet.buffered and not self.satisfied:
            handled = self._take_frame(inlet.take_joined(self.chunk.gathered))
            self.drawing = None  # else it keeps the frame
            if handled is None:
                return
            self.chunk.record(handled, budget.lap())
            if inlet.buffered and budget.spent():  # an end that is already here is dealt with now
                return
        if inlet.window <= FIRST_WINDOW:
            inlet.open()  # it may grow
        ended = inlet.done and inlet.exhausted and inlet.error is None and not inlet.cancelled
        if (self.satisfied or ended) and self.settled and not self.completed:
            self.result = self.finish()
            self.completed = not inlet.cancelled  # unless it has failed in there
            inlet.cancel()

    def _take_frame(self, frame: Frame) -> int | None:
        """Consume ``frame``, chunk by chunk; ``None`` if the sink has failed.

        Returns how many elements it took since the last look at the clock. The rest of the frame
        goes back to the inlet after a failure, when the frame takes too long, when the sink is
        satisfied, or when it was given up.
        """
        left = size = len(frame)
        spent, lap, most = 0.0, self._budget.lap, self.chunk.size
        while True:
            begin = size - left
            part = frame if left <= most and not begin else frame[begin : begin + most]
            elements, counted = begun(part)
            self.drawing = counted
            left -= len(part)
            try:
                self.consume(elements)
            except Exception as error:
                self.inlet.untake(frame[size - left :])
                return len(part) if self._go_on_in(part, elements, counted, error) else None
            if not left:
                break
            spent += (seconds := lap())
            if self.satisfied or spent > CHUNK_SECONDS or self.inlet.cancelled:
                self.chunk.record(len(part), seconds)
                self.inlet.untake(frame[size - left :])
                return 0
        return len(part)

    def renew(self, error: BaseException, position: int | None) -> None:
        super().renew(error, position)
        self._not_mine = position or 0

    def _go_on_in(
        self, frame: Frame, elements: Iterator[Any], rest: Iterator[Any], error: Exception
    ) -> bool:
        """``consume`` raised ``error``: whether the rest of the frame has been consumed.

        ``rest`` knows how many ``elements`` are left of the frame.
        """
        size = left = len(frame)
        while True:
            now_left = length_hint(rest)
            if self.all_or_nothing and left - now_left > 1:
                self.consume(iter(frame[size - left : size - now_left - 1]))
            if not self.survives_in(frame, left, rest, error):
                return False
            self._not_mine += 1
            left = now_left
            if self.satisfied or not left:
                return True
            try:
                self.consume(elements)
            except Exception as another:
                error = another
            else:
                return True
