"""debounce(3 s)

    in:  1 2 - - - 3 4 5 |
    out: - - - - 2 - - - 5 |

Gives an element when no other has come for that many seconds; those in between are dropped.
Back-pressure: none to upstream; while nobody asks, a newer element replaces the one that waits.
Completes: gives the last element at once, then completes.
Fails: gives the last element at once, then fails.
Cancels: at once; the waiting element is dropped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from operator import length_hint
from typing import Any

from actors_rs.stages.alarm import Alarm
from actors_rs.stages.passing import Detached
from actors_rs.stages.stage import Budget


class Debounce(Detached):
    """Only what was followed by ``seconds`` of silence."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._last: deque[Any] = deque(maxlen=1)
        self._last_came = 0.0
        self._dropped = 0
        self._alarm = Alarm(self)

    @property
    def holds(self) -> bool:
        return bool(self._last)

    def take_in(self, elements: Iterator[Any], /) -> None:
        self._dropped += len(self._last) + length_hint(elements)
        self._last.extend(elements)
        self._dropped -= len(self._last)
        self._last_came = self.context.now()

    def give(self, budget: Budget) -> None:
        if not self._last or not self.outlet.demand:
            return
        if not self.inlet.exhausted:
            wait = self._last_came + self._seconds - self.context.now()
            if wait > 0:
                # Set for the element that came first: most of the time others follow it, and
                # to look again once is cheaper than a timer for each of them.
                if not self._alarm.pending:
                    self._alarm.set(wait)
                return
        self.outlet.emit([self._last.pop()])

    def stop(self, error: BaseException | None) -> None:
        self._alarm.cancel()

    def held(self) -> list[Any]:
        return [*self._last]

    def release_held(self) -> None:
        self._last = deque([None] * len(self._last))

    def details(self) -> dict[str, Any]:
        return {"dropped": self._dropped}
