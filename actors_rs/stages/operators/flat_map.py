"""flat_map(f)

in:  "ab" "c" |
out: a b c |        (list)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from actors_rs.stages.linear import Operator


class FlatMap(Operator):
    """The elements of each iterable that ``f`` returns, drawn as they are demanded."""

    expanding = True

    def __init__(self, f: Callable[[Any], Iterable[Any]]) -> None:
        super().__init__()
        self._f = f

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return chain.from_iterable(self._f(element) for element in elements)
