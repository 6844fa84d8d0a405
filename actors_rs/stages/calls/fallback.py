"""``Fallback``: gives elements in place of those whose calls have failed for good."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from actors_rs.raised import askable, comes_of

__all__ = ["Fallback"]


class Fallback:
    """The user's ``f(element, error)``, called in the stage's own turns."""

    def __init__(self, f: Callable[[Any, Exception], Any]) -> None:
        self.f = f
        self._given = 0

    def details(self) -> dict[str, int]:
        """The figure for the snapshot. Any thread."""
        return {"fallbacks": self._given}

    def instead_of(self, element: Any, error: Exception) -> tuple[Any, Exception | None]:
        """The element to give in place of ``element``, or, second, what ``element`` fails with."""
        asked = askable(error)
        if not isinstance(asked, Exception) or issubclass(type(error), MemoryError):
            return None, error  # this is no element's fault
        try:
            given = self.f(element, asked)
        except Exception as raised:
            _name_cause(raised, asked)
            return None, raised
        self._given += 1
        return given, None


def _name_cause(raised: Exception, error: Exception) -> None:
    """Make ``error`` the cause of ``raised``, unless that has one or is itself among the causes."""
    with suppress(BaseException):  # of a class whose own methods raise
        if raised.__cause__ is None and not comes_of(raised, error):
            BaseException.__setattr__(raised, "__cause__", error)
