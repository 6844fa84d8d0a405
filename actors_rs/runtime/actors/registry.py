"""``ActorRegistry``: every living actor of the process, with the methods of pykka's registry.

Systems keep tables of their actors already, so this module keeps none of its own. Starting and
stopping an actor costs nothing here, and a lookup by URN is a lookup in a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Literal, TypeVar, overload
from weakref import WeakSet

from pykka import Actor, ActorDeadError, ActorRef, Future
from pykka import ActorRegistry as OwnRegistry

from actors_rs.runtime.actors.actor_ref import PooledActorRef, number_of_urn
from actors_rs.runtime.actors.contract import ActorBase
from actors_rs.runtime.supervision.supervisor_ref import SupervisorRef
from actors_rs.runtime.system.exit import enrolled
from actors_rs.runtime.system.guardian import Guardian

__all__ = ["ActorRegistry"]

A = TypeVar("A", bound=Actor)
_hidden: WeakSet[ActorRef[Any]] = WeakSet()


class ActorRegistry:
    """All running actors: pooled ones of every system, supervised or not, and pykka's own.

    A drop-in for ``pykka.ActorRegistry``. The stages of a running stream are not listed: they take
    no messages of the user's. All methods may be called from any thread.

    >>> from actors_rs import ActorRegistry, ActorSystem, PooledActor
    >>> class Greeter(PooledActor):
    ...     def on_receive(self, message):
    ...         return f"hello {message}"
    >>> with ActorSystem() as system:
    ...     greeter = system.spawn(Greeter)
    ...     ActorRegistry.get_by_class_name("Greeter") == [greeter]
    ...     ActorRegistry.get_by_class(Greeter) == ActorRegistry.get_all()
    ...     ActorRegistry.get_by_urn(greeter.actor_urn) == greeter
    ...     ActorRegistry.broadcast("Ada", target_class=Greeter)
    ...     ActorRegistry.unregister(greeter)
    ...     ActorRegistry.register(greeter)
    ...     ActorRegistry.stop_all(timeout=5)
    True
    True
    True
    [True]
    """

    @classmethod
    def get_all(cls) -> list[ActorRef[Any]]:
        """References to all running actors, per system in the order of their start."""
        refs = [ref for ref in OwnRegistry.get_all() if ref.actor_class is not Guardian]
        refs += (actor.actor_ref for actor in _pooled())
        if not _hidden:
            return refs
        return [ref for ref in refs if ref not in _hidden]

    @classmethod
    def get_by_class(cls, actor_class: type[A]) -> list[ActorRef[A]]:
        """References to all running actors of ``actor_class`` and of its subclasses."""
        return [ref for ref in cls.get_all() if issubclass(ref.actor_class, actor_class)]

    @classmethod
    def get_by_class_name(cls, actor_class_name: str) -> list[ActorRef[Any]]:
        """References to all running actors whose class has just the name ``actor_class_name``."""
        return [ref for ref in cls.get_all() if ref.actor_class.__name__ == actor_class_name]

    @classmethod
    def get_by_urn(cls, actor_urn: str) -> ActorRef[Any] | None:
        """The reference to the running actor with that ``actor_urn``, ``None`` if there is none.

        Takes the same time however many actors there are.
        """
        number = number_of_urn(actor_urn)
        for system in enrolled():
            actor = None if number is None else system._actors.get(number)
            if actor is not None and _is_listed(actor) and actor.actor_ref not in _hidden:
                return actor.actor_ref
        return OwnRegistry.get_by_urn(actor_urn)

    @classmethod
    def broadcast(cls, message: Any, target_class: str | type[Actor] | None = None) -> None:
        """Tell ``message`` to all actors, or to the actors of a class or of a class name.

        An actor that stops in the meantime does not receive it. Supervisors take no messages: they
        are left out unless ``target_class`` names them.
        """
        if isinstance(target_class, str):
            refs = cls.get_by_class_name(target_class)
        elif target_class is not None:
            refs = cls.get_by_class(target_class)
        else:
            refs = [ref for ref in cls.get_all() if not isinstance(ref, SupervisorRef)]
        for ref in refs:
            with suppress(ActorDeadError):
                ref.tell(message)

    @overload
    @classmethod
    def stop_all(
        cls, *, block: Literal[True] = True, timeout: float | None = ...
    ) -> list[bool]: ...

    @overload
    @classmethod
    def stop_all(
        cls, *, block: Literal[False], timeout: float | None = ...
    ) -> list[Future[bool]]: ...

    @overload
    @classmethod
    def stop_all(
        cls, *, block: bool, timeout: float | None = ...
    ) -> list[bool] | list[Future[bool]]: ...

    @classmethod
    def stop_all(
        cls, *, block: bool = True, timeout: float | None = None
    ) -> list[bool] | list[Future[bool]]:
        """Stop all actors, the last one started first; returns the results of ``stop``.

        Children stop with their supervisor, which would restart them, and are not in the list.
        ``block`` and ``timeout`` (seconds, for each actor) are the arguments of ``ActorRef.stop``.
        Systems stay open; the default one ends with its last actor. Raises ``pykka.Timeout``, and
        ``BlockingError`` on a pool thread if ``block`` is true.
        """
        refs = [ref for ref in reversed(cls.get_all()) if not _is_child(ref)]
        stopped: Any = [ref.stop(block=block, timeout=timeout) for ref in refs]
        return stopped  # type: ignore[no-any-return]

    @classmethod
    def register(cls, actor_ref: ActorRef[Any]) -> None:
        """List ``actor_ref``. Starting an actor does that: only needed after ``unregister``."""
        if not isinstance(actor_ref, PooledActorRef):
            OwnRegistry.register(actor_ref)
        _hidden.discard(actor_ref)

    @classmethod
    def unregister(cls, actor_ref: ActorRef[Any]) -> None:
        """List ``actor_ref`` no longer, though the actor goes on. Stopping an actor does that."""
        if not isinstance(actor_ref, PooledActorRef):
            OwnRegistry.unregister(actor_ref)
            return
        _hidden.add(actor_ref)


def _pooled() -> Iterator[ActorBase]:
    for system in enrolled():
        yield from filter(_is_listed, system.children())


def _is_listed(actor: ActorBase) -> bool:
    """Whether ``actor`` runs and is not part of a stream."""
    return actor._stops_in_order_ and not actor.actor_stopped.is_set()


def _is_child(ref: ActorRef[Any]) -> bool:
    """Whether a supervisor decides on its end."""
    actor = ref._actor_weakref() if isinstance(ref, PooledActorRef) else None
    return actor is not None and actor._supervisor_link_ is not None
