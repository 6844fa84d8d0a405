"""The system of actors that were started outside any system, as ``MyActor.start()`` does.

It keeps the process alive until its last actor has stopped, as pykka's threads do; then it ends,
and the next start makes a new one.
"""

from __future__ import annotations

import contextvars
from typing import Any, TypeVar

from actors_rs.runtime._primitives import RLock, Thread, after_fork_in_child, blocking_allowed
from actors_rs.runtime.actors.actor import PooledActor, PooledActorRef
from actors_rs.runtime.system.condition import Condition
from actors_rs.runtime.system.system import ActorSystem

__all__ = ["spawn_in_default_system"]

A = TypeVar("A", bound=PooledActor)
LOOK_EVERY = 1.0
"""Seconds between looks while an actor is announced."""
_lock = RLock()  # held to announce an actor, and to decide that there is none left; not in hooks,
# nor while a system is made or ends: that is logged, and a handler of the user's may start actors
_default: _DefaultSystem | None = None
_announced: dict[object, _DefaultSystem] = {}
"""The system that each actor goes to that is announced and not yet among its actors."""


class _DefaultSystem(ActorSystem):
    """A system that a thread, no daemon, ends once it is empty."""

    def __init__(self, announcement: object) -> None:
        super().__init__(name="default-actors")
        self._emptied: Condition = Condition()
        _announced[announcement] = self
        keeper = Thread(target=self._end_when_empty, name="default-actors-keeper", daemon=False)
        try:
            keeper.start()
        except BaseException:
            if not keeper.begun:  # nobody would end it
                with blocking_allowed():
                    self.shutdown(drain=False)
            raise

    def context(self) -> contextvars.Context:
        """A copy of the starter's context; it names no system, for this one may end before it."""
        return contextvars.copy_context()

    def look(self) -> None:
        """Somebody who was announced is among the actors, or goes elsewhere."""
        self._emptied.notify_all()

    def _end_when_empty(self) -> None:
        # Ctrl-C may have kept from us that somebody who was announced does not come.
        while not self._emptied.wait_for(self._is_over, LOOK_EVERY if self._is_awaited() else None):
            pass
        self.shutdown(drain=False)

    def _is_awaited(self) -> bool:
        return self in _announced.copy().values()

    def _is_over(self) -> bool:
        global _default
        with _lock:
            over = not (self._actors or self._is_awaited())
            if over and _default is self:
                _default = None
            return over


def spawn_in_default_system(actor_class: type[A], *args: Any, **kwargs: Any) -> PooledActorRef[A]:
    """Start an actor in the default system, which is made if there is none."""
    actor = actor_class(*args, **kwargs)  # user code, which may start further actors
    announcement = object()
    try:
        return _announce(announcement).adopt(actor)
    finally:
        system = _announced.pop(announcement, None)  # in C: Ctrl-C comes before it or behind it
        if system is not None:
            system.look()


def _announce(announcement: object) -> _DefaultSystem:
    """The default system, which awaits one actor more; it is made if there is none."""
    made: _DefaultSystem | None = None
    while (system := _announce_in(made, announcement)) is None:
        made = _DefaultSystem(announcement)
    if made is not None and made is not system:
        made.look()  # another thread was faster: this one is empty, and ends
    return system


def _announce_in(made: _DefaultSystem | None, announcement: object) -> _DefaultSystem | None:
    """The default system if there is one, else ``made``, which becomes it."""
    global _default
    with _lock:
        if _default is None or _default._closed:
            _default = made
        if _default is not None:
            _announced[announcement] = _default
        return _default


def _forget_in_child() -> None:
    """A forked child makes a default system of its own."""
    global _default, _lock
    _default, _lock = None, RLock()
    _announced.clear()


after_fork_in_child(_forget_in_child)
