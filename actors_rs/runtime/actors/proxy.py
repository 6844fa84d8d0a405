"""A proxy of an address: it reaches the actor that runs there now, and keeps no actor alive."""

from __future__ import annotations

from typing import Any, TypeVar
from weakref import ReferenceType, ref

from pykka import ActorDeadError, ActorProxy, ActorRef
from pykka._introspection import AttrInfo, introspect_attrs
from pykka.messages import ProxyGetAttr

from actors_rs.runtime.actors.address import not_found
from actors_rs.texts import repr_of

__all__ = ["PooledActorProxy"]

A = TypeVar("A")


class PooledActorProxy(ActorProxy[Any]):
    """pykka's proxy, for an address at which one actor may follow another.

    It reads the attributes of the actor that runs at the address. While there is none, the
    attributes of the last actor count, and the lookup of an unknown name waits for the next actor.
    """

    def __init__(self, *, actor_ref: ActorRef[Any], attr_path: tuple[str, ...] = ()) -> None:
        if not actor_ref.is_alive():
            raise ActorDeadError(not_found(actor_ref))  # type: ignore[arg-type]  # it is pooled
        self.actor_ref = actor_ref
        self._attr_path = attr_path
        self._looked_at: ReferenceType[Any] | None = None
        self._look(self._living())

    @property
    def _actor(self) -> Any:  # a field of pykka's, which keeps it
        return self.actor_ref._actor_weakref()

    def __eq__(self, other: object) -> bool:
        """Whether ``other``, be it pykka's own, is for the same address and attribute."""
        if not isinstance(other, ActorProxy):
            return False
        return _address_of(self) == _address_of(other)

    def __hash__(self) -> int:
        """The same in each life of the actor; of pykka's own proxies it goes by one life."""
        return hash(_address_of(self))

    def __getattr__(self, name: str) -> Any:
        path = (*self._attr_path, name)
        actor = self._actor
        if actor is not None and (self._looked_at is None or self._looked_at() is not actor):
            self._look(actor)
        if path not in self._known_attrs:
            self._look(self._living())
        known = self._known_attrs.get(path)
        if known is None:  # looking a second time, as pykka would, warns of each attribute again
            raise AttributeError(f"{self} has no attribute {repr_of(name)}")
        if known.traversable and not known.callable:
            if path not in self._actor_proxies:
                self._actor_proxies[path] = type(self)(actor_ref=self.actor_ref, attr_path=path)
            return self._actor_proxies[path]
        return super().__getattr__(name)

    def _living(self) -> Any:
        """The actor at the address; waits for one that its supervisor has not started yet."""
        while (actor := self._actor) is None:
            self.actor_ref.ask(ProxyGetAttr(attr_path=("actor_ref",)))
        return actor

    def _look(self, actor: Any) -> None:
        self._looked_at = ref(actor)
        self._known_attrs: dict[tuple[str, ...], AttrInfo]
        self._known_attrs = introspect_attrs(root=actor, proxy=self)
        self._actor_proxies = {}
        self._callable_proxies = {}


def _address_of(proxy: ActorProxy[Any]) -> tuple[str, tuple[str, ...]]:
    return proxy.actor_ref.actor_urn, tuple(proxy._attr_path)
