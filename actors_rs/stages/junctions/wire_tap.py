"""wire_tap(sink)

in:   1 2 3 4 5 6 |
out:  1 2 3 4 5 6 |
sink: 1 2 3     6 |     (4 and 5 came while it was busy)

Elements go to a sink too, which never holds the stream up. Up to a window of them wait for it, and
no more than fit under a memory limit. Further elements are dropped for the sink, and counted:
``dropped`` in the stage's details.

Back-pressure: asks upstream for what downstream has asked for, and never waits for the sink.
Completes: downstream with the input; the sink after what waits for it, also when downstream
cancels.
Fails: as it completes, when the input has failed; both, when a stage after one of them has failed.
Cancels: upstream, when downstream cancels. A sink that has had enough gets no more.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

from actors_rs.stages.chunks.kept import Kept
from actors_rs.stages.ports import Frame, Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic


class WireTap(StageLogic):
    """Outlet 0 leads on, outlet 1 to the sink."""

    passes_demand = True

    def __init__(self) -> None:
        self.inlet = Inlet()
        self.inlets = (self.inlet,)
        self.outlets = self._main, self._side = Outlet("out"), Outlet("tap")
        self.inlet.room = self._main
        self._waiting: deque[Any] = deque()
        self._kept = Kept()
        self._dropped = 0

    def start(self) -> None:
        self._kept = Kept(self.context.memory_share(), self.weigh)

    def advance(self, budget: Budget) -> None:
        inlet, main = self.inlet, self._main
        if (cause := self.downstream_failure()) is not None:
            self._waiting.clear()
            self.end(cause)
        if main.cancelled:
            inlet.cancel()
        self._serve_side()
        while (demand := main.demand) > 0:
            inlet.open()
            if not inlet.buffered:
                break
            frame = inlet.take(demand)
            main.emit(frame)
            self._tap(frame)
        self._fitting(len(self._waiting))  # report what is left
        if inlet.exhausted:
            self._end_both()

    def stop(self, error: BaseException | None) -> None:
        self._kept.over()
        self.held_bytes = 0

    def details(self) -> dict[str, Any]:
        return {"dropped": self._dropped, "waiting": len(self._waiting)}

    def _tap(self, frame: Frame) -> None:
        """Show ``frame`` to the sink, as far as it asks or there is room to wait."""
        side, waiting = self._side, self._waiting
        if side.closed:
            return
        at_once = min(side.demand, len(frame))  # none while others wait: they came first
        side.emit(frame[:at_once])
        if left := len(frame) - at_once:
            self._kept.weigh(frame)
            room = self._fitting(min(len(waiting) + left, self.inlet.capacity)) - len(waiting)
            kept = frame[at_once : at_once + max(0, room)]
            waiting.extend(kept)
            self._dropped += left - len(kept)

    def _fitting(self, wanted: int) -> int:
        """How many of ``wanted`` elements may wait for the sink."""
        held = len(self._waiting)
        self.held_bytes = self._kept.bytes_of(held)
        return self._kept.fitting(wanted, held)

    def _serve_side(self) -> None:
        """Give the sink what waits for it and it asks for."""
        side, waiting = self._side, self._waiting
        if side.closed:
            waiting.clear()
        elif waiting and side.demand:
            count = min(side.demand, len(waiting))
            frame = list(islice(waiting, count))
            for _ in frame:
                waiting.popleft()
            side.emit(frame)

    def _end_both(self) -> None:
        """End downstream at once, and the sink after the elements that wait for it."""
        for outlet in self.outlets:
            if outlet is self._main or not self._waiting:
                if self.inlet.error is not None:
                    outlet.fail(self.inlet.error)
                else:
                    outlet.complete()
