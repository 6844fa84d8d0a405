"""flat_map(f)

in:  "ab" "c" |
out: a b c |        (list)

in:   x           y |
f(x):   1   2   |
f(y):             3 |   (started when the stream before it has completed)
out:    1   2     3 |

The elements of each iterable or stream that ``f`` returns, one after the other; ``concat_map`` is
another name for it. Return an endless iterable as a ``Source.from_iterable``, which drains.

Back-pressure: draws from an iterable, and asks a stream for, what downstream asks for.
Completes: when upstream has completed and the last stream too; when drained, a stream ends after
its elements under way, an iterable at its end, since it belongs to an accepted element. A bare
``Source.of`` or ``Source.range`` counts as an iterable.
Fails: when upstream or an inner stream fails, after all elements before, or when ``f`` raises and
the stage's policy is to stop.
Cancels: upstream and the stream that is running; an iterator with a close() is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from itertools import chain, islice
from operator import length_hint
from typing import Any

from actors_rs.stages.calls.async_elements import is_async_only
from actors_rs.stages.chunks.counted import NOTHING
from actors_rs.stages.chunks.steps import Steps
from actors_rs.stages.inner.inline import InlineStream, RunsInline
from actors_rs.stages.inner.inner_ports import InnerInput
from actors_rs.stages.iterators import close, iterator_of
from actors_rs.stages.linear import Operator
from actors_rs.stages.ports import Frame, Inlet
from actors_rs.stages.stage import Budget, Stream

_AT_HAND: tuple[type[Iterator[Any]], ...] = (type(iter([])), type(iter(())))
"""Iterators whose remaining elements exist already; a range may be endless."""
_SEVERAL: tuple[Iterable[Any], ...] = ([], (), range(0), "", "\xe9", b"", {}, set())
_COUNTED = tuple({type(iter(kind)) for kind in _SEVERAL})
"""Iterators that know how many elements are left."""
_NEVER_CLOSED = frozenset((*_COUNTED, type(_ for _ in ())))
"""Iterators that hold nothing once they have given their last element."""
_PLAIN = frozenset({list, tuple, str, dict})
"""What most functions return: it can be iterated over, and needs no looking after."""
WANTED = "a Source, an iterable or an async iterable"


class FlatMap(RunsInline, Operator):
    """The transform iterates over iterables, and over streams that run inline.

    It stops short at any other stream, which then has its run.
    """

    expanding = True
    survive_renewal = Operator.survive_renewal | {"_met_in", "_past", "_steps", "inline_streams"}

    def __init__(self, f: Callable[[Any], Any], called: str = "flat_map") -> None:
        super().__init__()
        self._f = f
        self._what = f"{called}: f"  # in errors
        self._met: object = None  # by the transform, and not started yet
        self._met_in: Frame = ()  # the frame it was met in
        self._inner: Inlet | None = None
        self._latest = NOTHING  # the results of the element begun last
        self._stream: InlineStream | None = None  # the inline stream that the transform is in
        self._looked = -1  # how much had been emitted when the stream was asked for one more
        self._started = 0
        self._steps = Steps(self.outlet)  # results may be waited for
        self._past = InnerInput("past")  # keeps count of what came from inner streams that ended
        self._past.complete()

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return chain.from_iterable(self._iterables(elements))

    def _iterables(self, elements: Iterator[Any]) -> Iterator[Iterable[Any]]:
        f = self._f
        for element in elements:
            result = f(element)
            plain = type(result) in _PLAIN
            if not plain and (isinstance(result, Stream) or is_async_only(result)):
                found = self._found_in(result)
                if found is None:
                    self._met, self._met_in = result, self._frame
                    self.satisfied = True  # by this frame, see _end_if_due
                    return
                if type(found) is InlineStream:
                    self._stream, self._latest = found, found.elements
                    self._started += 1
                    yield found.elements
                    self._leave_stream()
                    continue
                result, plain = found, type(found) in _PLAIN
            self._latest = latest = (
                iter(result) if plain else iterator_of(result, self._what, WANTED)
            )
            yield latest
            self._latest = NOTHING
            if not plain and type(latest) not in _NEVER_CLOSED:
                close(latest)

    def _found_in(self, stream: object) -> Any:
        """What to iterate over for ``stream``; ``None`` if it is attached, as it needs more."""
        if self.inline_streams is None or not isinstance(stream, Stream):
            return self.context.at_hand(stream)
        return self.inline_streams.begin(stream, True)

    def _leave_stream(self) -> None:
        """The inline stream has ended, or is not wanted any more."""
        stream, self._stream = self._stream, None
        if stream is not None and self.inline_streams is not None:
            self.inline_streams.ended(stream)
            self._count(stream.given)

    def _count(self, elements: int) -> None:
        """So many came of an inner stream that has ended."""
        self._past.count += elements
        if len(self.inlets) == 1:
            self.inlets = (self.inlet, self._past)

    def survives_in(
        self,
        frame: Frame,
        left: int,
        rest: Iterator[Any],
        error: Exception,
        first: Callable[[], None] | None = None,
    ) -> bool:
        stream, self._stream = self._stream, None
        if stream is None or self.inline_streams is None:
            return super().survives_in(frame, left, rest, error, first)
        failed = self.inline_streams.failed(stream, error)  # no element of this stage is at fault
        self._count(stream.given)
        self.end(failed)
        return False

    def drain(self) -> None:
        if self._stream is not None and not self._stream.holds_elements:
            self._stream.cut()
            self.stream_ended(whole=False)

    def stop(self, error: BaseException | None) -> None:
        latest = NOTHING if self._stream is not None else self._latest
        self._leave_stream()
        if self.outlet.closed and self.inline_streams is not None:  # else it is a restart
            self.inline_streams.close()
        close(latest)  # at once, not when the garbage is collected

    def held(self) -> Iterable[Any]:
        """After the end, also the results that the element begun last has not given.

        That is the rest of a list. A stream, or an iterable that makes elements as it is drawn, has
        no rest to give: there the element itself counts, even if some of its results were given.
        """
        if not self.outlet.closed:
            return super().held()
        streams = self._met is not None or self._inner is not None
        if self._results is None and not streams:
            return ()
        frame, left = self._met_in if streams else self._frame, length_hint(self._elements)
        rest = tuple(copy(self._elements))
        if not streams and isinstance(self._latest, _AT_HAND):
            return (*copy(self._latest), *rest)
        return (frame[-left - 1], *rest)

    def release_held(self) -> None:
        held = [None for _ in self.held()]
        self._frame, self._elements, self._results = held, iter(held), NOTHING
        self._met, self._met_in, self._inner, self._latest = None, (), None, NOTHING

    def advance(self, budget: Budget) -> None:
        while self._inner is None or self._inner_is_over(self._inner):
            super().advance(budget)
            if self._results is not None and not self.outlet.demand:
                self._look_for_the_end(budget)
            if self._met is None or not self._begins(self._met) or budget.spent():
                return

    def _pull(self, results: Iterator[Any], out: list[Any], most: int) -> bool:
        """Append up to ``most`` results to ``out``; whether there may be more.

        Step by step, for they may turn slow at any of them.
        """
        watched = self.context.filling(self.outlet, out)
        return self._steps.draw(results, out, most, self._budget.lap, watched, self._at_hand)

    def _at_hand(self) -> int:
        """How many results of the element begun last exist already."""
        return length_hint(self._latest) if isinstance(self._latest, _COUNTED) else 0

    def _look_for_the_end(self, budget: Budget) -> None:
        """An end needs no demand: see whether nothing is left of the last frame.

        An iterable is not drawn for that, so one that cannot tell is asked when it has to be. A
        stream may be asked for more than downstream wants: it is asked for one element.
        """
        if self.outlet.closed or not self.inlet.exhausted or length_hint(self._elements):
            return
        if self._stream is None:
            if not isinstance(self._latest, _COUNTED) or length_hint(self._latest):
                return
        elif self._has_another():
            return
        list(self._results or ())  # empty, but drawing it lets a transform do its last step
        self._results, self._frame = None, ()
        self._end_if_due(budget)

    def _has_another(self) -> bool:
        """Whether the open stream, which is the last one, has one more element."""
        if self._looked == self.outlet.count:
            return True  # which was kept
        self._looked, results = self.outlet.count, self._results or NOTHING
        try:
            ahead = list(islice(results, 1))
        except Exception as error:
            self.survives_in(self._frame, self._left, self._elements, error)
            return False
        self._results = chain(ahead, results)
        return bool(ahead)

    def _end_if_due(self, budget: Budget) -> None:
        if self._met is None:
            super()._end_if_due(budget)

    def _begins(self, met: object) -> bool:
        """Begin the stream that was met; if it cannot begin, whether the stage goes on after it."""
        self._met, self.satisfied = None, False
        try:
            self._begin(met)
        except Exception as error:
            if not self.survives_in(self._met_in, self._left, self._elements, error):
                return False
            self._go_on()
        return True

    def _begin(self, source: object) -> None:
        inner = InnerInput(f"inner {self._started}", self.window)
        self.inlets = (self.inlet, self._past, inner)
        try:
            self.context.attach(source, inner)
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
            outlet.emit(self.given(inner.take(outlet.demand)))
        if inner.error is not None and inner.exhausted:
            self.end(inner.error)
        if not inner.exhausted or outlet.closed:
            return False
        self._past.count += inner.count
        self._inner, self.inlets = None, (self.inlet, self._past)
        self.stream_ended(whole=self.inline_streams is None or not self.inline_streams.draining)
        self._go_on()
        return True

    def given(self, frame: Frame) -> Frame:
        """What to emit for ``frame``, which the stream gave that has its run."""
        return frame

    def stream_ended(self, *, whole: bool) -> None:
        """The stream of the element begun last has ended without a failure.

        Not ``whole`` if it may have been cut short, as its run drains. An inline stream
        that comes to its end is not reported here.
        """

    def _go_on(self) -> None:
        """Apply the transform to the rest of the frame; an end after it needs no demand."""
        frame, self._met_in = self._met_in, ()
        if length_hint(self._elements):
            self._frame = frame
            self._open_rest()

    def details(self) -> dict[str, Any]:
        running = self._inner is not None or self._stream is not None
        return {"inner": int(running), "started": self._started}
