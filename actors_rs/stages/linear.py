"""Linear stages: one inlet, and one outlet or none.

An operator is an iterator transform: ``map`` is ``map(f, elements)``. It is applied piece by piece
to what has arrived, limited by demand, and what it produced before an exception is delivered
before the failure. An exception leaves the piece just past the failing element, so a stage that
is to go on applies the transform to the rest: a generator that raised has ended, but its state
lives in the logic.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from functools import partial
from itertools import islice
from operator import length_hint
from typing import Any

from actors_rs.stages.pieces.brake import Brake, Halted
from actors_rs.stages.pieces.counted import NOTHING, behind
from actors_rs.stages.pieces.pace import Pace
from actors_rs.stages.pieces.room import Wanted
from actors_rs.stages.pieces.views import begun, seen_at_once
from actors_rs.stages.ports import Frame, Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic, StreamEnd

__all__ = ["Operator", "SinkLogic"]

ENOUGH = 256
"""Elements for a piece that is worth its turn."""


class _Linear(StageLogic):
    """Shared by operators and sinks: an inlet, and pieces of a fitting size."""

    survive_renewal: frozenset[str] = frozenset(
        ("given_up", "inlet", "pace", *vars(StageLogic), *StageLogic.__annotations__)
    )
    """Attributes that a restart leaves alone; all others become those of a fresh logic.

    What every logic has is between it and its surroundings, which set it once.
    """
    given_up = 0
    """How many elements were in hand when the stage was restarted: they are dead letters."""
    runs_user = False
    """Whether it calls a function of the user's for each element, one that may turn slow."""
    takes_views = False
    """Whether ``collect`` or ``consume`` does nothing with the elements but to draw them."""

    def __init__(self) -> None:
        self.inlet = Inlet()
        self.inlet.takes_views = self.takes_views
        self.inlets = (self.inlet,)
        self.pace = Pace()
        self.brake: Brake = Brake()

    def want(self, elements: int) -> None:
        """Request ``elements`` more in all, unless that is more than a window; in ``start``."""
        if self.inlet.room is None and 0 < elements <= self.inlet.capacity:
            self.inlet.room = Wanted(self.inlet, elements)

    def survives_in(
        self,
        piece: Frame,
        left: int,
        rest: Iterator[Any],
        error: Exception,
        first: Callable[[], None] | None = None,
    ) -> bool:
        """``survives`` for the element of ``piece`` taken last, behind which is ``rest``.

        ``left`` were left of the piece before. If none of them was taken, no element is at fault.
        """

        def before_the_end() -> None:
            if first is not None:
                first()
            if piece:  # else what is left are functions that are not due yet
                self.inlet.untake(piece[len(piece) - now_left :])
                deque(rest, maxlen=0)  # what went back is in hand no more: see ``held``

        now_left = length_hint(rest)
        if now_left < left:
            element, position = piece[-now_left - 1], self.inlet.count - now_left - 1
            error = self.explained(error, element)
            return self.survives(error, element, position, first=before_the_end)
        before_the_end()
        self.fail(error)
        return False

    def explained(self, error: Exception, element: Any) -> Exception:
        """What is to be said instead of ``error``, which was raised for ``element``."""
        return error

    def renew(self, error: BaseException, position: int | None) -> None:
        self.stop(error)
        self._give_up(self.held(), error)
        fresh, mine = vars(self.remake()), vars(self)
        for name in mine.keys() - fresh.keys() - self.survive_renewal:
            del mine[name]
        mine.update({key: fresh[key] for key in fresh.keys() - self.survive_renewal})
        self.start()

    def _give_up(self, elements: Iterable[Any], error: BaseException | None = None) -> None:
        for element in elements:
            self.given_up += 1
            self.context.report(element, "in hand when its stage was restarted", error)


class Operator(_Linear):
    """One inlet, one outlet. Subclasses give ``transform``."""

    expanding = False
    """Whether an element in may give more than one out."""
    one_for_one = False
    """Whether ``collect`` gives exactly one element for each it takes. If it ``runs_user`` and does
    not, it gives the brake the ``function`` of its loop."""
    gives_views = False
    """Whether it may give a ``View`` of a piece, instead of a list of what comes of it."""
    asks_ahead = False
    """Whether it needs elements before it is asked for so many: all of them, for instance."""
    survive_renewal = _Linear.survive_renewal | {
        "outlet",
        "outlets",
        "_elements",
        "_left",
        "_piece",
    }

    def __init__(self) -> None:
        super().__init__()
        self.outlet = Outlet()
        self.outlets = (self.outlet,)
        self.satisfied = False
        """Set by ``transform`` when the stream is to complete behind what it has given."""
        self._piece: Frame = ()
        self._elements = NOTHING
        self._left = 0  # of the piece when the transform was applied to it
        self._results: Iterator[Any] | None = None  # what is left of the piece, beyond demand

    def be_frugal(self) -> None:
        if not self.asks_ahead:
            self.inlet.room = self.outlet

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        """What comes of ``elements``, a piece of the input. State lives in the logic itself.

        It is applied anew behind an element for which it raised, if the stage goes on. So it
        draws one element at a time, and neither loses nor keeps back what came of those before.
        """
        raise NotImplementedError

    def held(self) -> Iterable[Any]:
        return () if self._results is None or not self._piece else tuple(copy(self._elements))

    def hold_nothing(self) -> None:
        super().hold_nothing()
        if self._results is not None:
            held = [None] * length_hint(self._elements)
            self._piece = held if self._piece else ()
            self._elements, self._results = iter(held), NOTHING

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        """Append all that comes of ``elements``; keeps what came before an exception."""
        out.extend(self.transform(elements))

    def advance(self, budget: Budget) -> None:
        inlet, outlet, pace = self.inlet, self.outlet, self.pace
        handled = 0
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
        if inlet.room is not None and outlet.demand:
            inlet.open()
        while outlet.demand > 0:
            if self._results is None and (self.satisfied or not inlet.buffered):
                inlet.open()
                break
            if handled and budget.spent():
                break
            handled = self._advance_piece()
            pace.record(handled, budget.lap())
        if self._results is None:
            self._end_if_due(budget)

    def _advance_piece(self) -> int:
        """Take a piece, or go on with the open one; returns how many elements were handled."""
        demand, most = self.outlet.demand, self.pace.size
        if self._results is None:
            # More than is asked for only where few are, and it is not known what will come of it.
            exact = self.one_for_one or demand >= ENOUGH
            piece = self.inlet.take(min(most, demand) if exact else most)
            if len(piece) <= demand and not self.expanding:
                return self._pass_on(piece)
            self._open_piece(piece)
        return self._give(min(demand, most))

    def _pass_on(self, piece: Frame) -> int:
        """A piece that cannot exceed demand, in one go; returns how much of it was handled.

        That is all of it, unless a function of the user's turned slow and the brake was pulled, or
        the operator is satisfied: what is behind that has not been taken.
        """
        left = size = len(piece)
        out: list[Any] = []
        if self.runs_user:
            self._fills(out)
        while True:
            before = left
            left, error = self.brake.run(self, piece, before, out)
            if error is None:
                break
            piece, emit = seen_at_once(piece), partial(self.outlet.emit, out)
            if not self.survives_in(piece, before, behind(piece, size - left), error, emit):
                return size
        if left:
            self.inlet.untake(piece[size - left :])
        self.outlet.emit(out)
        return max(size - left, 1)

    def _fills(self, out: list[Any]) -> None:
        """A function of the user's is about to be called for a piece that gives ``out``."""
        self.context.filling(self.outlet, out)

    def _open_piece(self, piece: Frame) -> None:
        """A piece that may exceed demand: its results are drawn as they are demanded."""
        self._piece = piece = seen_at_once(piece)
        self._elements = iter(piece)
        self._open_rest()

    def _open_rest(self) -> None:
        """Apply the transform to what is left of the piece.

        A transform that returns a list has settled the piece: the list is what is left of it.
        """
        while True:
            self._left = length_hint(self._elements)
            elements = self._elements
            try:
                results = self.transform(
                    self.brake.through(elements) if self.runs_user else elements
                )
                self._results = iter(results)
            except Exception as error:
                if not self.survives_in(self._piece, self._left, self._elements, error):
                    return
            else:
                if isinstance(results, list):
                    self._elements = self._results
                return

    def _give(self, most: int) -> int:
        """Emit up to ``most`` results of the open piece; returns how many elements were handled."""
        before = length_hint(self._elements)
        out: list[Any] = []
        if self.runs_user:
            self.context.filling(self.outlet, out)
        halted = False
        try:
            more = self._pull(self._results or NOTHING, out, most)
        except Halted:
            left = length_hint(self._elements) + 1  # the element it was called with is not taken
            self._elements = behind(self._piece, len(self._piece) - left)
            more, halted = False, True
        except Exception as error:
            self._results = None
            self.outlet.emit(out)
            if self.survives_in(self._piece, self._left, self._elements, error):
                self._open_rest()
            return max(len(out), 1)
        # A pull may have begun before the brake was released, and `halt` behind that.
        braked = (halted or self.brake.pulled) and not self.satisfied
        if not more and braked and length_hint(self._elements):
            self._open_rest()
        elif not more:
            if self.satisfied and not self.expanding:  # what is behind that has not been taken
                self.inlet.untake(self._piece[len(self._piece) - length_hint(self._elements) :])
            self._results, self._piece = None, ()
        self.outlet.emit(out)
        return max(len(out), before - length_hint(self._elements))

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


class SinkLogic(_Linear, StreamEnd):
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
        """Take all ``elements``, a piece of the input; raising fails the run.

        What it did for the elements before the one it raises for must stand, for the stage may go
        on, or ``all_or_nothing`` be set.
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
        inlet, pace = self.inlet, self.pace
        while inlet.buffered and not self.satisfied:
            piece = inlet.take(pace.size)
            elements, rest = begun(piece)
            if self.runs_user:
                self.context.at_work()
            left = 0
            try:
                try:
                    self.consume(elements)
                except Exception as error:
                    if not self._go_on_in(piece, elements, rest, error):
                        return
            except Halted:
                left = length_hint(rest) + 1  # the element it was called with is not taken
                inlet.untake(piece[-left:])
            pace.record(len(piece) - left, budget.lap())
            if inlet.buffered and budget.spent():  # an end that is already here is dealt with now
                return
        ended = inlet.done and inlet.exhausted and inlet.error is None and not inlet.cancelled
        if (self.satisfied or ended) and self.settled and not self.completed:
            self.result = self.finish()
            self.completed = not inlet.cancelled  # unless it has failed in there
            inlet.cancel()

    def renew(self, error: BaseException, position: int | None) -> None:
        super().renew(error, position)
        self._not_mine = position or 0

    def _go_on_in(
        self, piece: Frame, elements: Iterator[Any], rest: Iterator[Any], error: Exception
    ) -> bool:
        """``consume`` raised ``error``: whether the rest of the piece has been consumed.

        ``rest`` knows how many ``elements`` are left of the piece.
        """
        size = left = len(piece)
        while True:
            now_left = length_hint(rest)
            if self.all_or_nothing and left - now_left > 1:
                self.consume(iter(piece[size - left : size - now_left - 1]))
            if not self.survives_in(piece, left, rest, error):
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
