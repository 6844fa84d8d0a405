"""balance(2)

in:    1 2 3 4 5 |
out 0: 1 2     5 |
out 1:     3 4 |        (each element to one outlet, wherever there is demand)

Shares elements evenly among the outlets with demand. Stages downstream of an outlet, up to the next
junction, request 16 elements at a time unless ``with_attributes(window=...)`` says otherwise. So an
outlet has new demand once its stages have processed their elements: the quickest outlet gets most.

Back-pressure: asks upstream while any outlet asks; never gives an outlet more than that asked for.
Completes: all outlets, when the input has completed and all of it was given.
Fails: all outlets, when the input has failed, after what it gave; or when a stage after one of
  them has failed.
Cancels: upstream, when all outlets have been cancelled; until then the others share the elements.
  Elements that wait in a cancelled outlet are dropped with it.
"""

from __future__ import annotations

from actors_rs.stages.junction import FanOut
from actors_rs.stages.ports import Outlet
from actors_rs.stages.stage import Budget


class Balance(FanOut):
    """Each frame in equal parts to the outlets with demand, beginning with another each time."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self._next = 0

    def advance(self, budget: Budget) -> None:
        inlet = self.inlet
        if not self.look_downstream():
            return
        while asking := self._asking():
            inlet.open()
            if not inlet.buffered:
                break
            self._share_out(asking)
        if inlet.exhausted:
            self.end(inlet.error)

    def _asking(self) -> list[Outlet]:
        """The outlets with demand, the one whose turn it is first."""
        turn = self._next
        return [o for o in (*self.outlets[turn:], *self.outlets[:turn]) if o.demand]

    def _share_out(self, asking: list[Outlet]) -> None:
        """Give a frame to ``asking``, in parts as equal as their demand allows."""
        frame = self.inlet.take(sum(outlet.demand for outlet in asking))
        given, outlets = 0, len(asking)
        for place, outlet in enumerate(asking):
            fair = -(-(len(frame) - given) // (outlets - place))
            part = frame[given : given + min(fair, outlet.demand)]
            given += len(part)
            outlet.emit(part)
        self.inlet.untake(frame[given:])
        self._next = (self._next + 1) % len(self.outlets)
