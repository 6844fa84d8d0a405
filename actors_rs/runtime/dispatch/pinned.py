"""A thread of its own for one actor: for work that blocks or that insists on one thread.

A file, a database connection or a call into another runtime is at home here. The thread may wait
for futures, which a pool thread may not.
"""

from __future__ import annotations

from collections.abc import Callable

from actors_rs.runtime.dispatch.dispatcher import DispatcherStatistics, Turn
from actors_rs.runtime.dispatch.workers import Workers

__all__ = ["PinnedDispatcher"]


class PinnedDispatcher:
    """Runs every turn on the same thread. All methods may be called from any thread."""

    kind = "pinned"

    def __init__(self, name: str) -> None:
        self._workers = Workers(name, keep=1)
        self._workers.spawn(1)
        self.enqueue, self.enqueued = self._workers.enqueue, self._workers.enqueued
        """See ``Dispatcher``."""

    def schedule(self, turn: Turn, /) -> None:
        """Run ``turn`` soon, on the one thread. Never blocks."""
        self._workers.put(turn)

    def take_over(self, _: Callable[[Turn], object], /) -> None:
        """Wake a thread for what was handed in: any thread runs it."""
        self.enqueued()

    def relieve(self) -> None:
        """Nothing: no other thread could take over."""

    def grow_if_starved(self) -> None:
        """Nothing, for the same reason."""

    def thread_of(self, owner: object) -> int | None:
        """The thread that is in a turn of ``owner``."""
        return self._workers.thread_of(owner)

    def abandon(self, owner: object) -> bool:
        """Leave the thread that is in a turn of ``owner`` to itself; whether there is one."""
        return self._workers.abandon(owner)

    def close(self, timeout: float) -> tuple[str, ...]:
        """Run what is scheduled, end the thread; its name if still busy after ``timeout`` s."""
        return self._workers.close(timeout)

    @property
    def ended(self) -> bool:
        """Whether the thread is alive no more."""
        return self._workers.ended

    def statistics(self) -> DispatcherStatistics:
        """A snapshot; cheap, from any thread."""
        workers = self._workers
        return DispatcherStatistics(len(workers), workers.waiting, workers.begun)
