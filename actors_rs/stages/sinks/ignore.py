"""ignore: takes everything, keeps nothing; the result is ``None``.

Back-pressure: takes a window of elements at a time, as fast as they can be had.
Completes: when upstream has completed, with its result.
Fails: when upstream has failed; there is no result then.
Cancels: when the run is cancelled.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from actors_rs.stages.chunks.views import OF_VIEWS
from actors_rs.stages.linear import SinkLogic


class Ignore(SinkLogic):
    """Takes all elements and drops them: the stages upstream do the work."""

    never_waits = True
    takes_views = True

    def consume(self, elements: Iterator[Any], /) -> None:
        if isinstance(elements, OF_VIEWS):
            deque(elements, maxlen=0)
