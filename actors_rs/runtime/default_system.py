"""The system of actors that were started outside any system, as ``MyActor.start()`` does.

It keeps the process alive until its last actor has stopped, as pykka's threads do; then it ends,
and the next start makes a new one.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pykka import ActorRef

from actors_rs.runtime._primitives import Lock, Thread
from actors_rs.runtime.actor import PooledActor
from actors_rs.runtime.system import ActorSystem

__all__ = ["spawn_in_default_system"]

A = TypeVar("A", bound=PooledActor)
_lock = Lock()  # held to start an actor, and to decide that there is none left
_default: _DefaultSystem | None = None


class _DefaultSystem(ActorSystem):
    """A system that a thread, no daemon, ends once it is empty."""

    def __init__(self) -> None:
        super().__init__(name="default-actors")
        Thread(target=self._end_when_empty, name="default-actors-keeper", daemon=False).start()

    def shutdown(self, *, drain: bool = True, timeout: float | None = None) -> None:
        super().shutdown(drain=drain, timeout=timeout)
        self._emptied.set()

    def _end_when_empty(self) -> None:
        while not self._is_over():
            self._emptied.wait()
        self.shutdown(drain=False)

    def _is_over(self) -> bool:
        global _default
        with _lock:
            self._emptied.clear()  # before looking: an actor that stops after the look sets it
            over = self._closed or not (self._actors or self._fresh)
            if over and _default is self:
                _default = None
            return over

    _fresh = True


def spawn_in_default_system(actor_class: type[A], *args: Any, **kwargs: Any) -> ActorRef[A]:
    """Start an actor in the default system, which is made if there is none."""
    global _default
    with _lock:
        if _default is None or _default._closed:
            _default = _DefaultSystem()
        ref = _default.spawn(actor_class, *args, **kwargs)
        _default._fresh = False
        return ref
