"""Fused operators, for acknowledged elements: each hands on what it makes with its token."""

from __future__ import annotations

from collections.abc import Callable

from actors_rs.delivery.ack import Tracked
from actors_rs.delivery.carrying.operator import CarryingOperator
from actors_rs.delivery.carrying.surviving import Surviving
from actors_rs.stages.operators.fused import Fused

__all__ = ["CarryingFused"]


class CarryingFused(Surviving, Fused):
    """Its parts are carrying operators."""

    def survives(
        self,
        error: BaseException,
        element: Tracked,
        position: int | None,
        *,
        first: Callable[[], None] | None = None,
    ) -> bool:
        for part in self._parts:  # only the one that raised holds anything
            if isinstance(part.logic, CarryingOperator):
                part.logic.let_go()
        return super().survives(error, element, position, first=first)
