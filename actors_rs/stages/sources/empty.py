"""empty()

|

Gives no element.

Back-pressure: needs no demand to complete.
Completes: at once.
Fails: never.
Cancels: at once.
"""

from __future__ import annotations

from actors_rs.stages.source import SourceLogic


class Empty(SourceLogic):
    """Completes at once, without demand."""

    never_waits = True

    def __init__(self) -> None:
        super().__init__()
        self.ended = True
