"""delay(2 s)

    in:  1 2 - - 3 |
    out: - - 1 2 - - 3 |

Gives each element that many seconds after it came, in the same order and at the same distances.
Back-pressure: elements wait in the inlet, so at most a window of them is under way at a time.
Completes: after the last element; an empty stream at once.
Fails: after the elements that came before the failure, each at its time.
Cancels: at once; waiting elements are dropped.
"""

from __future__ import annotations

from collections import deque

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import Buffered
from actors_rs.stages.stage import Budget


class Delay(Buffered):
    """Each element, ``seconds`` later. It stores only how many had come by which time."""

    window_follows = "memory"

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._arrivals: deque[tuple[float, int]] = deque()  # when due, and how many by then
        self._arrived = 0
        self._alarm = Alarm(self)

    def advance(self, budget: Budget) -> None:
        arrived = self.inlet.count + self.inlet.buffered
        if arrived > self._arrived:
            self._arrived = arrived
            self._arrivals.append((self.context.now() + self._seconds, arrived))
        super().advance(budget)

    def pass_on(self, budget: Budget) -> None:
        inlet, arrivals = self.inlet, self._arrivals
        if not inlet.buffered:
            return
        now = self.context.now()
        while arrivals and arrivals[0][0] <= now:
            self._give_up_to(arrivals[0][1])
            if inlet.count < arrivals[0][1]:
                return  # nobody asks; the next request is a turn of its own
            arrivals.popleft()
        if arrivals and not self._alarm.pending:
            self._alarm.set(arrivals[0][0] - now)

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def _give_up_to(self, count: int) -> None:
        inlet, outlet = self.inlet, self.outlet
        while outlet.demand and inlet.buffered and inlet.count < count:
            outlet.emit(inlet.take(min(outlet.demand, count - inlet.count)))
