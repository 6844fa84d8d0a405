"""A kill switch for acknowledged elements: of a unit that it cuts, nothing is committed.

What came of the unit before the switch was used lies in sinks, which would wait for the rest of it.
So units of which something has passed, and that are not settled, are abandoned.
"""

from __future__ import annotations

from actors_rs.delivery.ack import Scope
from actors_rs.stages.operators.kill_switch import KillSwitchStage
from actors_rs.stages.ports import Frame
from actors_rs.stages.stage import Budget

__all__ = ["CarryingKillSwitch"]

_FEW = 64  # scopes that are not worth a sweep


class CarryingKillSwitch(KillSwitchStage):
    """To be mixed in before ``KillSwitchStage``."""

    _open: set[Scope] | None = None
    _sweep_at = _FEW

    def pass_on(self, budget: Budget) -> None:
        if self._switch.used:
            self._abandon()
            super().pass_on(budget)
            return
        inlet, outlet = self.inlet, self.outlet
        while inlet.buffered and outlet.demand:
            frame = inlet.take(outlet.demand)
            self._note(frame)
            outlet.emit(frame)

    def _abandon(self) -> None:
        for scope in self._open or ():
            if not scope.is_settled:
                scope.unit.abandon()
        self._open = None

    def _note(self, frame: Frame) -> None:
        if self._open is None:
            self._open = set()
        self._open.update(tracked.token.scope for tracked in frame)
        if len(self._open) > self._sweep_at:
            self._open = {scope for scope in self._open if not scope.is_settled}
            self._sweep_at = max(_FEW, 2 * len(self._open))
