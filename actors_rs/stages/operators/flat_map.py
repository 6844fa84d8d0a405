"""flat_map(f)

in:  "ab" "c" |
out: a b c |        (list)

in:   x           y |
f(x):   1   2   |
f(y):             3 |   (started when the stream before it has completed)
out:    1   2     3 |

The elements of each iterable or stream that ``f`` returns, one after the other; ``concat_map`` is
another name for it.

Back-pressure: draws from an iterable, and asks a stream for, what downstream asks for.
Completes: when upstream has completed and the last stream too.
Fails: when upstream or an inner stream fails, behind all elements before, or when ``f`` raises and
  the stage's policy is to stop.
Cancels: upstream and the stream that is running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import length_hint
from typing import Any

from actors_rs.stages.linear import Operator
from actors_rs.stages.ports import Frame, Inlet
from actors_rs.stages.stage import Budget, Stream

_AT_HAND: tuple[type[Iterator[Any]], ...] = (type(iter([])), type(iter(())))
"""Iterators whose rest exists already; that of a range may be endless for all that is known."""


class FlatMap(Operator):
    """Iterables are drawn by the transform. It stops short at a stream, which then has its run."""

    expanding = True
    survive_renewal = Operator.survive_renewal | {"_past"}

    def __init__(self, f: Callable[[Any], Any]) -> None:
        super().__init__()
        self._f = f
        self._met: Stream | None = None  # by the transform, and not started yet
        self._met_in: Frame = ()  # the piece it was met in
        self._inner: Inlet | None = None
        self._drawn: Iterator[Any] = iter(())  # what comes of the element begun last
        self._started = 0
        self._past = Inlet("past")  # keeps count of what came from inner streams that ended
        self._past.complete()

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return chain.from_iterable(self._iterables(elements))

    def _iterables(self, elements: Iterator[Any]) -> Iterator[Iterable[Any]]:
        f = self._f
        for element in elements:
            result = f(element)
            if isinstance(result, Stream):
                at_hand = self.context.at_hand(result)
                if at_hand is None:
                    self._met, self._met_in = result, self._piece
                    self.satisfied = True  # by this piece, see _end_if_due
                    return
                result = at_hand
            self._drawn = drawn = iter(result)
            yield drawn

    def held(self) -> Iterable[Any]:
        """Behind the end, also what has not come of the element that was begun.

        That is the rest of a list. Of a stream, or of what is made as it is drawn, nobody has the
        rest: there it is the element itself, whatever had come of it.
        """
        if not self.outlet.closed:
            return super().held()
        streams = self._met is not None or self._inner is not None
        if self._results is None and not streams:
            return ()
        piece, left = self._met_in if streams else self._piece, length_hint(self._elements)
        rest = tuple(self._elements)
        if not streams and isinstance(self._drawn, _AT_HAND):
            return (*self._drawn, *rest)
        return (piece[-left - 1], *rest)

    def advance(self, budget: Budget) -> None:
        while self._inner is None or self._inner_is_over(self._inner):
            super().advance(budget)
            if self._inner is None or budget.spent():
                return

    def _end_if_due(self) -> None:
        if self._met is None:
            super()._end_if_due()
            return
        met, self._met, self.satisfied = self._met, None, False
        try:
            self._begin(met)
        except Exception as error:
            if self.survives_in(self._met_in, self._left, self._elements, error):
                self._go_on()

    def _begin(self, source: Stream) -> None:
        inner = Inlet(f"inner {self._started}", self.window)
        self.inlets = (self.inlet, self._past, inner)
        try:
            self.context.attach(source, inner, alone=True)
        except BaseException:
            self.inlets = (self.inlet, self._past)  # nothing feeds it
            raise
        self._inner = inner
        self._started += 1
        inner.open()

    def _inner_is_over(self, inner: Inlet) -> bool:
        """Emit what the inner stream gave; True when it has completed and was forgotten."""
        outlet = self.outlet
        if outlet.cancelled:
            self.end(outlet.cause)
        while inner.buffered and outlet.demand:
            outlet.emit(inner.take(outlet.demand))
        if inner.error is not None and inner.exhausted:
            self.end(inner.error)
        if not inner.exhausted or outlet.closed:
            return False
        self._past.count += inner.count
        self._inner, self.inlets = None, (self.inlet, self._past)
        self._go_on()
        return True

    def _go_on(self) -> None:
        """Apply the transform to what is left of the piece; an end behind it needs no demand."""
        piece, self._met_in = self._met_in, ()
        if length_hint(self._elements):
            self._piece = piece
            self._open_rest()

    def details(self) -> dict[str, Any]:
        return {"inner": int(self._inner is not None), "started": self._started}
