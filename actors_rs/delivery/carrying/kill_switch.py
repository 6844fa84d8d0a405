"""A kill switch for acknowledged elements: of a unit that it cuts, nothing is committed.

Sinks hold the elements of the unit that passed before the switch was used, and would wait for the
rest. So the switch abandons units that have passed in part. Units that have passed as a whole are
not affected.
"""

from __future__ import annotations

from actors_rs.delivery.carrying.routing import Forks
from actors_rs.stages.operators.kill_switch import KillSwitchStage
from actors_rs.stages.stage import Budget

__all__ = ["CarryingKillSwitch"]


class CarryingKillSwitch(KillSwitchStage):
    """To be mixed in before ``KillSwitchStage``.

    What passes goes into a branch of its own: its fork knows when all of a unit is there.
    """

    _forks: Forks | None = None

    def pass_on(self, budget: Budget) -> None:
        if self._forks is None:
            self._forks = Forks(1)
        if self._switch.used:
            self._forks.abandon_parts()
            super().pass_on(budget)
            return
        inlet, outlet = self.inlet, self.outlet
        while inlet.buffered and outlet.demand:
            (given,) = self._forks.split(inlet.take(outlet.demand))
            outlet.emit(given)
