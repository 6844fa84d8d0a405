"""tick(2 s)

    out: - - 0 - 1 - 2

Gives the number of each tick, from 0, one every so many seconds.
Back-pressure: a tick that nobody has requested is dropped, and its number with it. Inlets
  downstream request one tick at a time.
Completes: when it is drained.
Fails: never.
Cancels: at once.
"""

from __future__ import annotations

from typing import Any

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.source import SourceLogic
from actors_rs.stages.stage import Budget


class Tick(SourceLogic):
    """Ticks at whole multiples of ``seconds`` from its start, however late one of them was."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._began = 0.0
        self._next = 0
        self._alarm = Alarm(self, self._tick)

    def start(self) -> None:
        self._began = self.context.now()
        self._alarm.set(self._seconds)

    def advance(self, budget: Budget) -> None:
        if self.ended:
            self.outlet.complete()

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def details(self) -> dict[str, Any]:
        return {"skipped": max(0, self._next - self.outlet.count)}

    def _tick(self) -> None:
        since = self.context.now() - self._began
        number = max(self._next, int(since / self._seconds) - 1)  # of the last tick that is due
        if self.outlet.demand:
            self.outlet.emit([number])
        self._next = number + 1
        self._alarm.set(self._began + (self._next + 1) * self._seconds - self.context.now())
