"""take(2)

in:  1 2 3 4 |
out: 1 2 |          (upstream is cancelled behind the second)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from actors_rs.stages.linear import Operator


class Take(Operator):
    """The first ``count`` elements."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._left = count
        self.satisfied = count == 0

    def transform(self, elements: Iterator[Any], /) -> Iterable[Any]:
        taken = list(islice(elements, self._left))
        self._left -= len(taken)
        self.satisfied = self._left == 0
        return taken
