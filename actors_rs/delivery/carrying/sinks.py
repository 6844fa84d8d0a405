"""Sinks that have taken responsibility for an element when their function has returned."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from copy import copy
from itertools import islice
from operator import length_hint

from actors_rs.delivery.ack import Disposition, Tracked
from actors_rs.delivery.carrying.surviving import Surviving
from actors_rs.stages.linear import SinkLogic

__all__ = ["CarryingSink"]


class CarryingSink(Surviving, SinkLogic):
    """To be mixed in before the sink's own class."""

    def consume(self, elements: Iterator[Tracked], /) -> None:
        piece = list(copy(elements))
        values = iter([tracked.value for tracked in piece])
        try:
            super().consume(values)
        except Exception:
            taken = len(piece) - length_hint(values)
            deque(islice(elements, taken), maxlen=0)  # the caller goes on after the failed one
            self._settle(piece[: taken - 1])
            raise
        self._settle(piece)

    def _settle(self, piece: list[Tracked]) -> None:
        for tracked in piece:
            tracked.token.settle(Disposition.DELIVERED)
