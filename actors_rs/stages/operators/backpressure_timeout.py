"""backpressure_timeout(3 s)

    in:       1 2 3 4
    asks for: 2 - - - - -
    out:      1 2 - - - X

Passes everything on; fails if an element waits that long and downstream asks for none.
Back-pressure: asks for its window, and holds it for that many seconds at most.
Completes: when upstream does.
Fails: when upstream does, or with a StreamTimeoutError when downstream is late.
Cancels: at once.
"""

from __future__ import annotations

from actors_rs.errors import StreamTimeoutError
from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import Buffered
from actors_rs.stages.stage import Budget


class BackpressureTimeout(Buffered):
    """No element has to wait for demand for more than ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._held_since: float | None = None
        self._given = 0
        self._alarm = Alarm(self)

    def pass_on(self, budget: Budget) -> None:
        super().pass_on(budget)
        if not self.inlet.buffered:
            self._held_since = None
            return
        now = self.context.now()
        if self._held_since is None or self.outlet.count > self._given:
            self._held_since, self._given = now, self.outlet.count
        wait = self._held_since + self._seconds - now
        if wait <= 0:
            what = (
                f"nothing was requested for {self._seconds:g} s while elements waited: give it "
                "more seconds, make the stages downstream faster, or put buffer(...) or "
                "conflate(...) before it"
            )
            self.fail(StreamTimeoutError(self.context.name, "backpressure_timeout", what))
        elif not self._alarm.pending:  # one timer for many elements: it rings early, is set anew
            self._alarm.set(wait)

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()
