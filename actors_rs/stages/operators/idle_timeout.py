"""idle_timeout(3 s)

    in:  1 - 2 - - - 3
    out: 1 - 2 - - X

Passes everything on; fails if upstream was asked and gave nothing for that many seconds.
Back-pressure: passed on; time in which elements wait for downstream does not count.
Completes: when upstream does.
Fails: when upstream does, or with a StreamTimeoutError when the next element is late.
Cancels: at once.
"""

from __future__ import annotations

from actors_rs.errors import StreamTimeoutError
from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import PassThrough
from actors_rs.stages.stage import Budget


class IdleTimeout(PassThrough):
    """The next element has to come within ``seconds``, each time."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._waits_since: float | None = None
        self._seen = 0
        self._alarm = Alarm(self)

    def pass_on(self, budget: Budget) -> None:
        super().pass_on(budget)
        inlet = self.inlet
        if inlet.buffered or not inlet.outstanding or inlet.exhausted:
            self._waits_since = None
            return
        now = self.context.now()
        if self._waits_since is None or inlet.count > self._seen:
            self._waits_since, self._seen = now, inlet.count
        wait = self._waits_since + self._seconds - now
        if wait <= 0:
            what = (
                f"no element for {self._seconds:g} s, although one was requested: give it more "
                "seconds, or bridge pauses with keep_alive(...) before it"
            )
            self.fail(StreamTimeoutError(self.context.name, "idle_timeout", what))
        elif not self._alarm.pending:  # one timer for many elements: it rings early, is set anew
            self._alarm.set(wait)

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()
