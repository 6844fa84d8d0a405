"""Dead letters: what could not be delivered, and failures nobody was there to receive.

Bounded: the newest ``capacity`` records are kept, and as many causes are told apart; all are
counted. Each cause is logged once per ``LOG_EVERY`` seconds, so a flood of the same trouble is one
line and a number.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

from actors_rs.runtime._primitives import Lock, monotonic, wall_clock

__all__ = ["DeadLetter", "DeadLetters"]

LOG_EVERY = 60.0
"""Seconds between two log lines about the same cause."""
OTHER_CAUSES = ("elsewhere", "further causes")
"""What is counted together once ``capacity`` causes are known."""
logger = logging.getLogger("actors_rs.dead_letters")


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One undelivered message or unnoticed failure.

    ``what`` is the message or element, ``where`` the actor or stage, ``why`` the reason,
    ``error`` the exception if there is one, ``when`` seconds since the epoch.
    """

    what: object
    where: str
    why: str
    error: BaseException | None
    when: float


class DeadLetters:
    """The dead letters of one system. All methods may be called from any thread."""

    def __init__(
        self,
        capacity: int = 1000,
        *,
        now: Callable[[], float] = monotonic,
        wall_clock: Callable[[], float] = wall_clock,
    ) -> None:
        self._lock = Lock()
        self._now = now
        self._wall_clock = wall_clock
        self._capacity = capacity
        self._kept: deque[DeadLetter] = deque(maxlen=capacity)
        self._counts: Counter[tuple[str, str]] = Counter()
        self._logged: dict[tuple[str, str], float] = {}

    def publish(
        self, what: object, *, where: str, why: str, error: BaseException | None = None
    ) -> None:
        """Record one and log it. Never raises and never looks into ``what``."""
        if self.record(what, where=where, why=why, error=error):
            logger.warning("%s: %s (a %s)", where, why, type(what).__name__, exc_info=error)

    def record(
        self, what: object, *, where: str, why: str, error: BaseException | None = None
    ) -> bool:
        """Record one that is logged by the caller; whether it is due to be logged."""
        cause, now = (where, why), self._now()
        with self._lock:
            if cause not in self._counts and len(self._counts) >= self._capacity:
                cause = OTHER_CAUSES
            self._kept.append(DeadLetter(what, where, why, error, self._wall_clock()))
            self._counts[cause] += 1
            if cause in self._logged and now - self._logged[cause] < LOG_EVERY:
                return False
            self._logged[cause] = now
            return True

    @property
    def total(self) -> int:
        """How many there were, also those no longer kept."""
        with self._lock:
            return sum(self._counts.values())

    def counts(self) -> dict[tuple[str, str], int]:
        """How many there were per cause, a pair of where and why."""
        with self._lock:
            return dict(self._counts)

    def recent(self) -> tuple[DeadLetter, ...]:
        """The newest records, oldest first."""
        with self._lock:
            return tuple(self._kept)
