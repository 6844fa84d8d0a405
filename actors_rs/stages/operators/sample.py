"""sample(3 s)

    in:  1 2 - - 3 - - 4 |
    out: - - - 2 - - 3 - 4 |

Gives the newest element every so many seconds, if one has come since; the others are dropped.
Back-pressure: none to upstream; while nobody asks, a newer element replaces the one that waits.
Completes: gives an element that was not sampled yet, then completes.
Fails: gives an element that was not sampled yet, then fails.
Cancels: at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from operator import length_hint
from typing import Any

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import Detached
from actors_rs.stages.stage import Budget


class Sample(Detached):
    """The newest element at each tick; ticks are ``seconds`` apart, from the stage's start on."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._began = 0.0
        self._newest: deque[Any] = deque(maxlen=1)
        self._due = False
        self._dropped = 0
        self._alarm = Alarm(self, self._tick)

    @property
    def holds(self) -> bool:
        return bool(self._newest)

    def start(self) -> None:
        self._began = self.context.now()

    def take_in(self, elements: Iterator[Any], /) -> None:
        if not self._newest:
            since = (self.context.now() - self._began) % self._seconds
            self._alarm.set(self._seconds - since)  # only while there is something to be sampled
        self._dropped += len(self._newest) + length_hint(elements)
        self._newest.extend(elements)
        self._dropped -= len(self._newest)

    def give(self, budget: Budget) -> None:
        if self._newest and self.outlet.demand and (self._due or self.inlet.exhausted):
            self._due = False
            self.outlet.emit([self._newest.pop()])

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def held(self) -> list[Any]:
        return [*self._newest]

    def release_held(self) -> None:
        self._newest = deque([None] * len(self._newest))

    def details(self) -> dict[str, Any]:
        return {"dropped": self._dropped}

    def _tick(self) -> None:
        self._due = True
