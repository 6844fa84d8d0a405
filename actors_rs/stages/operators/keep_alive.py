"""keep_alive(2 s, "?")

    in:  1 - - 2 3 - - - - 4 |
    out: 1 - ? 2 3 - ? - ? 4 |

Passes everything on, and gives the value whenever nothing was given for that many seconds.
Back-pressure: passed on; the value, too, is emitted only on demand, once at a time.
Completes: when upstream does.
Fails: when upstream does.
Cancels: at once.
"""

from __future__ import annotations

from typing import Any

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import PassThrough
from actors_rs.stages.stage import Budget


class KeepAlive(PassThrough):
    """The elements, and ``value`` after each ``seconds`` without one."""

    def __init__(self, seconds: float, value: Any) -> None:
        super().__init__()
        self._seconds = seconds
        self._value = value
        self._given_at = 0.0
        self._added = 0
        self._alarm = Alarm(self)

    def start(self) -> None:
        self._given_at = self.context.now()

    def pass_on(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        given = outlet.count
        super().pass_on(budget)
        if outlet.count > given:
            self._given_at = self.context.now()
        if outlet.demand and not inlet.exhausted:
            self._fill_silence()

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def details(self) -> dict[str, Any]:
        return {"added": self._added}

    def _fill_silence(self) -> None:
        now = self.context.now()
        wait = self._given_at + self._seconds - now
        if wait <= 0:
            self.outlet.emit([self._value])
            self._added += 1
            self._given_at, wait = now, self._seconds
        if not self._alarm.pending:  # it may ring too early, for what came before, and is set anew
            self._alarm.set(wait)
