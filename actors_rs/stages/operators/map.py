"""map(f)

    in:  1 2 3 |
    out: f(1) f(2) f(3) |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.linear import Operator


class Map(Operator):
    """Each element through ``f``."""

    def __init__(self, f: Callable[[Any], Any]) -> None:
        super().__init__()
        self._f = f

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return map(self._f, elements)
