"""Several Python functions one behind the other over a piece, in one loop.

The loop is written out for each number of functions, as dataclasses write their methods: bytecode
calls a Python function for less than nested ``map`` objects do, and no list is made in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, TypeAlias

__all__ = ["Stumble", "through"]

Stumble: TypeAlias = tuple[int, Any, Exception] | None
"""Which function raised, what it was given, and the error; ``None`` if none did."""
_FIRST_LINE = 4
"""The line of the loop that calls the first function."""


def through(
    functions: Sequence[Callable[[Any], Any]], elements: Iterator[Any], out: list[Any]
) -> Stumble:
    """Append what ``functions`` make of each element; stops behind the first that stumbles."""
    try:
        _loop(len(functions))(functions, elements, out)
    except Exception as error:
        inside = error.__traceback__.tb_next  # type: ignore[union-attr]  # the loop's own frame
        if inside is None:
            raise
        return inside.tb_lineno - _FIRST_LINE, inside.tb_frame.f_locals["x"], error
    return None


@cache
def _loop(size: int) -> Callable[[Any, Any, Any], None]:
    """A function with a line for each of ``size`` functions."""
    names = [f"f{number}" for number in range(size)]
    text = [
        "def loop(functions, elements, out):",
        f"    [{', '.join(names)}] = functions",
        "    for x in elements:",
        *(f"        x = {name}(x)" for name in names[:-1]),
        f"        out.append({names[-1]}(x))",
    ]
    made: dict[str, Any] = {}
    exec("\n".join(text), made)
    loop: Callable[[Any, Any, Any], None] = made["loop"]
    return loop
