"""Junctions: elements that are handed on as they are, and those that go to several outlets."""

from __future__ import annotations

from actors_rs.delivery.ack import Disposition, Fork, Scope, Tracked
from actors_rs.stages.junctions.broadcast import Broadcast
from actors_rs.stages.ports import Frame, Outlet

__all__ = ["CarryingBroadcast"]

_FEW = 64  # forks that are not worth a sweep


class CarryingBroadcast(Broadcast):
    """To be mixed in before ``Broadcast`` or a class of its kind."""

    _forks: dict[Scope, Fork]

    def give(self, frame: Frame, active: list[Outlet]) -> None:
        shares = [self._fork_of(tracked.token.scope).split(tracked.token) for tracked in frame]
        for number, outlet in enumerate(self.outlets):
            given = [
                Tracked(tracked.value, each[number])
                for tracked, each in zip(frame, shares, strict=True)
            ]
            if outlet in active:
                outlet.emit(given)
            else:
                for tracked in given:
                    tracked.token.settle(Disposition.FILTERED)

    def _fork_of(self, scope: Scope) -> Fork:
        forks: dict[Scope, Fork] = self.__dict__.setdefault("_forks", {})
        fork = forks.get(scope)
        if fork is None:
            if len(forks) >= _FEW:
                for old in [one for one, its in forks.items() if its.sealed]:
                    del forks[old]
            fork = forks[scope] = Fork(scope, len(self.outlets))
        return fork
