"""completion_timeout(4 s)

    in:  1 2 - - - 3 |
    out: 1 2 - - X

Passes everything on; fails if the stream has not ended that many seconds after its start.
Back-pressure: passed on.
Completes: when upstream does.
Fails: when upstream does, or with a StreamTimeoutError when the time is up.
Cancels: at once.
"""

from __future__ import annotations

from actors_rs.errors import StreamTimeoutError
from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import PassThrough
from actors_rs.stages.stage import Budget


class CompletionTimeout(PassThrough):
    """The stream has to end within ``seconds`` of the stage's start."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._time_is_up = False
        self._alarm = Alarm(self, self._ring)

    def start(self) -> None:
        self._alarm.set(self._seconds)

    def pass_on(self, budget: Budget) -> None:
        super().pass_on(budget)
        if self._time_is_up and not self.inlet.exhausted:
            what = (
                f"the stream has not ended within {self._seconds:g} s: give it more seconds, or "
                "take what comes in time with take_within(...)"
            )
            self.fail(StreamTimeoutError(self.context.name, "completion_timeout", what))

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def _ring(self) -> None:
        self._time_is_up = True  # elements that have arrived by now go first
