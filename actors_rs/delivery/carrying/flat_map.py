"""Flat map for acknowledged elements: what an inner stream gives shares its element's token.

A stream that has its run goes on when the transform has ended which met it. So the token of its
element stays until that stream has completed. It is never settled if the stream fails or is
cancelled, since the run ends then. If the run drains, the stream may have been cut short, so the
unit is abandoned, and sinks release the elements they hold of it.
"""

from __future__ import annotations

from actors_rs.delivery.ack import Tracked
from actors_rs.delivery.carrying.operator import CarryingOperator
from actors_rs.errors import DefectError
from actors_rs.stages.operators.flat_map import FlatMap
from actors_rs.stages.ports import Frame

__all__ = ["CarryingFlatMap"]


class CarryingFlatMap(CarryingOperator, FlatMap):
    """To be mixed in before ``FlatMap``."""

    def given(self, frame: Frame) -> Frame:
        token = self._token
        if token is None:
            raise DefectError("an inner stream gave elements when its own was settled")
        self._given = True
        return [Tracked(value, token.sibling()) for value in frame]

    def stream_ended(self, *, whole: bool) -> None:
        if not whole and self._token is not None:
            self._token.scope.unit.abandon()
        self._settle_last()

    def _settle_last(self) -> None:
        if self._met is None:  # else it begins after the end of this transform
            super()._settle_last()
