"""Stages that want to know of changes made from outside: held weakly, woken from any thread."""

from __future__ import annotations

import weakref
from typing import Protocol

from actors_rs.runtime._primitives import RLock

__all__ = ["Listener", "Listeners"]

_FEW = 64  # listeners that are not worth a sweep


class Listener(Protocol):
    """Who is woken."""

    def wake(self) -> None:
        """Something changed: have a turn. Any thread; must neither block nor raise."""


class Listeners:
    """A set of listeners that keeps none of them alive. Thread-safe."""

    def __init__(self) -> None:
        self._lock = RLock()  # the collector may run a ``__del__`` in here that uses a KillSwitch
        self._all: dict[int, weakref.ref[Listener]] = {}
        self._sweep_at = _FEW

    def __len__(self) -> int:
        """The number of listeners; for a while it includes listeners that were dropped."""
        return len(self._all)

    def add(self, listener: Listener) -> None:
        """Wake ``listener`` from now on, until ``remove`` or its end."""
        with self._lock:
            if len(self._all) >= self._sweep_at:
                self._sweep()
            self._all[id(listener)] = weakref.ref(listener)

    def remove(self, listener: Listener) -> None:
        """Wake it no more; nothing happens if it is not known."""
        with self._lock:
            self._all.pop(id(listener), None)

    def wake(self) -> None:
        """Wake all; each outside the lock."""
        with self._lock:
            listeners = [ref() for ref in tuple(self._all.values())]
        for listener in listeners:
            if listener is not None:
                listener.wake()

    def _sweep(self) -> None:
        """Remove dropped listeners; the next sweep is when there are twice as many."""
        self._all = {key: ref for key, ref in self._all.items() if ref() is not None}
        self._sweep_at = max(_FEW, 2 * len(self._all))
