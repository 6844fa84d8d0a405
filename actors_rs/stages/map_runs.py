"""Several Python functions one behind the other over a piece, without a list between them.

Each function is called from bytecode, which costs less than nested ``map`` objects do, and the
number of the one that raised is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

__all__ = ["Stumble", "through_four", "through_two"]

Stumble: TypeAlias = tuple[int, Any, Exception] | None
"""Which function raised, what it was given, and the error; ``None`` if none did."""


def through_two(
    functions: Sequence[Callable[[Any], Any]], elements: Iterator[Any], out: list[Any]
) -> Stumble:
    """Append what two functions make of each element; stops behind the first that stumbles."""
    f0, f1 = functions
    step, x = 0, None
    try:
        for x in elements:
            x = f0(x)  # noqa: PLW2901 - on the way
            step = 1
            out.append(f1(x))
            step = 0
    except Exception as error:
        return step, x, error
    return None


def through_four(
    functions: Sequence[Callable[[Any], Any]], elements: Iterator[Any], out: list[Any]
) -> Stumble:
    """Append what four functions make of each element; stops behind the first that stumbles."""
    f0, f1, f2, f3 = functions
    step, x = 0, None
    try:
        for x in elements:
            x = f0(x)  # noqa: PLW2901 - on the way
            step = 1
            x = f1(x)  # noqa: PLW2901 - on the way
            step = 2
            x = f2(x)  # noqa: PLW2901 - on the way
            step = 3
            out.append(f3(x))
            step = 0
    except Exception as error:
        return step, x, error
    return None
