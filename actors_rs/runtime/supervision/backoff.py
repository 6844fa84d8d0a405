"""``Backoff``: how long to wait before the next restart, as a pure value.

The waits grow by ``factor`` from ``initial`` to ``maximum``. No wait is shorter than
``SHORTEST_WAIT``, so a child that fails at once each time does not keep the machine busy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.settings import is_finite, is_number, shown

__all__ = ["SHORTEST_WAIT", "Backoff"]

SHORTEST_WAIT = 1 / 16
"""Seconds before any restart, so there are never 20 of the same thing in a second."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits before restarts: ``initial`` seconds, then ``factor`` times as long, to ``maximum``.

    The defaults are 0.1 s, 2 and 10 s. ``jitter`` is the share by which a wait may be shorter or
    longer (0.1), so that parts that failed together do not come back together. No wait is shorter
    than 1/16 of a second. Raises ``InvalidArgumentError`` for values that cannot work. Immutable,
    so threads can share it.

    >>> backoff = Backoff(initial=0.5, maximum=5.0)
    >>> [backoff.delay(restarts) for restarts in (0, 1, 2, 10)]
    [0.5, 1.0, 2.0, 5.0]
    """

    initial: float = 0.1
    maximum: float = 10.0
    factor: float = 2.0
    jitter: float = 0.1

    def __post_init__(self) -> None:
        for name in ("initial", "maximum", "factor", "jitter"):
            value = getattr(self, name)
            if not is_number(value) or not is_finite(value):
                raise InvalidArgumentError(f"backoff: {name} must be a number, got {shown(value)}")
        if self.initial < 0:
            raise InvalidArgumentError(
                f"backoff: initial must be at least 0 seconds, got {self.initial}"
            )
        if self.maximum < self.initial:
            raise InvalidArgumentError(
                f"backoff: maximum must be at least initial ({self.initial} s), got {self.maximum}"
            )
        if self.factor < 1:
            raise InvalidArgumentError(f"backoff: factor must be at least 1, got {self.factor}")
        if not 0 <= self.jitter <= 1:
            raise InvalidArgumentError(f"backoff: jitter must be from 0 to 1, got {self.jitter}")

    def drawn(self, restarts: int, dice: Callable[[], float]) -> float:
        """``delay`` after ``restarts``, with a chance from ``dice``, called only for jitter."""
        return self.delay(restarts, dice() if self.jitter else 0.5)

    def delay(self, restarts: int, chance: float = 0.5) -> float:
        """Seconds to wait after ``restarts`` lately; ``chance``, 0 to 1, decides the jitter."""
        try:
            wait = self.initial * float(self.factor) ** restarts
        except OverflowError:
            wait = self.maximum
        wait = min(wait, self.maximum) * (1 + self.jitter * (2 * chance - 1))
        return max(SHORTEST_WAIT, min(wait, self.maximum))
