"""never()

-------
"""

from __future__ import annotations

from actors_rs.stages.source import SourceLogic
from actors_rs.stages.stage import Budget


class Never(SourceLogic):
    """Gives no element and no end, until it is drained or cancelled."""

    within = "yes"

    def advance(self, budget: Budget) -> None:
        if self.ended:
            self.outlet.complete()
