"""take_within(3 s)

    in:  1 2 - 3 4
    out: 1 2 - |

Emits the elements of the first so many seconds of the stream, then completes.
Back-pressure: asks for its window; elements that came in time are still emitted once downstream
  requests.
Completes: when upstream does, or when the time is up and all elements in time were emitted.
Fails: when upstream does before that.
Cancels: at once; upstream is cancelled when the time is up.
"""

from __future__ import annotations

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import Buffered
from actors_rs.stages.stage import Budget


class TakeWithin(Buffered):
    """Elements for ``seconds``, from the stage's start on."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._alarm = Alarm(self, self._time_is_up)
        self._in_time: int | None = None  # how many came in time, once it is up

    def start(self) -> None:
        self._alarm.set(self._seconds)

    def pass_on(self, budget: Budget) -> None:
        if self._in_time is None:
            super().pass_on(budget)
            return
        inlet, outlet = self.inlet, self.outlet
        while outlet.demand and (left := self._in_time - inlet.count):
            outlet.emit(inlet.take(min(left, outlet.demand)))
        if inlet.count == self._in_time:
            self.end(None)

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def _time_is_up(self) -> None:
        if not self.inlet.done:  # else the end came in time: complete after its elements
            self._in_time = self.inlet.count + self.inlet.buffered
            self.inlet.cancel_upstream()
