"""fold(init, f): ``f(accumulated, element)`` over all elements; the result is the last value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

from actors_rs.stages.linear import SinkLogic


class Fold(SinkLogic):
    """Folds the elements into one value, ``init`` if there are none."""

    def __init__(self, init: Any, f: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self._accumulated = init
        self._f = f

    def consume(self, elements: Iterator[Any], /) -> None:
        self._accumulated = reduce(self._f, elements, self._accumulated)

    def finish(self) -> Any:
        return self._accumulated
