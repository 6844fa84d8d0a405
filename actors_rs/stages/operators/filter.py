"""filter(predicate)

    in:  1 2 3 4 |
    out: 2 4 |          (even)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import FunctionType
from typing import Any

from actors_rs.stages.linear import Operator


class Filter(Operator):
    """The elements for which ``predicate`` is true."""

    def __init__(self, predicate: Callable[[Any], Any]) -> None:
        super().__init__()
        self._predicate = predicate
        self._is_python = isinstance(predicate, FunctionType)

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return filter(self._predicate, elements)

    def collect(self, elements: Iterator[Any], out: list[Any], /) -> None:
        if not self._is_python:
            out.extend(filter(self._predicate, elements))
            return
        predicate = self._predicate  # bytecode calls a Python function faster than C does
        for element in elements:
            if predicate(element):
                out.append(element)
