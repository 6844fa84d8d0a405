"""first: the first element; upstream is cancelled after it.

Back-pressure: asks for one element.
Completes: after the first element, with it as the result.
Fails: when upstream has failed or completed before (EmptyStreamError).
Cancels: upstream, after the first element or when the run is cancelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.stages.chunks.empty import nothing_for
from actors_rs.stages.linear import SinkLogic


class First(SinkLogic):
    """One element; fails with ``EmptyStreamError`` if there is none."""

    never_waits = True
    window_follows = "own"
    released_attributes = ("_first",)

    def __init__(self) -> None:
        super().__init__()
        self._first: Any = None

    def start(self) -> None:
        self.inlet.window = 1
        self.want(1)
        self.inlet.open()

    def consume(self, elements: Iterator[Any], /) -> None:
        self._first = next(elements)
        self.satisfied = True

    def finish(self) -> Any:
        if not self.satisfied:
            raise nothing_for("first")
        return self._first
