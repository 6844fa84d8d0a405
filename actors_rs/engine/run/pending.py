"""``Unbegun``: runs that begin with somebody who may never come, so that they end with the system.

Those of hubs and processors nobody has subscribed to. None of them is kept alive. There is no lock:
single dict operations are atomic, and the collector may run in any of them.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actors_rs.engine.contract import WholeRun
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["Unbegun"]


class Unbegun:
    """The ``Activity`` of one system that stands for all such runs. Any thread."""

    def __init__(self) -> None:
        self._lives: dict[int, weakref.ref[WholeRun]] = {}

    def __str__(self) -> str:
        return "runs that have not begun"

    @staticmethod
    def of(system: ActorSystem) -> Unbegun:
        """That of ``system``."""
        return _of.setdefault(system, Unbegun())

    def enter(self, life: WholeRun) -> None:
        """Let the system end ``life``, unless it has left before."""
        lives, number = self._lives, id(life)
        lives[number] = weakref.ref(life, lambda _: lives.pop(number, None))
        life.system.register(self)

    def leave(self, life: WholeRun) -> None:
        """``life`` has begun, and the system knows it, or it has ended."""
        if self._lives.pop(id(life), None) is not None and not self._lives:
            life.system.unregister(self)
            if self._lives:  # another one has come meanwhile
                life.system.register(self)

    def _all(self) -> list[WholeRun]:
        lives = [ref() for ref in self._lives.copy().values()]
        return [life for life in lives if life is not None]

    # Activity

    def drain(self) -> None:
        """What has not begun has nothing in hand, and will not begin."""
        self.cancel()

    def cancel(self, grace: float | None = None) -> None:
        for life in self._all():
            life.cancel()

    def abort(self, error: BaseException) -> None:
        for life in self._all():
            life.abort(error)

    def wait(self, timeout: float) -> bool:
        """There is nothing to wait for: they end at once."""
        return True

    def disown(self) -> None:
        for life in self._all():
            life.disown()


_of: weakref.WeakKeyDictionary[ActorSystem, Unbegun] = weakref.WeakKeyDictionary()
