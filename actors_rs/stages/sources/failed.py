"""failed(error)

x

Gives no element, and the error exactly as it is.

Back-pressure: needs no demand to fail.
Completes: never.
Fails: at once.
Cancels: at once.
"""

from __future__ import annotations

from actors_rs.stages.source import SourceLogic
from actors_rs.stages.stage import Budget


class Failed(SourceLogic):
    """Fails at once, without demand, with the error exactly as given."""

    never_waits = True

    def __init__(self, error: BaseException) -> None:
        super().__init__()
        self._error = error

    def advance(self, budget: Budget) -> None:
        if not self.outlet.closed:  # else downstream has left
            self.context.failed(self._error, plain=True)
            self.outlet.fail(self._error)
