"""skip_within(3 s)

    in:  1 2 - 3 4 |
    out: - - - 3 4 |

Drops elements within that many seconds of the stream's start, and passes on all later ones.
Back-pressure: passed on once the time is up; before it, takes every element.
Completes: when upstream does.
Fails: when upstream does.
Cancels: at once.
"""

from __future__ import annotations

from typing import Any

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import PassThrough
from actors_rs.stages.stage import Budget


class SkipWithin(PassThrough):
    """Nothing for ``seconds`` from the stage's start on, then everything."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._alarm = Alarm(self, self._skip)
        self._skipped = 0

    def start(self) -> None:
        self._alarm.set(self._seconds)

    def pass_on(self, budget: Budget) -> None:
        if self._alarm.pending:
            self._skip()
        else:
            super().pass_on(budget)

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def details(self) -> dict[str, Any]:
        return {"skipped": self._skipped}

    def _skip(self) -> None:
        """Drop what is here; also when the alarm rings, for that came before it."""
        inlet = self.inlet
        while inlet.buffered:
            self._skipped += len(inlet.take(inlet.buffered))
