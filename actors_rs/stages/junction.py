"""What junctions with several inlets share, and those with several outlets."""

from __future__ import annotations

from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import StageLogic

__all__ = ["FanIn", "FanOut"]


class FanIn(StageLogic):
    """Several inlets, one outlet."""

    def __init__(self, count: int) -> None:
        self.inlets = tuple(Inlet(f"in {i}") for i in range(count))
        self.outlet = Outlet()
        self.outlets = (self.outlet,)

    def look_downstream(self) -> int:
        """What downstream asks for now; opens the inlets if it does, ends all if it has left."""
        outlet = self.outlet
        if outlet.cancelled:
            self.end(outlet.cause)
        elif outlet.demand:
            for inlet in self.inlets:
                inlet.open()
        return outlet.demand

    def failure(self) -> BaseException | None:
        """The error of an inlet that failed, once all it gave before has been taken."""
        for inlet in self.inlets:
            if inlet.error is not None and inlet.exhausted:
                return inlet.error
        return None

    def end_with_the_first(self) -> None:
        """End if an inlet has: with its failure, else by completing."""
        for inlet in self.inlets:
            if inlet.exhausted:
                self.end(self.failure())
                return

    def end_with_the_last(self) -> None:
        """End if an inlet has failed, or when all have completed."""
        if (error := self.failure()) is not None:
            self.end(error)
        elif all(inlet.exhausted for inlet in self.inlets):
            self.end(None)


class FanOut(StageLogic):
    """One inlet, several outlets."""

    def __init__(self, count: int) -> None:
        self.inlet = Inlet()
        self.inlets = (self.inlet,)
        self.outlets = tuple(Outlet(f"out {i}") for i in range(count))

    def look_downstream(self) -> list[Outlet]:
        """The outlets that have not had enough; ends all if none is left or one has failed."""
        if (cause := self.downstream_failure()) is not None:
            self.end(cause)
        active = [outlet for outlet in self.outlets if not outlet.closed]
        if not active:
            self.inlet.cancel()
        return active
