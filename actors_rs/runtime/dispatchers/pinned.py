"""A thread of its own for one actor: for work that blocks or that insists on one thread.

A file, a database connection or a call into another runtime is at home here. The thread may wait
for futures, which a pool thread may not.
"""

from __future__ import annotations

from actors_rs.runtime.dispatcher import DispatcherStatistics, Turn
from actors_rs.runtime.workers import Workers

__all__ = ["PinnedDispatcher"]


class PinnedDispatcher:
    """Runs every turn on the same thread. All methods may be called from any thread."""

    def __init__(self, name: str, *, daemon: bool = True) -> None:
        self._workers = Workers(name, keep=1, daemon=daemon)
        self._workers.spawn(1)
        self.schedule = self._workers.put

    def close(self, timeout: float) -> tuple[str, ...]:
        return self._workers.close(timeout)

    def statistics(self) -> DispatcherStatistics:
        workers = self._workers
        return DispatcherStatistics(len(workers), workers.waiting, workers.begun)
