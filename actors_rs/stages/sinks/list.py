"""list: all elements, as a list.

Back-pressure: takes everything: for what fits into memory.
Completes: when upstream has completed, with its result.
Fails: when upstream has failed; there is no result then.
Cancels: when the run is cancelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.stages.linear import SinkLogic


class ListSink(SinkLogic):
    """Keeps every element: for results that fit into memory."""

    never_waits = True
    released_attributes = ("_elements",)
    takes_views = True

    def __init__(self) -> None:
        super().__init__()
        self._elements: list[Any] = []

    def consume(self, elements: Iterator[Any], /) -> None:
        self._elements.extend(elements)

    def finish(self) -> list[Any]:
        return self._elements
