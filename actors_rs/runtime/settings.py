"""Numbers that a system or a run is given: refused where they are given, in one sentence.

What is not refused there is a TypeError out of the middle of a shutdown, or a wait without end.
"""

from __future__ import annotations

from typing import Any

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError

__all__ = ["check_count", "check_seconds"]


def check_count(what: str, value: Any) -> None:
    """Raise ``InvalidArgumentError`` unless ``value`` is an int of at least 1."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ArgumentTypeError(f"{what} must be an int, got {value!r}")
    if value < 1:
        raise InvalidArgumentError(f"{what} must be at least 1, got {value}")


def check_seconds(what: str, value: Any, *, some: bool = False) -> None:
    """Raise ``InvalidArgumentError`` unless ``value`` is a number, and above 0 if it is ``some``.

    Otherwise what is below 0 is no time at all.
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ArgumentTypeError(f"{what} must be a number of seconds, got {value!r}")
    if some and not value > 0:
        raise InvalidArgumentError(f"{what} must be more than 0 seconds, got {value!r}")
    if value != value:
        raise InvalidArgumentError(f"{what} must be a number of seconds, got {value!r}")
