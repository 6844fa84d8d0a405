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
        frame = list(copy(elements))
        values = iter([tracked.value for tracked in frame])
        try:
            super().consume(values)
        except Exception:
            taken = len(frame) - length_hint(values)
            deque(islice(elements, taken), maxlen=0)  # the caller goes on after the failed one
            self._settle(frame[: taken - 1])
            raise
        self._settle(frame)

    def _settle(self, frame: list[Tracked]) -> None:
        for tracked in frame:
            tracked.token.settle(Disposition.DELIVERED)
