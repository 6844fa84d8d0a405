"""``PooledActor``: pykka's actor, on a dispatcher instead of a thread of its own.

It plugs into pykka's documented seams (inbox, future, loop start), so ``ActorRef``, ``ActorProxy``,
``ask``, ``stop`` and the hooks keep their meaning. The differences are deliberate:

- A message is handled, answered with ``ActorDeadError``, or dead-lettered. None is forgotten.
- An exception of any kind ends this actor at most, and no other actor.
- An ``on_start`` that raises calls ``on_failure``.
- Actors belong to their system, not to pykka's global list.

``actor_core.py`` shows how an actor runs.
"""

from __future__ import annotations

from collections.abc import Coroutine
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from pykka import ActorRef

from actors_rs.errors import DefectError, IllegalStateError
from actors_rs.runtime.actors.actor_class import check_definition
from actors_rs.runtime.actors.actor_core import TURN_SECONDS, ActorCore
from actors_rs.runtime.actors.actor_ref import PooledActorRef
from actors_rs.runtime.actors.watch import begin_watch, end_watch
from actors_rs.runtime.overridable import overridable
from actors_rs.runtime.supervision.supervisor_ref import SupervisorRef
from actors_rs.texts import text_of

if TYPE_CHECKING:
    from typing import Self

    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["TURN_SECONDS", "PooledActor", "PooledActorRef"]

A = TypeVar("A", bound="PooledActor")


class PooledActor(ActorCore):
    """An actor on the shared pool; subclass it as you would ``pykka.ThreadingActor``.

    ``dispatcher`` decides about its thread: ``"pool"`` (default), ``"pinned"`` for a thread of its
    own, needed if handlers wait for futures, or ``"calling_thread"``. Handlers run one at a time,
    in a copy of the context in which the actor was started.

    ``on_receive``, methods that a proxy calls, and the hooks may be ``async def``: the coroutine
    runs on the system's event loop, with any dispatcher, and the next message waits for its end.
    The coroutine holds no thread. A system that is cancelled cancels it.

    A subclass may not use the names of the form ``_name_`` that this class has, nor pykka's
    ``actor_ref``, ``actor_inbox``, ``actor_stopped`` and ``actor_urn``. Such a subclass is refused
    with an ``InvalidArgumentError``, as is an async generator in place of a handler or hook.
    ``dispatcher`` says where the actor runs. All other names are free: a subclass's own ``system``
    or ``watch`` hides ours, which the runtime does not use.

    >>> class Counter(PooledActor):
    ...     def on_start(self):
    ...         self.total = 0
    ...     def on_receive(self, amount):
    ...         self.total += amount
    ...         return self.total, self.actor_ref.actor_urn == self.actor_urn, self.system.name
    ...     def on_stop(self):
    ...         print("total:", self.total)
    ...     def on_failure(self, exception_type, exception_value, traceback):
    ...         print("failed:", exception_value)
    >>> counter = Counter.start()
    >>> counter.tell(2)
    >>> counter.ask(3, timeout=5)
    (5, True, 'default-actors')
    >>> counter.stop()
    total: 5
    True
    """

    _system_: ActorSystem  # pyright: ignore[reportIncompatibleVariableOverride]  # set once

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_definition(cls, PooledActor)

    @classmethod
    def start(cls, *args: Any, **kwargs: Any) -> PooledActorRef[Self]:
        """Start in the current system: the innermost ``with ActorSystem()``, else a default one.

        The default system keeps the process alive until its last actor has stopped, as pykka's
        threads do.
        """
        from actors_rs.runtime.system.default_system import spawn_in_current_system

        return spawn_in_current_system(cls, *args, **kwargs)

    # Of pykka; typed so that each may be an ``async def``.

    def on_start(self) -> Coroutine[Any, Any, None] | None:  # type: ignore[override]
        """Called before the first message; one that raises ends the actor, by ``on_failure``."""

    def on_stop(self) -> Coroutine[Any, Any, None] | None:  # type: ignore[override]
        """Called when the actor stops in an orderly way, as its last act."""

    def on_failure(  # type: ignore[override]
        self,
        exception_type: type[BaseException] | None,
        exception_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> Coroutine[Any, Any, None] | None:
        """Called when the actor has failed, in place of ``on_stop``, as its last act.

        ``exception_type``, ``exception_value`` and ``traceback`` are its failure.
        """

    @property
    def actor_ref(self) -> PooledActorRef[Self]:
        """The reference to this actor, to hand to others."""
        return self._ref_

    def watch(self, ref: ActorRef[Any]) -> None:
        """Get one ``Terminated`` when the actor of ``ref`` has ended, also if it has by now.

        It comes to ``on_receive``, but not while this actor's own system stops. Call it in a
        handler or hook of this actor; watching twice is watching once. Raises
        ``InvalidArgumentError`` for a ref of another kind. ``Terminated`` has an example.
        """
        begin_watch(self, ref)

    def unwatch(self, ref: ActorRef[Any]) -> None:
        """Get no ``Terminated`` of ``ref`` any more; in a handler or hook of this actor."""
        end_watch(self, ref)

    @overridable
    def system(self) -> ActorSystem:
        """The system this actor lives in, as ``self.system``: there is one from ``on_start`` on."""
        if self._system_ is None:
            raise DefectError(f"{text_of(self)} was never started in a system")
        return self._system_

    @overridable
    def supervisor(self) -> SupervisorRef:
        """The supervisor whose child this is, as ``self.supervisor``: it finds siblings by name.

        Raises ``IllegalStateError`` if there is none.
        """
        if self._supervisor_link_ is None:
            raise IllegalStateError(f"{text_of(self)} has no supervisor")
        supervisor = self._supervisor_link_.supervisor
        assert isinstance(supervisor, SupervisorRef)  # no other reference has children
        return supervisor
