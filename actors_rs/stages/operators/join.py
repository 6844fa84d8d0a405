"""a.join(b, key=name, within=5, event_time=at)

a:   a1 b9 |
b:   a3 a7 b2 |      (a name, and the second at which it happened)
out: (a1, a3) |

Pairs each element of the first input with each of the second that has the same key and happened at
most so many seconds before or after it. Without ``event_time`` the moments count at which the stage
takes them. An element waits as long as the other input, by its latest event time less ``lateness``,
may give one to meet it; one that comes later than that is a dead letter.

Back-pressure: asks both inputs for their windows once downstream asks, and takes no more while
pairs wait. When ``max_held`` elements wait, takes only from the input with the earlier time.
Completes: when both inputs have completed and all pairs were given.
Fails: with an input, after the pairs before; when a function raises and the policy is to stop; with
``JoinOverflowError`` when more than ``max_held`` elements lie within the time.
Cancels: both inputs, when downstream cancels.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from math import inf
from operator import length_hint
from typing import Any

from actors_rs.stages.chunks.chunk import ELEMENTS, ChunkSize
from actors_rs.stages.iterators import check_key
from actors_rs.stages.junction import FanIn
from actors_rs.stages.stage import Budget
from actors_rs.stages.windows.event_times import EventTimes
from actors_rs.stages.windows.pairs import TimedPairs

LATE = "it came when the elements that it could pair with were gone"
"""Why a late element is a dead letter."""
MOST_AT_ONCE = 1024
"""Pairs after which no further element is taken before they are given."""


class Join(FanIn):
    """Two inlets, whose elements wait in ``TimedPairs``."""

    conserves = False
    released_attributes = ("_pairs",)

    def __init__(
        self,
        keys: tuple[Callable[[Any], Any], Callable[[Any], Any]],
        within: float,
        event_times: tuple[Callable[[Any], Any], Callable[[Any], Any]] | None,
        lateness: float,
        max_held: int,
    ) -> None:
        super().__init__(2)
        self._keys = keys
        self._within = within
        self._event_times = event_times
        self._lateness = lateness
        self._max_held = max_held
        self._pairs = TimedPairs(within, max_held)
        self._times = EventTimes()
        self._chunk = ChunkSize(ELEMENTS)
        self._out: deque[tuple[Any, Any]] = deque()
        self._late = 0

    def advance(self, budget: Budget) -> None:
        self.look_downstream()
        self._give()
        more = True
        while more and self.outlet.demand and not self._out:
            more = False
            for side in (0, 1):
                more = self._take_from(side, budget) or more
                if self.outlet.closed:
                    return
            self._look_at_ends()
            self._give()
            if budget.spent():
                break
        self._look_at_ends()
        if not self.outlet.closed and not self._out:
            self.end_with_the_last()

    def release_held(self) -> None:
        self._out = deque([(None, None)] * len(self._out))

    def details(self) -> dict[str, Any]:
        return {"waiting": 0 if self._pairs is None else self._pairs.held, "late": self._late}

    def renew(self, error: BaseException, position: int | None) -> None:
        """Begin anew after an element: waiting elements are lost, time begins anew as well."""
        self._pairs = TimedPairs(self._within, self._max_held)

    def _give(self) -> None:
        out, outlet = self._out, self.outlet
        if out and outlet.demand:
            outlet.emit([out.popleft() for _ in range(min(len(out), outlet.demand))])

    def _room(self, side: int) -> int:
        """How many elements of ``side`` may be taken; the other one may have to catch up first."""
        room = self._max_held - self._pairs.held
        return max(room, 0) if self._pairs.ahead() == side else max(room, 1)

    def _take_from(self, side: int, budget: Budget) -> bool:
        """Pair a chunk of what has come; whether there was any."""
        inlet = self.inlets[side]
        if not inlet.buffered or self._out or not (room := self._room(side)):
            return False
        frame = inlet.take(min(self._chunk.size, room))
        elements = self.drawing = iter(frame)

        def before_the_end() -> None:
            self._give()
            inlet.untake(list(elements))

        while length_hint(elements) and len(self._out) < MOST_AT_ONCE:
            try:
                self._pair(side, elements)
            except Exception as error:
                left = length_hint(elements)
                position = inlet.count - left - 1
                if not self.survives(error, frame[-left - 1], position, first=before_the_end):
                    return True
        inlet.untake(list(elements))
        self._chunk.record(len(frame), budget.lap())
        return True

    def _pair(self, side: int, elements: Iterator[Any]) -> None:
        pairs, out, key = self._pairs, self._out, self._keys[side]
        for element in elements:
            moment = self._moment(side, element)
            if pairs.is_late(side, moment):
                self._late += 1
                self.context.report(element, LATE)
                continue
            self._came_to(side, moment)  # first: it makes room
            of = key(element)
            try:
                made = pairs.add(side, of, moment, element)
            except TypeError:
                check_key(of, "join: key")
                raise
            if made:
                out.extend(made)
                if len(out) >= MOST_AT_ONCE:
                    return

    def _moment(self, side: int, element: Any) -> float:
        if self._event_times is None:
            return self.context.now()
        return self._times.seconds(self._event_times[side](element))

    def _came_to(self, side: int, moment: float) -> None:
        self._pairs.came_to(side, moment - self._lateness)
        if self._event_times is None:  # the clock is the same for both
            self._pairs.came_to(1 - side, moment)

    def _look_at_ends(self) -> None:
        """Nothing waits for an input that has completed."""
        for side, inlet in enumerate(self.inlets):
            if inlet.exhausted and inlet.error is None and self._pairs is not None:
                self._pairs.came_to(side, inf)
