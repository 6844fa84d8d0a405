"""also_to(sink)

in:   1 2 3 |
out:  1 2 3 |
sink: 1 2 3 |           (at the pace of the slower one)

All elements go to a sink too. The main stream is what counts: when it has had enough, the sink
completes with what it has got.

Back-pressure: asks upstream for what both downstream and the sink have asked for.
Completes: both, when the input has completed; the sink also when downstream cancels.
Fails: both, when the input has failed, after what it gave; or when a stage after one has failed.
Cancels: upstream, when downstream cancels; a sink that has had enough no longer counts.
"""

from __future__ import annotations

from actors_rs.stages.junctions.broadcast import Broadcast
from actors_rs.stages.stage import Budget


class AlsoTo(Broadcast):
    """Outlet 0 leads on, outlet 1 to the sink."""

    def __init__(self) -> None:
        super().__init__(2)

    def advance(self, budget: Budget) -> None:
        main = self.outlets[0]
        if main.cancelled:
            self.end(main.cause)
        super().advance(budget)
