"""aggregate_by(key, 0, add, every=10, event_time=at)

in:  3 7 12 |                        (each at its own second, of one key)
out:        (0 to 10, 10) (10 to 20, 12) |

Folds the elements of each key in each window of time: fixed (``every``), sliding (``sliding``) or
of activity (``session``). A window closes when the watermark has reached its end: the latest event
time less ``lateness``, of several inputs the minimum. Without ``event_time`` the clock of the run
counts. Elements whose windows are closed go to ``late``; without one they are dead letters.

Back-pressure: requests its window once downstream requests, and takes no more while results or late
elements wait for demand.
Completes: when all inputs have completed, after the windows that were open.
Fails: with an input; when a function raises and the policy is to stop; beyond ``max_keys`` with
``fail``. Open windows give no results then.
Cancels: the inputs, when downstream cancels. If the ``late`` outlet is cancelled, late elements are
dropped and counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from operator import length_hint
from typing import Any, Protocol

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.chunks.chunk import ELEMENTS, ChunkSize
from actors_rs.stages.iterators import check_key
from actors_rs.stages.junction import FanIn
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget
from actors_rs.stages.windows.event_times import EventTimes
from actors_rs.stages.windows.results import WindowResult
from actors_rs.stages.windows.spans import Closed, LeftOut
from actors_rs.stages.windows.watermarks import Watermarks

LATE = "it came after its window had been closed"
"""Why a late element is a dead letter."""


class OpenWindows(Protocol):
    """The contents of the open windows: ``FixedWindows`` or ``Sessions``."""

    next_end: float
    early: list[Closed]
    open: int

    def add(self, key: Any, moment: float, element: Any, watermark: float, /) -> LeftOut | None:
        """Fold ``element`` into its windows, unless it is left out."""
        ...

    def close(self, watermark: float, /) -> list[Closed]:
        """The windows that are over."""
        ...


@dataclass(frozen=True, slots=True)
class Timing:
    """The time of an element: by ``event_time``, or by the clock of the run."""

    event_time: Callable[[Any], Any] | None
    lateness: float
    idle_after: float | None
    """Seconds without an element after which an input holds the watermark back no more."""


class AggregateWindows(FanIn):
    """Inlets with a watermark each; outlet 1, where there is one, is for late elements."""

    conserves = False
    released_attributes = ("_windows",)

    def __init__(
        self,
        make_windows: Callable[[], OpenWindows],
        key: Callable[[Any], Any],
        timing: Timing,
        inputs: int,
        has_late: bool,
    ) -> None:
        super().__init__(inputs)
        self._make_windows = make_windows
        self._windows = make_windows()
        self._key = key
        self._timing = timing
        self._marks = Watermarks(inputs, timing.lateness)
        self._times = EventTimes()
        self._late_outlet = Outlet("late") if has_late else None
        if self._late_outlet is not None:
            self.outlets = (self.outlet, self._late_outlet)
        self._chunk = ChunkSize(ELEMENTS)
        self._out: deque[WindowResult[Any, Any, Any]] = deque()
        self._late: deque[Any] = deque()
        self._late_count = self._dropped = self._emitted_early = 0
        self._began = 0.0
        self._last_came = [inf] * inputs  # when an input gave something; from its opening on
        self._ended = [False] * inputs
        self._alarm = Alarm(self)
        self._rings_at = inf

    def start(self) -> None:
        self._began = self.context.now()

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def advance(self, budget: Budget) -> None:
        self._look_downstream()
        self._look_at_time()
        self._give()
        more = True
        while more and self.outlet.demand and not self._out and not self._late:
            more = False
            for which, inlet in enumerate(self.inlets):
                more = self._take_from(which, inlet, budget) or more
                if inlet.cancelled:
                    return
            self._look_at_ends()
            self._give()
            if budget.spent():
                break
        self._look_at_ends()
        self._give()
        if self.inlets[0].cancelled:
            return
        self._end_if_due()
        self._set_alarm()

    def held(self) -> list[Any]:
        return list(self._late)

    def release_held(self) -> None:
        self._late = deque([None] * len(self._late))
        self._out = deque([WindowResult(None, 0, 0, None)] * len(self._out))

    def details(self) -> dict[str, Any]:
        figures = {"late": self._late_count, "dropped": self._dropped}
        figures["emitted_early"] = self._emitted_early
        return {"keys": 0 if self._windows is None else self._windows.open, **figures}

    def renew(self, error: BaseException, position: int | None) -> None:
        """Begin anew after an element: open windows are lost, time stays where it is."""
        self._windows = self._make_windows()

    # Downstream

    def _look_downstream(self) -> None:
        outlet, late = self.outlet, self._late_outlet
        if outlet.cancelled:
            self.end(outlet.cause)
        elif late is not None and late.cause is not None:
            self.end(late.cause)
        elif outlet.demand:
            for which, inlet in enumerate(self.inlets):
                inlet.open()
                if self._last_came[which] == inf:
                    self._last_came[which] = self.context.now()

    def _give(self) -> None:
        out, outlet = self._out, self.outlet
        if out and outlet.demand:
            outlet.emit([out.popleft() for _ in range(min(len(out), outlet.demand))])
        late, outlet_of_late = self._late, self._late_outlet
        if not late or outlet_of_late is None:
            return
        if outlet_of_late.closed:
            self._dropped += len(late)
            late.clear()
        elif outlet_of_late.demand:
            most = min(len(late), outlet_of_late.demand)
            outlet_of_late.emit([late.popleft() for _ in range(most)])

    # Elements

    def _take_from(self, which: int, inlet: Inlet, budget: Budget) -> bool:
        """Fold a chunk of what has come; whether there was any."""
        if not inlet.buffered:
            return False
        self._last_came[which] = self.context.now()
        frame = inlet.take(self._chunk.size)
        elements = self.drawing = iter(frame)

        def before_the_end() -> None:
            self._give()
            inlet.untake(list(elements))

        while length_hint(elements):
            try:
                self._fold(which, elements)
            except Exception as error:
                left = length_hint(elements)
                position = inlet.count - left - 1
                if not self.survives(error, frame[-left - 1], position, first=before_the_end):
                    break
        self._chunk.record(len(frame), budget.lap())
        return True

    def _fold(self, which: int, elements: Iterator[Any]) -> None:
        """Fold ``elements`` of one input; the clock is read once for all of them."""
        marks, windows, key = self._marks, self._windows, self._key
        add, saw, seconds = windows.add, marks.saw, self._times.seconds
        event_time = self._timing.event_time
        moment = 0.0
        if event_time is None:
            moment = self.context.now() - self._began
            self._time_has_come_to(moment)
        for element in elements:
            if event_time is not None:
                moment = seconds(event_time(element))
                if saw(which, moment) and marks.value >= windows.next_end:
                    self._close(windows.close(marks.value))  # first: it makes room
            of = key(element)
            try:
                outcome = add(of, moment, element, marks.value)
            except TypeError:
                check_key(of, "aggregate_by: key")
                raise
            if windows.early:
                self._give_early()
            if outcome is not None:
                self._left_out(element, outcome)

    def _give_early(self) -> None:
        early, self._windows.early = self._windows.early, []
        self._emitted_early += len(early)
        self._close(early)

    def _left_out(self, element: Any, outcome: LeftOut) -> None:
        if outcome == "dropped":
            self._dropped += 1
        else:
            self._is_late(element)

    def _is_late(self, element: Any) -> None:
        self._late_count += 1
        if self._late_outlet is None:
            self.context.report(element, LATE)
        else:
            self._late.append(element)

    # Time

    def _close_to(self, watermark: float) -> None:
        if watermark >= self._windows.next_end:
            self._close(self._windows.close(watermark))

    def _close(self, closed: list[Closed]) -> None:
        to_moment = self._times.moment
        self._out.extend(
            WindowResult(key, to_moment(start), to_moment(end), value)
            for key, start, end, value in closed
        )

    def _time_has_come_to(self, moment: float) -> None:
        """By processing time the clock is what moves the watermark, for all inputs at once."""
        self._marks.value = max(self._marks.value, moment)
        self._close_to(moment)

    def _look_at_time(self) -> None:
        if self._timing.event_time is None:
            self._time_has_come_to(self.context.now() - self._began)
        elif self._timing.idle_after is not None and len(self.inlets) > 1:
            latest = self.context.now() - self._timing.idle_after
            for which, inlet in enumerate(self.inlets):
                if self._last_came[which] <= latest and not inlet.buffered:
                    self._move(self._marks.idle(which))

    def _look_at_ends(self) -> None:
        """An input that has completed holds the watermark back no more."""
        for which, inlet in enumerate(self.inlets):
            if inlet.exhausted and inlet.error is None and not self._ended[which]:
                self._ended[which] = True
                if self._timing.event_time is not None:
                    self._move(self._marks.ended(which))
        if all(self._ended):
            self._close(self._windows.close(inf))

    def _move(self, has_moved: bool) -> None:
        if has_moved:
            self._close_to(self._marks.value)

    def _set_alarm(self) -> None:
        """Ring when the clock closes a window, or when an input that gives nothing is idle."""
        timing, now = self._timing, self.context.now()
        due = inf
        if timing.event_time is None:
            due = self._began + self._windows.next_end
        elif timing.idle_after is not None and len(self.inlets) > 1 and not self._out:
            waited = [came + timing.idle_after for came in self._last_came]
            due = min((one for one in waited if one > now), default=inf)
        if due == inf:
            self._alarm.cancel()
        elif not self._alarm.pending or due != self._rings_at:
            self._rings_at = due
            self._alarm.set(due - now)

    def _end_if_due(self) -> None:
        if (failure := self.failure()) is not None:
            if not self._out and not self._late:
                self.end(failure)
        elif all(self._ended) and not self._out and not self._late:
            self.end(None)
