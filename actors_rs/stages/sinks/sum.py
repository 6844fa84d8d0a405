"""sum: the elements added up, 0 if there are none.

Back-pressure: takes a window of elements at a time, as fast as they can be had.
Completes: when upstream has completed, with its result.
Fails: when upstream has failed, or an element cannot be added.
Cancels: when the run is cancelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.stages.linear import SinkLogic


class Sum(SinkLogic):
    """Adds the elements up with ``+``."""

    never_waits = True
    all_or_nothing = True
    released_attributes = ("_total",)

    def __init__(self) -> None:
        super().__init__()
        self._total: Any = 0

    def consume(self, elements: Iterator[Any], /) -> None:
        self._total = sum(elements, self._total)

    def finish(self) -> Any:
        return self._total
