"""Junctions: they emit elements unchanged, to one outlet or to several."""

from __future__ import annotations

from actors_rs.delivery.ack import Fork, Scope, Tracked
from actors_rs.stages.junctions.broadcast import Broadcast
from actors_rs.stages.ports import Frame, Outlet

__all__ = ["CarryingBroadcast", "Forks"]

_FEW = 64  # forks that are not worth a sweep


class Forks:
    """The ways of all scopes into ``count`` branches; used in the turns of one stage."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._forks: dict[Scope, Fork] = {}

    def split(self, frame: Frame) -> list[list[Tracked]]:
        """What each branch gets of ``frame``."""
        shares = [self._of(tracked.token.scope).split(tracked.token) for tracked in frame]
        pairs = list(zip(frame, shares, strict=True))
        return [
            [Tracked(tracked.value, each[number]) for tracked, each in pairs]
            for number in range(self._count)
        ]

    def abandon_parts(self) -> None:
        """No more will be split: the units of which the branches have a part are abandoned."""
        for scope, fork in self._forks.items():
            if not fork.sealed:
                scope.unit.abandon()
        self._forks.clear()

    def _of(self, scope: Scope) -> Fork:
        fork = self._forks.get(scope)
        if fork is None:
            if len(self._forks) >= _FEW:
                for old in [one for one, its in self._forks.items() if its.sealed]:
                    del self._forks[old]
            fork = self._forks[scope] = Fork(scope, self._count)
        return fork


class CarryingBroadcast(Broadcast):
    """To be mixed in before ``Broadcast`` or a class of its kind."""

    _forks: Forks | None = None

    def give(self, frame: Frame, active: list[Outlet]) -> None:
        if self._forks is None:
            self._forks = Forks(len(self.outlets))
        for outlet, given in zip(self.outlets, self._forks.split(frame), strict=True):
            wanted = outlet in active
            for tracked in given:
                scope = tracked.token.scope
                if wanted:
                    scope.begun = True
                else:
                    scope.leave_out(tracked.token)
            if wanted:
                outlet.emit(given)
