"""count: how many elements there were.

Back-pressure: takes a window of elements at a time, as fast as they can be had.
Completes: when upstream has completed, with its result.
Fails: when upstream has failed; there is no result then.
Cancels: when the run is cancelled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.stages.linear import SinkLogic


class Count(SinkLogic):
    """Counts; the inlet does so anyway."""

    never_waits = True
    takes_views = True

    def consume(self, elements: Iterator[Any], /) -> None:
        return

    def finish(self) -> int:
        return self.taken
