"""flat_map(f, breadth=2)

in:       a     b     c |
f(a):       1     2 |
f(b):             3     4 |
f(c):                     5 |       (started when one of the others has completed)
out:        1     2 3   4 5 |

Merges the streams that ``f`` returns, ``breadth`` of them at a time, each in its own order.

Back-pressure: takes an element only when an inner stream can be started for it and downstream asks;
inner streams are asked for a share of the window each, frame by frame in turn.
Completes: when upstream and all inner streams have completed.
Fails: when upstream has failed and the inner streams have completed, when an inner stream fails,
after its last element, or when ``f`` raises and the stage's policy is to stop.
Cancels: upstream and all inner streams.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

from actors_rs.stages.chunks.chunk import CHUNK_SECONDS, ChunkSize
from actors_rs.stages.inner.inline import InlineStream, RunsInline
from actors_rs.stages.inner.logic import InnerInlet, InnerStreamsLogic
from actors_rs.stages.ports import Inlet
from actors_rs.stages.stage import Budget, Stream

LEAST_WINDOW = 256
"""Elements an inner stream is asked for at least, however many share the window."""
CHUNK = 64
"""Most elements taken from upstream at once, to be given to ``f`` one by one."""
LARGE = 256
"""A frame of so many elements is worth a message of its own; smaller ones share one."""


class _InlineInlet(InnerInlet):
    """Stands for an inline stream that was not at its end when it was looked at first."""

    __slots__ = ("looked", "rest", "stream")

    def __init__(self, name: str, line: deque[InnerInlet], stream: InlineStream) -> None:
        super().__init__(name, 0, line)
        self.stream = stream
        self.rest = stream.elements
        self.looked = False


class FlatMapMerge(RunsInline, InnerStreamsLogic):
    """Up to ``breadth`` inner streams at a time, one for each element."""

    def __init__(self, f: Callable[[Any], Any], breadth: int) -> None:
        self.inlet = Inlet()
        super().__init__(self.inlet)
        self._f = f
        self._breadth = breadth
        self._hand: deque[Any] = deque()  # taken, but not given to f yet
        self._out: list[Any] = []  # to be emitted in this turn
        self._begun: dict[InnerInlet, Any] = {}  # whose streams are running; see ``_note``
        self._cut_off: list[Any] = []  # by the end
        self._are_last = False  # the streams that run
        self._is_slow = False
        self._chunk = ChunkSize()  # of what inline streams give
        self._open: InlineStream | None = None  # that gives elements at this moment
        self._taken = 0

    def advance(self, budget: Budget) -> None:
        outlet = self.outlet
        if outlet.cancelled:
            self.end(outlet.cause)
        while outlet.demand > len(self._out) and (self._start_one() or self.line):
            if self.line:
                self._look_at_first()
            lap = budget.lap()
            self._is_slow = lap > CHUNK_SECONDS
            if self._taken:
                self._chunk.record(self._taken, lap)
                self._taken = 0
            if budget.spent():
                break
        self._send()
        if not outlet.demand:
            self._look_for_ends()
        if self.inlet.exhausted and not self._hand and not self.running:
            self.end(self.inlet.error)

    # Starting

    def _start_one(self) -> bool:
        """Start the stream of the next element, if there is one and room for it."""
        if self.running >= self._breadth or not self._has_next():
            return False
        if self._is_slow:
            self._send()  # results do not wait for f
        element = self._hand.popleft()
        try:
            self._start(element, self._f(element))
        except Exception as error:
            position = self.inlet.count - len(self._hand) - 1
            return self.survives(error, element, position, first=self._send)
        return True

    def _has_next(self) -> bool:
        inlet = self.inlet
        if not self._hand:
            inlet.open()
            if not inlet.buffered:
                return False
            self._hand.extend(inlet.take(CHUNK))
        return True

    def _start(self, element: Any, source: object) -> None:
        at_hand: Any
        if self.inline_streams is not None and isinstance(source, Stream):
            at_hand = self.inline_streams.begin(source, False)
            if type(at_hand) is InlineStream:
                self._begin_inline(element, at_hand)
                return
        else:
            at_hand = self.context.at_hand(source)
        if at_hand is None:
            least = min(LEAST_WINDOW, self.window)
            share = max(least, self.window // self._breadth)
            inner = self.begin(source, share)
            self._note(inner, element)
            inner.open()
        elif (size := len(at_hand)) <= LARGE and size <= self.outlet.demand - len(self._out):
            self._out += at_hand  # it has begun and ended
            self.pass_by(size)
        else:
            inner = self.hold(at_hand)
            if isinstance(at_hand, range):
                self._note(inner, element)

    def _note(self, inner: InnerInlet, element: Any) -> None:
        """Keep ``element`` while its stream runs, if a section wants to know of lost elements.

        Otherwise only count it: an element may be a group, which holds a good part of a KiB.
        """
        self._begun[inner] = None if self.on_lost is None else element

    # Streams that run inline

    def _begin_inline(self, element: Any, stream: InlineStream) -> None:
        """Most streams are over when they are looked at for the first time."""
        going_on, given = self._take_share(stream, stream.elements), stream.given
        if not going_on:
            if self.outlet.closed:
                self._cut_off.append(element)
            self.pass_by(given)
            return
        inner = _InlineInlet(f"inner {self.started}", self.line, stream)
        inner.count = given
        self.inlets.append(inner)
        self.running += 1
        self.started += 1
        self._note(inner, element)
        inner.get_in_line()

    def _take_share(self, stream: InlineStream, elements: Iterator[Any]) -> bool:
        """Take a share of ``stream``; whether it goes on. If it fails, so does this stage."""
        out = self._out
        before, most = len(out), min(self._chunk.size, self.outlet.demand - len(out))
        going_on = self._fill_from(out, most, stream, elements)
        self._taken += len(out) - before
        return going_on

    def _fill_from(
        self, out: list[Any], most: int, stream: InlineStream, elements: Iterator[Any]
    ) -> bool:
        inline_streams, before, self._open = self.inline_streams, len(out), stream
        assert inline_streams is not None
        try:
            going_on = self._take_into(out, before + most, elements)
        except Exception as error:
            self._open = None
            failed = inline_streams.failed(stream, error)
            self._send()
            self.end(failed)
            return False
        self._open = None
        if not going_on:
            inline_streams.ended(stream)
        return going_on

    def _take_into(self, out: list[Any], end: int, elements: Iterator[Any]) -> bool:
        """Fill ``out`` up to ``end``; whether there may be more."""
        out += islice(elements, end - len(out))
        return len(out) == end

    def _go_on_with(self, inner: _InlineInlet) -> None:
        """Take another share of a stream."""
        element, inner.looked = self._begun.pop(inner), False
        going_on = self._take_share(inner.stream, inner.rest)
        self._took_from(inner, element, going_on)

    def _took_from(self, inner: _InlineInlet, element: Any, going_on: bool) -> None:
        inner.count = inner.stream.given
        if going_on:
            self._note(inner, element)
            inner.get_in_line()
        elif self.outlet.closed:
            self._cut_off.append(element)
        else:
            self.forget(inner)

    def _ask_for_one_more(self, inner: _InlineInlet) -> None:
        """Only this tells whether an inline stream has ended."""
        inner.looked = True
        element, ahead = self._begun.pop(inner), list[Any]()
        going_on = self._fill_from(ahead, 1, inner.stream, inner.rest)
        inner.rest = chain(ahead, inner.rest)
        self._took_from(inner, element, going_on)

    def drain(self) -> None:
        for stream in self._inline():
            if not stream.holds_elements:
                stream.cut()

    def _inline(self) -> list[InlineStream]:
        streams = [inner.stream for inner in self._begun if isinstance(inner, _InlineInlet)]
        return streams if self._open is None else [*streams, self._open]

    # Results of the inner streams

    def _look_at_first(self) -> None:
        inner = self.first_in_line()
        if inner.cancelled:
            return
        if isinstance(inner, _InlineInlet):
            self._go_on_with(inner)
            return
        out = self._out
        while inner.buffered and (room := self.outlet.demand - len(out)) > 0:
            frame = inner.take(room)
            if len(frame) >= LARGE:
                self._send()
                self.outlet.emit(frame)
                out = self._out
            else:
                out += frame
        if inner.exhausted:
            self._leave(inner)
        elif inner.buffered:
            inner.get_in_line()

    def _look_for_ends(self) -> None:
        """An end needs no demand, unless there are elements before it.

        Streams it has looked at wait for demand; only when they are the last ones, inline streams
        are looked at once more.
        """
        last = self.inlet.exhausted and not self._hand
        if last and not self._are_last:
            self._are_last = True
            self.look_again()

        def may_end(inner: InnerInlet) -> bool:
            if isinstance(inner, _InlineInlet):
                return last and not inner.looked and not inner.cancelled
            return inner.exhausted and not inner.cancelled

        for inner in self.take_out_of_line(may_end):
            if isinstance(inner, _InlineInlet):
                self._ask_for_one_more(inner)
            else:
                self._leave(inner)

    def _leave(self, inner: InnerInlet) -> None:
        """An inner stream has ended, and all it gave was taken."""
        self.forget(inner)
        if inner.error is not None:
            self._send()
            self.end(inner.error)
        else:
            self._begun.pop(inner, None)

    def _send(self) -> None:
        out, self._out = self._out, []
        self.outlet.emit(out)

    def end(self, error: BaseException | None) -> None:
        if self.inline_streams is not None:
            for stream in self._inline():
                self.inline_streams.ended(stream)
            self._open = None
        self._cut_off += [*self._out, *self._begun.values(), *self._hand]
        self._hand.clear()
        self._begun.clear()
        self._out = []
        super().end(error)

    def stop(self, error: BaseException | None) -> None:
        if self.inline_streams is not None:
            self.inline_streams.close()

    def held(self) -> Iterable[Any]:
        """The elements of streams that were cut off, even if some of their results were given."""
        return self._cut_off

    def release_held(self) -> None:
        self._cut_off = [None] * len(self._cut_off)
