"""Dead letters: what could not be delivered, and failures nobody was there to receive.

Bounded: the newest ``capacity`` records are kept, all are counted. Each cause is logged once per
``LOG_EVERY`` seconds, so a flood of the same trouble is one line and a number.
"""

from __future__ import annotations

import logging
from collections import Counter, deque
from dataclasses import dataclass

from actors_rs.runtime._primitives import Lock, monotonic, wall_clock

__all__ = ["DeadLetter", "DeadLetters"]

LOG_EVERY = 60.0
"""Seconds between two log lines about the same cause."""
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

    def __init__(self, capacity: int = 1000) -> None:
        self._lock = Lock()
        self._kept: deque[DeadLetter] = deque(maxlen=capacity)
        self._counts: Counter[tuple[str, str]] = Counter()
        self._logged: dict[tuple[str, str], float] = {}

    def publish(
        self, what: object, *, where: str, why: str, error: BaseException | None = None
    ) -> None:
        """Record one. Never raises and never looks into ``what``."""
        cause = (where, why)
        now = monotonic()
        with self._lock:
            self._kept.append(DeadLetter(what, where, why, error, wall_clock()))
            self._counts[cause] += 1
            quiet = now - self._logged.get(cause, -LOG_EVERY) < LOG_EVERY
            if not quiet:
                self._logged[cause] = now
        if not quiet:
            logger.warning("%s: %s (a %s)", where, why, type(what).__name__, exc_info=error)

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
