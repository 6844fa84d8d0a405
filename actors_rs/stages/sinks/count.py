"""count: how many elements there were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors_rs.stages.linear import SinkLogic


class Count(SinkLogic):
    """Counts; the inlet does so anyway."""

    def consume(self, elements: Iterator[Any], /) -> None:
        return

    def finish(self) -> int:
        return self.taken
