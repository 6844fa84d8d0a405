"""map(f)

    in:  1 2 3 |
    out: f(1) f(2) f(3) |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

from actors_rs.stages.linear import Operator


class Map(Operator):
    """Each element through ``f``."""

    def __init__(self, f: Callable[[Any], Any]) -> None:
        super().__init__()
        self._f = f
        self._is_python = isinstance(f, FunctionType)

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return map(self._f, elements)

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        if not self._is_python:
            out.extend(map(self._f, elements))
            return
        f = self._f  # bytecode calls a Python function faster than C does
        for element in elements:
            out.append(f(element))  # a comprehension would lose `out` if f raises
