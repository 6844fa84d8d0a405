"""The systems of what was started outside any system: actors, and runs of loops and coroutines.

Each is made when it is needed, ends when the last of what runs in it has ended, and the next start
makes a new one. That of actors, as ``MyActor.start()`` starts them, keeps the process alive until
its last actor has stopped, as pykka's threads do. That of runs does not: a run that a loop left
open ends with the process.
"""

from __future__ import annotations

import contextvars
from typing import Any, TypeVar

from actors_rs.runtime._primitives import RLock, Thread, after_fork_in_child, blocking_allowed
from actors_rs.runtime.actors.actor_core import ActorCore
from actors_rs.runtime.actors.actor_ref import PooledActorRef
from actors_rs.runtime.condition import Condition
from actors_rs.runtime.system.current import innermost_system
from actors_rs.runtime.system.startable import Startable
from actors_rs.runtime.system.system import ActorSystem

__all__ = [
    "current_system",
    "spawn_in_current_system",
    "spawn_in_default_system",
    "start_graph",
]

A = TypeVar("A", bound=ActorCore)
R = TypeVar("R")
LOOK_EVERY = 1.0
"""Seconds between looks while an actor is announced."""
_lock = RLock()  # held to announce an actor, and to decide that none is left; not in hooks,
# nor while a system is made or ends: that is logged, and a handler of the user's may start actors
ACTORS, RUNS = "default-actors", "default-runs"
_defaults: dict[str, _DefaultSystem] = {}
_announced: dict[object, _DefaultSystem] = {}
"""The system that each actor goes to that is announced and not yet among its actors."""


class _DefaultSystem(ActorSystem):
    """A system that a thread ends once it is empty; no daemon, if it is the one of actors."""

    def __init__(self, name: str, announcement: object) -> None:
        super().__init__(name=name)
        self._emptied: Condition = Condition()
        _announced[announcement] = self
        ender = Thread(target=self._end_when_empty, name=f"{name}-ender", daemon=name != ACTORS)
        try:
            ender.start()
        except BaseException:
            if not ender.begun:  # nobody would end it
                with blocking_allowed():
                    self.shutdown(drain=False)
            raise

    def context(self) -> contextvars.Context:
        """A copy of the starter's context; it names no system, for this one may end before it."""
        return contextvars.copy_context()

    def look(self) -> None:
        """An announced actor is now registered, or goes elsewhere."""
        self._emptied.notify_all()

    def _end_when_empty(self) -> None:
        # Ctrl-C may have hidden that an announced actor will not come.
        while not self._emptied.wait_for(self._is_over, LOOK_EVERY if self._is_awaited() else None):
            pass
        self.shutdown(drain=False)

    def _is_awaited(self) -> bool:
        return self in _announced.copy().values()

    def _is_over(self) -> bool:
        with _lock:
            over = not (self._actors or self._is_awaited())
            if over and _defaults.get(self.name) is self:
                del _defaults[self.name]
            return over


def current_system() -> ActorSystem | None:
    """The system of the innermost block that was not left; not one of a parent process."""
    system = innermost_system()
    assert system is None or isinstance(system, ActorSystem)  # nothing else makes blocks
    return system


def spawn_in_current_system(actor_class: type[A], *args: Any, **kwargs: Any) -> PooledActorRef[A]:
    """Start an actor in the current system; if there is none, in the default one."""
    system = current_system()
    if system is not None:
        return system.spawn(actor_class, *args, **kwargs)
    return spawn_in_default_system(actor_class, *args, **kwargs)


def spawn_in_default_system(actor_class: type[A], *args: Any, **kwargs: Any) -> PooledActorRef[A]:
    """Start an actor in the default system, which is made if there is none."""
    actor = actor_class(*args, **kwargs)  # user code, which may start further actors
    announcement = object()
    try:
        return _announce(ACTORS, announcement).adopt(actor)
    finally:
        system = _announced.pop(announcement, None)  # in C: Ctrl-C comes before it or after it
        if system is not None:
            system.look()


def start_graph(
    graph: Startable[ActorSystem, R], system: ActorSystem | None, name: str | None
) -> R:
    """Start a graph as a run of this ``name``.

    It starts on ``system``, else on the current one; if there is none, on the default one for runs.
    """
    chosen = current_system() if system is None else system
    if chosen is not None:
        return chosen.start(graph, name=name)
    announcement = object()
    try:
        return _announce(RUNS, announcement).start(graph, name=name)
    finally:
        default = _announced.pop(announcement, None)  # in C: Ctrl-C comes before it or after it
        if default is not None:
            default.look()


def _announce(name: str, announcement: object) -> _DefaultSystem:
    """The default system of that name, which awaits one more; it is made if there is none."""
    made: _DefaultSystem | None = None
    while (system := _announce_in(name, made, announcement)) is None:
        made = _DefaultSystem(name, announcement)
    if made is not None and made is not system:
        made.look()  # another thread was faster: this one is empty, and ends
    return system


def _announce_in(
    name: str, made: _DefaultSystem | None, announcement: object
) -> _DefaultSystem | None:
    """The default system of that name if there is one, else ``made``, which becomes it."""
    with _lock:
        if ((default := _defaults.get(name)) is None or default._closed) and made is not None:
            default = _defaults[name] = made
        if default is None or default._closed:
            return None
        _announced[announcement] = default
        return default


def _forget_in_child() -> None:
    """A forked child makes a default system of its own."""
    global _lock
    _lock = RLock()
    _defaults.clear()
    _announced.clear()


after_fork_in_child(_forget_in_child)
