"""Restart intensity: how many restarts within which time are too many, as a pure value.

Time spent waiting for a restart does not count: with waits longer than ``within`` nothing would
ever be given up otherwise, however often it failed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

__all__ = ["Intensity"]


@dataclass(slots=True)
class Intensity:
    """Counts the restarts of one child, or of one group that is restarted together."""

    max_restarts: int
    within: float
    _restarts: deque[float] = field(default_factory=deque)  # when, on a clock that stops in waits
    _waited: float = 0.0

    def allows(self, now: float) -> bool:
        """Whether one more restart at ``now``, in seconds, is not too many; counts it then."""
        moment = now - self._waited
        restarts = self._restarts
        while restarts and moment - restarts[0] >= self.within:
            restarts.popleft()
        if len(restarts) >= self.max_restarts:
            return False
        restarts.append(moment)
        return True

    def waits(self, seconds: float) -> None:
        """The restart just allowed comes ``seconds`` later."""
        self._waited += seconds

    @property
    def lately(self) -> int:
        """Restarts before the one just allowed that still count."""
        return max(0, len(self._restarts) - 1)
