"""Batches of acknowledged elements, acknowledged with all of their members.

A batch holds elements of one scope only, else a unit could not be committed without a part of the
next one: so it ends where its unit does.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any

from actors_rs.delivery.ack import Bundle, Tracked
from actors_rs.delivery.carrying.surviving import Surviving
from actors_rs.stages.operators.batch import Batch
from actors_rs.stages.operators.batch_by_weight import BatchByWeight
from actors_rs.stages.ports import Frame

__all__ = ["CarryingBatch", "CarryingBatchByWeight"]


class CarryingBatch(Batch):
    """To be mixed in before the batch's own class."""

    cuts = False

    def fitting(self, batch: list[Any], frame: Frame) -> int:
        scope = (batch or frame)[0].token.scope
        return sum(1 for _ in takewhile(lambda tracked: tracked.token.scope is scope, frame))

    def packed(self, batch: list[Any]) -> Tracked:
        values = [tracked.value for tracked in batch]
        return Tracked(values, Bundle([tracked.token for tracked in batch]))


class CarryingBatchByWeight(Surviving, CarryingBatch, BatchByWeight):
    """The same for a batch by weight, whose function is one ``of_value``."""

    def _gather_from(self, frame: Frame) -> None:
        fits = self.fitting(self._batch, frame)
        if fits:
            self.inlet.untake(frame[fits:])
            super()._gather_from(frame[:fits])
        else:
            self._close_before(frame)
