"""The guardian: a system's one entry in pykka's registry.

``ActorRegistry.stop_all`` and ``broadcast`` reach all actors of the system through it, while
pykka's global list, whose cost grows with the square of its length, holds one entry a system. So
looking up a single actor in that list, by class or name, finds the guardian at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.actors.actor_ref import PooledActorRef
from actors_rs.runtime.actors.contract import ActorBase, Home
from actors_rs.runtime.actors.future import PooledFuture

__all__ = ["Guardian"]


class Guarded(Home, Protocol):
    """A system, as its guardian sees it."""

    def children(self) -> Sequence[ActorBase]:
        """The living actors."""
        ...

    def shutdown(self, *, drain: bool = True, timeout: float | None = None) -> None:
        """End everything, and wait for it."""

    def stop_soon(self, within: float | None = None) -> None:
        """Cancel runs, tell actors to stop."""


class GuardianRef(PooledActorRef["Guardian"]):
    """A reference whose ``stop`` shuts the system down and whose ``tell`` reaches all actors."""

    def __init__(self, guardian: Guardian) -> None:
        super().__init__(guardian, Guardian)
        self._guardian = guardian

    def tell(self, message: Any) -> None:
        """Tell every actor of the system."""
        for actor in self._guardian.system.children():
            actor.actor_inbox.offer(message)

    def stop(self, *, block: bool = True, timeout: float | None = None) -> Any:
        """Shut the system down, on the calling thread; False if that has happened before.

        Without ``block`` only tells its runs and actors to stop; its threads end with
        ``shutdown``.
        """
        alive, system = self.is_alive(), self._guardian.system
        if block:
            if alive:
                system.shutdown(drain=False, timeout=timeout)
            return alive
        if alive:
            system.stop_soon()
        future: PooledFuture[bool] = PooledFuture()
        future.set(alive)
        return future


class Guardian(ActorCore):
    """Stands for the system in pykka's registry; never runs, so asking it is asking the dead."""

    def __init__(self, system: Guarded) -> None:
        super().__init__()
        self._system_ = self.system = system
        self._ref_ = GuardianRef(self)
        self.actor_inbox.close()
