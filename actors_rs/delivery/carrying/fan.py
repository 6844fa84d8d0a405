"""Several sinks as one, for acknowledged elements: each has a branch of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from actors_rs.delivery.ack import Tracked
from actors_rs.delivery.carrying.routing import Forks
from actors_rs.delivery.carrying.units import UnitSink
from actors_rs.stages.sinks.fan import Fan, Part
from actors_rs.stages.stage import Budget

__all__ = ["CarryingFan"]


class CarryingFan(Fan):
    """An element is done with when all sinks are; each commits whole units by itself."""

    def __init__(self, parts: Sequence[Part]) -> None:
        super().__init__(parts)
        self._forks = Forks(len(parts))

    def name_of(self, number: int, part: Part) -> str:
        """Two of a kind would take each other's notes of a unit for their own."""
        return f"{self.context.name}.{number} {part.name}"

    def consume(self, elements: Iterator[Tracked], /) -> None:
        branches = self._forks.split(list(elements))
        for sink, given in zip(self._sinks, branches, strict=True):
            self._give(sink, given)
        self._has_failed()

    def advance(self, budget: Budget) -> None:
        self.settle_ready()
        super().advance(budget)
        self.settle_ready()  # an error that is here already leaves no further turn

    def settle_ready(self) -> None:
        """Commit the units that are whole, in each sink that writes units."""
        if self.inlet.cancelled:
            return
        for sink in self._sinks:
            if isinstance(sink, (UnitSink, CarryingFan)):
                try:
                    sink.settle_ready()
                except Exception as error:
                    sink.fail(error)
        self._has_failed()

    @property
    def finished(self) -> bool:
        over = self.inlet.cancelled or self.inlet.error is not None
        return super().finished and (self.completed or over)
