"""The guardian: a system's one entry in pykka's registry.

``ActorRegistry.stop_all`` and ``broadcast`` reach all actors of the system through it, while
pykka's global list, whose cost grows with the square of its length, holds one entry a system.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from actors_rs.runtime.actor import PooledActor, PooledActorRef
from actors_rs.runtime.future import PooledFuture

if TYPE_CHECKING:
    from actors_rs.runtime.system import ActorSystem

__all__ = ["Guardian"]


class GuardianRef(PooledActorRef["Guardian"]):
    """A reference whose ``stop`` shuts the system down and whose ``tell`` reaches all actors."""

    def __init__(self, guardian: Guardian) -> None:
        super().__init__(guardian)
        self._guardian = guardian

    def tell(self, message: Any) -> None:
        """Tell every actor of the system."""
        for actor in self._guardian.system.children():
            actor.actor_inbox.offer(message)

    def stop(  # type: ignore[override]
        self, *, block: bool = True, timeout: float | None = None
    ) -> Any:
        """Shut the system down, on the calling thread; False if that has happened before."""
        stopped_now = not self.actor_stopped.is_set()
        self.actor_stopped.set()
        if stopped_now:
            self._guardian.system.shutdown(drain=False, timeout=timeout)
        if block:
            return stopped_now
        future: PooledFuture[bool] = PooledFuture()
        future.set(stopped_now)
        return future


class Guardian(PooledActor):
    """Stands for the system in pykka's registry; never runs."""

    def __init__(self, system: ActorSystem) -> None:
        super().__init__()
        self._system = system
        self._actor_ref = GuardianRef(self)
