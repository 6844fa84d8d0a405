"""Checks of what users hand to the language: early, and one sentence each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.errors import InvalidArgumentError

__all__ = ["at_least", "function", "one_of", "optional_function", "positive", "positive_seconds"]


def at_least(least: int, value: Any, what: str) -> int:
    """``value`` if it is an int not below ``least``; ``what`` names it in the message."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{what} must be an int, got {value!r}")
    if value < least:
        raise InvalidArgumentError(f"{what} must be at least {least}, got {value}")
    return value


def function(value: Any, what: str) -> Callable[..., Any]:
    """``value`` if it can be called."""
    if not callable(value):
        raise TypeError(f"{what} must be callable, got {value!r}")
    return value  # type: ignore[no-any-return]


def optional_function(value: Any, what: str) -> None:
    """Raise unless ``value`` is ``None`` or can be called."""
    if value is not None:
        function(value, what)


def one_of(choices: tuple[str, ...], value: Any, what: str) -> None:
    """Raise unless ``value`` is one of ``choices``."""
    if value not in choices:
        raise InvalidArgumentError(f"{what} must be one of {', '.join(choices)}, got {value!r}")


def positive(value: Any, what: str) -> float:
    """``value`` if it is a number above 0."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{what} must be a number, got {value!r}")
    if not value > 0:
        raise InvalidArgumentError(f"{what} must be above 0, got {value!r}")
    return value


def positive_seconds(value: Any, what: str) -> float:
    """``value`` if it is a number of seconds above 0."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{what} must be a number of seconds, got {value!r}")
    if not value > 0:
        raise InvalidArgumentError(f"{what} must be above 0 seconds, got {value!r}")
    return float(value)
