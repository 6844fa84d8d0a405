"""timer(3 s)

    out: - - - 0 |

Gives one element, 0, that many seconds after its start.
Back-pressure: the element waits for demand.
Completes: after the element, or when it is drained.
Fails: never.
Cancels: at once.
"""

from __future__ import annotations

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.source import SourceLogic
from actors_rs.stages.stage import Budget


class TimerSource(SourceLogic):
    """A tick alone."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._due = False
        self._alarm = Alarm(self, self._ring)

    def start(self) -> None:
        self._alarm.set(self._seconds)

    def advance(self, budget: Budget) -> None:
        if self._due and self.outlet.demand and not self.ended:
            self.outlet.emit([0])
            self.ended = True
        if self.ended:
            self.outlet.complete()

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def _ring(self) -> None:
        self._due = True
