"""for_each(f): calls ``f`` with each element; the result is their number.

Back-pressure: asks for a window; a slow function slows the stream down.
Completes: when upstream has completed, with its result.
Fails: when upstream has failed, or ``f`` raises and the policy is to stop.
Cancels: when the run is cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from actors_rs.stages.linear import SinkLogic


class ForEach(SinkLogic):
    """Calls ``f`` once for each element, in order, one call at a time."""

    runs_user = True
    takes_views = True

    def __init__(self, f: Callable[[Any], Any]) -> None:
        super().__init__()
        self._f = f

    def consume(self, elements: Iterator[Any], /) -> None:
        f = self._f
        for element in elements:  # `map` would take a StopIteration for the end
            f(element)

    def finish(self) -> int:
        return self.taken
