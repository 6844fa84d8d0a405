"""Which calls that failed are made again, and when: a decision without clock, timer or thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from actors_rs.errors import DeciderError
from actors_rs.raised import note_once
from actors_rs.texts import CALL_NOTE, named, repr_of

__all__ = ["Budget", "Retries"]


_MOST_SECONDS = 1e9
"""30 years: seconds beyond it are a mistake, and more than a timer takes."""


class Budget(Protocol):
    """How many calls may be made again. See ``RateLimit``, which streams can share."""

    def take(self, most: int, now: float, /) -> int:
        """How many more, up to ``most``, there may be at this moment."""
        ...


class Retries:
    """``max_attempts`` calls for an element, the first one among them.

    ``wait(n)`` gives the seconds before call n + 1. Without a ``when``, every ``Exception`` is
    worth another attempt. One that ``budget`` does not allow is not made later either: a service
    that is down must not be met with more calls than one that is up. ``after(error)`` may give
    other seconds than ``wait``, for instance as many as the service has asked for.
    """

    def __init__(
        self,
        wait: Callable[[int], float],
        max_attempts: int,
        budget: Budget | None,
        when: Callable[[Exception], Any] | None,
        after: Callable[[Exception], float | None] | None = None,
    ) -> None:
        self._wait = wait
        self._max_attempts = max_attempts
        self._budget = budget
        self._when = when
        self._after = after
        self.made = 0
        self.refused = 0

    def details(self, first_ones: int, resting: int) -> dict[str, int]:
        """Figures for the snapshot, where ``first_ones`` of the calls were no retries."""
        figures = {"retried": self.made, "beyond_budget": self.refused, "resting": resting}
        return {**figures, "attempts": max(0, first_ones + self.made)}

    def again_in(self, attempts: int, error: BaseException, now: float) -> float | None:
        """Seconds until the next call, after ``attempts`` of them failed, the last with ``error``.

        ``None`` if there is no further call. ``DeciderError`` if ``when`` or ``after`` fails.
        """
        if attempts >= self._max_attempts or not isinstance(error, Exception):
            return None
        if not self._is_worth_it(error):
            return None
        asked_for = self._asked_for(error)
        if self._budget is not None and not self._budget.take(1, now):
            self.refused += 1
            return None
        self.made += 1
        return self._wait(attempts) if asked_for is None else asked_for

    def note(self, error: BaseException, attempts: int, refused_before: int) -> None:
        """Note on ``error`` how many ``attempts`` an element had that is given up with it."""
        said = f"{CALL_NOTE}{attempts} of {self._max_attempts}"
        if self.refused > refused_before:
            said += "; not repeated, since the budget of repeated calls was used up"
        elif attempts == 1:
            return
        note_once(error, said)

    def _is_worth_it(self, error: Exception) -> bool:
        try:
            return self._when is None or bool(self._when(error))
        except Exception as failure:
            raise DeciderError(f"retry: when raised {named(failure)}") from failure

    def _asked_for(self, error: Exception) -> float | None:
        if self._after is None:
            return None
        try:
            seconds = self._after(error)
        except Exception as failure:
            raise DeciderError(f"retry: after raised {named(failure)}") from failure
        if seconds is None:
            return None
        is_number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
        if not is_number or not -_MOST_SECONDS < seconds < _MOST_SECONDS:
            raise DeciderError(f"retry: after must give seconds or None, got {repr_of(seconds)}")
        return max(0.0, seconds)
