"""The production system, as a world has it: it knows all actors and runs there were."""

from __future__ import annotations

from typing import TypeVar

from actors_rs.graph.run_life import RunLife
from actors_rs.runtime.actor import PooledActor, PooledActorRef
from actors_rs.runtime.machinery import Machinery
from actors_rs.runtime.system import Activity, ActorSystem
from actors_rs.testing.world.dispatcher import DeterministicDispatcher
from actors_rs.testing.world.links import watched

__all__ = ["WorldSystem"]

A = TypeVar("A", bound=PooledActor)


class WorldSystem(ActorSystem):
    """The production system; it also tells the dispatcher which actors there are."""

    watch_links = staticmethod(watched)

    def __init__(
        self,
        dispatcher: DeterministicDispatcher,
        machinery: Machinery,
        window: int,
        monitor: bool,
    ) -> None:
        super().__init__(
            window=window,
            monitor=monitor,
            auto_fuse=False,  # each stage is met in every state that its neighbours can be in
            metrics=False,  # no time passes in a turn, and what passes between turns is made up
            name="world",
            machinery=machinery,
        )
        self._world = dispatcher
        self._forgot_at = (0, 0)
        self.lives: list[RunLife] = []

    def adopt(self, actor: A) -> PooledActorRef[A]:
        self._world.adopt(actor)
        return ActorSystem.adopt(self, actor)  # ``super()`` takes as long as three calls

    def enter(self, actor: PooledActor) -> None:
        """A supervised actor, each life for itself: what they get and do is that of no other."""
        self._world.adopt(actor)
        ActorSystem.enter(self, actor)

    def forget_delivered(self) -> None:
        """Somebody asks whether others still hold what they were given: the world does not."""
        world = self._world
        if self._forgot_at == (moment := (world.steps, len(world.log.put))):
            return  # somebody asks for each of a thousand groups
        self._forgot_at = moment
        boxes = [step.mailbox for step in world.actors]
        unread = {id(one) for box in boxes for one in (*box.data, *(box.control or ()))}
        world.log.forget_delivered(world.steps, unread)

    def shutdown(self, *, drain: bool = True, timeout: float | None = None) -> None:
        if self._actors or self._activities:
            super().shutdown(drain=drain, timeout=timeout)
        self._refuse_more()  # nothing else is left to do where nobody lives

    def register(self, activity: Activity) -> None:
        if isinstance(activity, RunLife):
            self.lives.append(activity)
        ActorSystem.register(self, activity)
