"""initial_timeout(3 s)

    in:  - - - - 1
    out: - - - X

Passes everything on; fails if upstream was asked and has given nothing for that many seconds.
Back-pressure: passed on; the clock runs from the first request on.
Completes: when upstream does.
Fails: when upstream does, or with a StreamTimeoutError when the first element is late.
Cancels: at once.
"""

from __future__ import annotations

from actors_rs.errors import StreamTimeoutError
from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import PassThrough
from actors_rs.stages.stage import Budget


class InitialTimeout(PassThrough):
    """The first element has to come within ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._asked_at: float | None = None
        self._alarm = Alarm(self)

    def pass_on(self, budget: Budget) -> None:
        inlet = self.inlet
        if inlet.buffered or inlet.count or inlet.exhausted:
            self._alarm.cancel()
        elif inlet.opened:
            self._wait()
        super().pass_on(budget)

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def _wait(self) -> None:
        now = self.context.now()
        if self._asked_at is None:
            self._asked_at = now
        wait = self._asked_at + self._seconds - now
        if wait <= 0:
            what = (
                f"no first element within {self._seconds:g} s, although one was requested: give it "
                "more seconds, or another stream with recover_with(...) after it"
            )
            self.fail(StreamTimeoutError(self.context.name, "initial_timeout", what))
        elif not self._alarm.pending:
            self._alarm.set(wait)
