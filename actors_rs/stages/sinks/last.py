"""last: the last element.

Back-pressure: takes a window of elements at a time, as fast as they can be had.
Completes: when upstream has completed, with its result.
Fails: when upstream has failed, or completed without an element (EmptyStreamError).
Cancels: when the run is cancelled.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from actors_rs.stages.chunks.empty import nothing_for
from actors_rs.stages.linear import SinkLogic


class Last(SinkLogic):
    """The element before the end; fails with ``EmptyStreamError`` if there is none."""

    never_waits = True
    takes_views = True
    released_attributes = ("_last",)

    def __init__(self) -> None:
        super().__init__()
        self._last: deque[Any] = deque(maxlen=1)

    def consume(self, elements: Iterator[Any], /) -> None:
        self._last.extend(elements)

    def finish(self) -> Any:
        if not self._last:
            raise nothing_for("last")
        return self._last[0]
