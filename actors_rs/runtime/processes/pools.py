"""``WorkerPools``: the workers of one system, a pool for processes and one for interpreters."""

from __future__ import annotations

from actors_rs.runtime.processes.calls import Calls, Settings
from actors_rs.runtime.processes.interpreters import InterpreterWorker
from actors_rs.runtime.processes.pool import ProcessPool

__all__ = ["WorkerPools"]


class WorkerPools:
    """Any thread. See ``ProcessService``."""

    def __init__(self) -> None:
        self.processes = ProcessPool()
        self.interpreters = ProcessPool(InterpreterWorker.start)

    def calls(self, settings: Settings, /) -> Calls:
        """What one stage calls its function by."""
        pool = self.interpreters if settings.interpreters else self.processes
        return pool.calls(settings)

    def figures(self) -> dict[str, int]:
        """Of all workers. Any thread."""
        others = self.interpreters.figures()
        return {what: figure + others[what] for what, figure in self.processes.figures().items()}

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """End all workers; names of those still alive."""
        return self.processes.close(timeout) + self.interpreters.close(timeout)

    def disown(self) -> None:
        """In a forked child: the workers are the parent's."""
        self.processes.disown()
        self.interpreters.disown()
