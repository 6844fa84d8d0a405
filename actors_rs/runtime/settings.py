"""Checks of the arguments of a system or a run: errors are raised at the call, in one sentence.

Without them, a wrong argument would be a TypeError in the middle of a shutdown, or an endless wait.
"""

from __future__ import annotations

from math import isfinite
from typing import Any, TypeGuard

from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.texts import repr_of

__all__ = [
    "check_count",
    "check_error",
    "check_flag",
    "check_grace",
    "check_int",
    "check_kind",
    "check_rate",
    "check_seconds",
    "check_text",
    "check_timeout",
    "is_finite",
    "is_number",
    "shown",
]

_MOST_BITS = 1000
"""Of an int that can be added to the time, which is a float."""


def check_int(what: str, value: Any) -> None:
    """Raise ``ArgumentTypeError`` unless ``value`` is an int."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ArgumentTypeError(f"{what} must be an int, got {repr_of(value)}")


def check_flag(what: str, value: Any) -> None:
    """Raise ``ArgumentTypeError`` unless ``value`` is a bool: ``"no"`` would be taken for true."""
    if not isinstance(value, bool):
        raise ArgumentTypeError(f"{what} must be True or False, got {repr_of(value)}")


def check_text(what: str, value: Any) -> None:
    """Raise ``ArgumentTypeError`` unless ``value`` is a text."""
    if not isinstance(value, str):
        raise ArgumentTypeError(f"{what} must be a text, got {repr_of(value)}")


def check_kind(thing: object, method: str, need: str) -> None:
    """Raise ``ArgumentTypeError``, which says the ``need``, unless ``thing`` has that method."""
    if not hasattr(thing, method):
        raise ArgumentTypeError(f"{need}, got {repr_of(thing)}")


def check_error(what: str, value: Any) -> None:
    """Raise ``ArgumentTypeError`` unless ``value``, an argument of ``what``, is an exception.

    A class is refused: stages and waiting callers would get it as if it were an exception.
    """
    if not isinstance(value, BaseException):
        raise ArgumentTypeError(f"{what} needs an exception, got {repr_of(value)}")


def check_count(what: str, value: Any) -> None:
    """Raise ``InvalidArgumentError`` unless ``value`` is an int of at least 1."""
    if type(value) is not int:  # a call less, where all is well
        check_int(what, value)
    if value < 1:
        raise InvalidArgumentError(f"{what} must be at least 1, got {value}")


def check_rate(what: str, value: Any) -> None:
    """Raise ``InvalidArgumentError`` unless ``value`` is a number from 0 to 1."""
    if not is_number(value):
        raise ArgumentTypeError(f"{what} must be a rate from 0 to 1, got {repr_of(value)}")
    if not 0 <= value <= 1:
        raise InvalidArgumentError(f"{what} must be a rate from 0 to 1, got {repr_of(value)}")


def check_seconds(what: str, value: Any, *, some: bool = False) -> None:
    """Raise ``InvalidArgumentError`` unless ``value`` is a number, and above 0 if it is ``some``.

    Otherwise what is below 0 is no time at all.
    """
    if not is_number(value):
        raise ArgumentTypeError(f"{what} must be a number of seconds, got {repr_of(value)}")
    if isinstance(value, int) and not is_finite(value):
        raise InvalidArgumentError(f"{what} must be a number of seconds, got {shown(value)}")
    if some and not value > 0:
        raise InvalidArgumentError(f"{what} must be more than 0 seconds, got {repr_of(value)}")
    if value != value:
        raise InvalidArgumentError(f"{what} must be a number of seconds, got {repr_of(value)}")


def check_grace(what: str, value: Any) -> None:
    """``check_seconds`` of a grace, which is 0 or more."""
    check_seconds(what, value)
    if value < 0:
        raise InvalidArgumentError(f"{what} must be 0 seconds or more, got {repr_of(value)}")


def is_number(value: object) -> TypeGuard[float]:
    """Whether ``value`` is an int or a float; ``True`` is none, although Python takes it for 1."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_finite(value: float) -> bool:
    """Whether ``value`` is finite, and no int that is larger than any float."""
    return value.bit_length() <= _MOST_BITS if isinstance(value, int) else isfinite(value)


def shown(value: Any) -> str:
    """``value`` for the end of a sentence; of an int beyond all floats how large it is."""
    if isinstance(value, int) and not is_finite(value):
        return f"an int of {value.bit_length()} bits"
    return repr_of(value)


def check_timeout(value: Any) -> None:
    """``check_seconds`` of a ``timeout``, where ``None`` means the default or for ever."""
    if value is not None:
        check_seconds("timeout", value)
