"""Which calls that failed are made again, and when: a decision without clock, timer or thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from actors_rs.errors import DeciderError
from actors_rs.raised import note_once
from actors_rs.texts import CALL_NOTE, named

__all__ = ["Budget", "Retries"]


class Budget(Protocol):
    """How many calls may be made again. See ``RateLimit``, which streams can share."""

    def take(self, most: int, now: float, /) -> int:
        """How many more, up to ``most``, there may be at this moment."""
        ...


class Retries:
    """``max_attempts`` calls for an element, the first one among them.

    ``wait(n)`` gives the seconds before call n + 1. Without a ``when``, every ``Exception`` is
    worth another attempt. One that ``budget`` does not allow is not made later either: a service
    that is down must not be met with more calls than one that is up.
    """

    def __init__(
        self,
        wait: Callable[[int], float],
        max_attempts: int,
        budget: Budget | None,
        when: Callable[[Exception], Any] | None,
    ) -> None:
        self._wait = wait
        self._max_attempts = max_attempts
        self._budget = budget
        self._when = when
        self.made = 0
        self.refused = 0

    def details(self, first_ones: int, resting: int) -> dict[str, int]:
        """Figures for the snapshot, where ``first_ones`` of the calls were no retries."""
        figures = {"retried": self.made, "beyond_budget": self.refused, "resting": resting}
        return {**figures, "attempts": max(0, first_ones + self.made)}

    def again_in(self, attempts: int, error: BaseException, now: float) -> float | None:
        """Seconds until the next call, after ``attempts`` of them failed, the last with ``error``.

        ``None`` if there is no further call. Raises ``DeciderError`` if ``when`` raises.
        """
        if attempts >= self._max_attempts or not isinstance(error, Exception):
            return None
        if not self._is_worth_it(error):
            return None
        if self._budget is not None and not self._budget.take(1, now):
            self.refused += 1
            return None
        self.made += 1
        return self._wait(attempts)

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
