"""What every stage does with an acknowledged element that makes user code raise."""

from __future__ import annotations

from collections.abc import Callable

from actors_rs.delivery.ack import Disposition, Tracked
from actors_rs.stages.stage import StageLogic

__all__ = ["Surviving"]


class Surviving(StageLogic):
    """To be mixed in before a stage's own class: the user sees values, the token is settled."""

    def survives(
        self,
        error: BaseException,
        element: Tracked,
        position: int | None,
        *,
        first: Callable[[], None] | None = None,
    ) -> bool:
        if not super().survives(error, element.value, position, first=first):
            return False
        element.token.settle(Disposition.DEAD_LETTERED)
        return True
