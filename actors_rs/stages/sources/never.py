"""never()

-------

Gives neither an element nor an end.

Back-pressure: none: there is nothing to give.
Completes: when it is drained.
Fails: never.
Cancels: at once.
"""

from __future__ import annotations

from actors_rs.stages.source import SourceLogic
from actors_rs.stages.stage import Budget


class Never(SourceLogic):
    """Gives no element and no end, until it is drained or cancelled."""

    never_waits = True
    waits_outside = True

    def advance(self, budget: Budget) -> None:
        if self.ended:
            self.outlet.complete()
