"""monitor(f, every=1 s)

    in:  1 2 - - 3 |
    out: 1 2 - - 3 |    (f: 0, 1, 2, 3 running, 3 completed)

Passes everything on and tells f what the stream has come to. The same stands, with or without f,
in the details of its stage in the run's snapshot.
Back-pressure: passed on.
Completes: when upstream does; f is called.
Fails: when upstream does; f is called. If f itself raises, the stage fails, and f is
  not called again.
Cancels: at once; f is called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import PassThrough
from actors_rs.stages.stage import Budget
from actors_rs.texts import repr_of_fields

__all__ = ["Monitor", "StreamState"]


@dataclass(frozen=True, slots=True)
class StreamState:
    """A stream at one moment, at the place of one stage.

    ``stage`` is its name, ``state`` one of ``"running"``, ``"completed"``, ``"failed"``,
    ``"cancelled"``. ``elements`` have passed in ``seconds`` since the start. ``error`` is the
    reason of a failure, or of a cancellation by downstream after a failure.

    >>> StreamState("parse", "completed", elements=2, seconds=0.5).elements
    2
    """

    stage: str
    state: Literal["running", "completed", "failed", "cancelled"]
    elements: int
    seconds: float
    error: BaseException | None = None

    __repr__ = repr_of_fields


class Monitor(PassThrough):
    """Tells ``f`` of the start, of the end, and in between of news, once in ``seconds`` at most."""

    def __init__(self, f: Callable[[StreamState], object] | None, seconds: float) -> None:
        super().__init__()
        self._f = f
        self._seconds = seconds
        self._began = 0.0
        self._last: StreamState | None = None
        self._reported = 0  # how many elements f knows of
        self._has_failed = False
        self._alarm = Alarm(self, self._report_news)

    def start(self) -> None:
        self._began = self.context.now()
        self._report("running", None)

    def details(self) -> dict[str, Any]:
        if (last := self._last) is None:
            return {}
        return {"state": last.state, "elements": self.outlet.count, "seconds": last.seconds}

    def pass_on(self, budget: Budget) -> None:
        super().pass_on(budget)
        if self.outlet.count > self._reported and not self._alarm.pending:
            self._alarm.set(self._seconds)

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()
        if error is not None:
            self._report("failed", error)
        elif self.outlet.cancelled:
            self._report("cancelled", self.outlet.cause)
        else:
            self._report("completed", None)

    def _report_news(self) -> None:
        self._report("running", None)

    def _report(
        self,
        state: Literal["running", "completed", "failed", "cancelled"],
        error: BaseException | None,
    ) -> None:
        if self._has_failed:
            return
        self._reported = count = self.outlet.count
        seconds = self.context.now() - self._began
        self._last = StreamState(self.context.name, state, count, seconds, error)
        if self._f is not None:
            self._has_failed = True  # unless it returns
            self._f(self._last)
            self._has_failed = False
