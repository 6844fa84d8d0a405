"""fold(init, f): ``f(accumulated, element)`` over all elements; the result is the last value.

Back-pressure: takes a window of elements at a time, as fast as they can be had.
Completes: when upstream has completed, with its result.
Fails: when upstream has failed, or ``f`` raises and the policy is to stop.
Cancels: when the run is cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actors_rs.stages.linear import SinkLogic


class Fold(SinkLogic):
    """Folds the elements into one value, what ``make_init`` gives if there are none."""

    runs_user = True
    takes_views = True
    released_attributes = ("_accumulated",)

    def __init__(self, make_init: Callable[[], Any], f: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self._make_init = make_init
        self._accumulated: Any = None
        self._f = f

    def start(self) -> None:
        self._accumulated = self._make_init()
        super().start()

    def consume(self, elements: Iterator[Any], /) -> None:
        f, accumulated = self._f, self._accumulated
        try:
            for element in elements:
                accumulated = f(accumulated, element)
        finally:  # keeps the result of the elements before a failed one
            self._accumulated = accumulated

    def finish(self) -> Any:
        return self._accumulated
