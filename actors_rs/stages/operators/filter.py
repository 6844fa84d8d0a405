"""filter(predicate)

    in:  1 2 3 4 |
    out: 2 4 |          (even)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from actors_rs.stages.linear import Operator


class Filter(Operator):
    """The elements for which ``predicate`` is true."""

    def __init__(self, predicate: Callable[[Any], Any]) -> None:
        super().__init__()
        self._predicate = predicate

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        return filter(self._predicate, elements)
