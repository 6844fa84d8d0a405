"""``PendingRuns``: ends runs that have not begun when their system shuts down.

Hubs and processors without a subscriber have such runs. Only weak references to them are kept.
There is no lock: single dict operations are atomic, and the garbage collector may run in any of
them.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actors_rs.engine.contract import WholeRun
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["PendingRuns"]


class PendingRuns:
    """The ``Activity`` of one system that stands for its pending runs. Any thread.

    After ``drain`` or ``cancel`` another one stands for the runs that come later.
    """

    def __init__(self) -> None:
        self._ends = False
        self._scopes: dict[int, weakref.ref[WholeRun]] = {}

    def __str__(self) -> str:
        return "runs that have not begun"

    @staticmethod
    def of(system: ActorSystem) -> PendingRuns:
        """The pending runs of ``system``."""
        pending = _of.get(system)
        if pending is None or pending._ends:
            pending = _of[system] = PendingRuns()
        return pending

    def enter(self, scope: WholeRun) -> None:
        """Let the system end the run of ``scope``, until the run leaves."""
        scopes, number = self._scopes, id(scope)
        scopes[number] = weakref.ref(scope, lambda _: scopes.pop(number, None))
        scope.system.register(self)
        # Asked after the entry: one of both sees the other.
        if self._ends or not scope.system.is_open:
            scope.cancel()

    def leave(self, scope: WholeRun) -> None:
        """Forget ``scope``: its run has ended, or has begun and is known to the system."""
        if self._scopes.pop(id(scope), None) is not None and not self._scopes:
            scope.system.unregister(self)
            if self._scopes:  # another one has just come
                scope.system.register(self)

    def _all_end(self) -> list[WholeRun]:
        self._ends = True  # before the look: a run that comes looks the other way round
        return self._all()

    def _all(self) -> list[WholeRun]:
        scopes = [ref() for ref in self._scopes.copy().values()]
        return [scope for scope in scopes if scope is not None]

    # Activity

    def drain(self) -> None:
        """Cancel: a run that has not begun holds no elements to drain."""
        self.cancel()

    def cancel(self, grace: float | None = None) -> None:
        for scope in self._all_end():
            scope.cancel()

    def abort(self, error: BaseException) -> None:
        for scope in self._all_end():
            scope.abort(error)

    def wait(self, timeout: float) -> bool:
        """Return at once: a cancelled pending run has ended."""
        return True

    def disown(self) -> None:
        for scope in self._all():
            scope.disown()


_of: weakref.WeakKeyDictionary[ActorSystem, PendingRuns] = weakref.WeakKeyDictionary()
