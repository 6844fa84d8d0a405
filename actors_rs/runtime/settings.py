"""Numbers that a system or a run is given: refused where they are given, in one sentence.

What is not refused there is a TypeError out of the middle of a shutdown, or a wait without end.
"""

from __future__ import annotations

from typing import Any

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError

__all__ = ["check_count", "check_int", "check_rate", "check_seconds"]

_MOST_BITS = 1000
"""Of an int that can be added to the time, which is a float."""


def check_int(what: str, value: Any) -> None:
    """Raise ``ArgumentTypeError`` unless ``value`` is an int."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ArgumentTypeError(f"{what} must be an int, got {value!r}")


def check_count(what: str, value: Any) -> None:
    """Raise ``InvalidArgumentError`` unless ``value`` is an int of at least 1."""
    if type(value) is not int:  # a call less, where all is well
        check_int(what, value)
    if value < 1:
        raise InvalidArgumentError(f"{what} must be at least 1, got {value}")


def check_rate(what: str, value: Any) -> None:
    """Raise ``InvalidArgumentError`` unless ``value`` is a number from 0 to 1."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ArgumentTypeError(f"{what} must be a rate from 0 to 1, got {value!r}")
    if not 0 <= value <= 1:
        raise InvalidArgumentError(f"{what} must be a rate from 0 to 1, got {value!r}")


def check_seconds(what: str, value: Any, *, some: bool = False) -> None:
    """Raise ``InvalidArgumentError`` unless ``value`` is a number, and above 0 if it is ``some``.

    Otherwise what is below 0 is no time at all.
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ArgumentTypeError(f"{what} must be a number of seconds, got {value!r}")
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        bits = value.bit_length()
        raise InvalidArgumentError(f"{what} must be a number of seconds, got an int of {bits} bits")
    if some and not value > 0:
        raise InvalidArgumentError(f"{what} must be more than 0 seconds, got {value!r}")
    if value != value:
        raise InvalidArgumentError(f"{what} must be a number of seconds, got {value!r}")
