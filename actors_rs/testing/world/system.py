"""The production system, as a world has it: it knows all actors and runs there were."""

from __future__ import annotations

from typing import Literal, TypeVar

from actors_rs.engine.boundary.foreign import ForeignSubscriber
from actors_rs.engine.run.scope import RunScope
from actors_rs.engine.watching.stall_watch import StallWatch
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.actors.actor_ref import PooledActorRef
from actors_rs.runtime.dispatch.resources import Resources
from actors_rs.runtime.system.system import Activity, ActorSystem
from actors_rs.testing.world.dispatcher import DeterministicDispatcher
from actors_rs.testing.world.late import cancel_in_a_turn
from actors_rs.testing.world.links import watched

__all__ = ["WorldSystem"]

A = TypeVar("A", bound=ActorCore)


class WorldSystem(ActorSystem):
    """The production system; it also tells the dispatcher which actors there are."""

    watch_links = staticmethod(watched)
    knows_rest = keeps_ended = True

    def __init__(
        self,
        dispatcher: DeterministicDispatcher,
        resources: Resources,
        window: int | Literal["auto"],
        memory_limit: int | str | None,
        monitor: bool,
    ) -> None:
        super().__init__(
            window=window,
            memory_limit=memory_limit,
            monitor=monitor,
            stall_after=None,  # the world itself reports the waits
            metrics=False,  # virtual time means nothing to metrics
            name="world",
            resources=resources,
        )
        self._world = dispatcher
        self.scopes: list[RunScope] = []

    def before_foreign_cancel(self, peer: ForeignSubscriber) -> None:
        """See ``late``."""
        cancel_in_a_turn(self._world, peer)

    def adopt(self, actor: A) -> PooledActorRef[A]:
        self._world.adopt(actor)
        return ActorSystem.adopt(self, actor)  # ``super()`` takes as long as three calls

    def enter(self, actor: ActorCore) -> None:
        """Take a supervised actor; each of its lives counts as an actor of its own."""
        self._world.adopt(actor)
        ActorSystem.enter(self, actor)

    def forget_delivered(self) -> None:
        """Whether others still hold what they were given is not to depend on the world's log."""
        world = self._world
        boxes = [step.mailbox for step in world.actors]
        unread = {id(one) for box in boxes for one in (*(box.data or ()), *(box.control or ()))}
        world.log.forget_delivered(world.steps, unread)

    def rest(self) -> None:
        """Nothing can run before time moves: see what was thrown away, and what stands still."""
        self.forget_delivered()
        if not self._world.ready:
            StallWatch.of(self).at_rest(self)

    def shutdown(self, *, drain: bool = True, timeout: float | None = None) -> None:
        if self._actors or self._activities:
            super().shutdown(drain=drain, timeout=timeout)
        self._refuse_more()  # nothing else is left to do where nobody lives

    def register(self, activity: Activity) -> None:
        if isinstance(activity, RunScope):
            self.scopes.append(activity)
        ActorSystem.register(self, activity)
