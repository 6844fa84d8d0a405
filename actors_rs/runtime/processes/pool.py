"""``ProcessPool``: the worker processes of one system, shared by its stages.

There are never more than the most that a stage has asked for. A worker starts when a chunk comes
for which none is idle, and lives until the system ends, unless it dies or has had its calls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from actors_rs.runtime._primitives import monotonic
from actors_rs.runtime.condition import Condition
from actors_rs.runtime.processes.calls import CallResults, Calls, Settings
from actors_rs.runtime.processes.process import WorkerProcess

__all__ = ["ProcessPool", "ProcessService"]

GOODBYE_SECONDS = 0.3
"""That an idle worker has to leave by itself."""


class StageCalls(Protocol):
    """Calls of one stage. See ``Calls``."""

    def call(self, elements: Sequence[Any], ahead: bool = False, /) -> CallResults:
        """Call the function for each of ``elements``; waits."""
        ...

    def close(self) -> bool:
        """Nobody wants results any more; whether a worker is in a call."""
        ...

    def kill(self) -> None:
        """End the calls that are under way, with their workers."""

    def figures(self) -> dict[str, int]:
        """Of the workers."""
        ...


class ProcessService(Protocol):
    """Runs calls in other processes. See ``ProcessPool``."""

    def calls(self, settings: Settings, /) -> StageCalls:
        """What one stage calls its function by."""
        ...

    def figures(self) -> dict[str, int]:
        """How many workers there are, how many died, and their memory in bytes. Any thread."""
        ...

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """End all workers; names of those still alive."""
        ...

    def disown(self) -> None:
        """In a forked child: the workers are the parent's."""


class ProcessPool:
    """Any thread. ``take`` and ``Calls.call`` wait."""

    def __init__(self, start: Callable[[], WorkerProcess] = WorkerProcess.start) -> None:
        self._start = start
        self._changed = Condition()
        self._begin()

    def _begin(self) -> None:
        self._most = 0
        self._idle: list[WorkerProcess] = []
        self._busy: dict[WorkerProcess, Calls] = {}
        self._starting = 0
        self._closed = False
        self.started = self.lost = 0
        """How many workers there were, and how many of them have died or were killed."""

    def calls(self, settings: Settings, /) -> Calls:
        with self._changed.lock:
            self._most = max(self._most, settings.workers)
        return Calls(self, settings)

    def take(
        self, calls: Calls, count: int, most_calls: int | None, ahead: bool, /
    ) -> WorkerProcess | None:
        """A worker for ``count`` calls; ``None`` once ``calls`` or the pool have been closed.

        With ``ahead`` it may have a chunk of ``calls`` already.
        """
        found: list[WorkerProcess] = []
        retired: list[WorkerProcess] = []
        starts = False

        def may_take(worker: WorkerProcess) -> bool:
            return most_calls is None or worker.calls + count <= most_calls

        def look() -> bool:
            nonlocal starts
            if calls.closed or self._closed:
                return True
            while self._idle and not found:
                worker = self._idle.pop()
                (found if may_take(worker) else retired).append(worker)
            if not found and len(self._busy) + self._starting < self._most:
                self._starting += 1
                starts = True
                return True
            if not found and ahead:
                found[:] = filter(may_take, self._with_one_chunk(calls))
            for worker in found[:1]:
                self._busy[worker] = calls
                worker.chunks += 1
                worker.calls += count
            return bool(found)

        self._changed.wait_for(look)
        for worker in retired:
            worker.close(GOODBYE_SECONDS)
        if found:
            return found[0]
        return self._started(calls, count) if starts else None

    def _started(self, calls: Calls, count: int) -> WorkerProcess | None:
        worker: WorkerProcess | None = None
        try:
            if not (calls.closed or self._closed):  # as they may be since the look
                worker = self._start()
        finally:
            with self._changed.lock:
                self._changed.notify_all()
                self._starting -= 1
                closed = self._closed
                if worker is not None and not closed:
                    self.started += 1
                    worker.chunks, worker.calls = 1, count
                    self._busy[worker] = calls
        if closed and worker is not None:
            worker.close(0.0)
            return None
        return worker

    def give_back(self, worker: WorkerProcess, /, *, lost: bool) -> None:
        """The chunk of ``worker`` is over; it is ``lost`` if that was its end."""
        with self._changed.lock:
            self._changed.notify_all()
            worker.chunks -= 1
            self.lost += lost and not worker.doomed
            worker.doomed |= lost
            if worker.doomed or not worker.chunks:
                self._busy.pop(worker, None)
            kept = not worker.doomed and not self._closed
            if kept and not worker.chunks:
                self._idle.append(worker)
        if not kept and not worker.chunks:
            worker.close(0.0)

    def _with_one_chunk(self, calls: Calls) -> list[WorkerProcess]:
        """Workers that would have nothing to do when they have done what they have."""
        return [one for one in self.busy_with(calls) if one.chunks == 1 and not one.doomed]

    def busy_with(self, calls: Calls, /) -> list[WorkerProcess]:
        """The workers that have a chunk of ``calls``."""
        return [worker for worker, whose in self._busy.copy().items() if whose is calls]

    def wake(self) -> None:
        """Let callers that wait for a worker look again."""
        with self._changed.lock:
            self._changed.notify_all()

    def figures(self) -> dict[str, int]:
        """How many workers there are, how many died, and their memory in bytes. Any thread."""
        workers = [*self._idle, *self._busy.copy()]
        memory = sum(worker.memory for worker in workers)
        return {"workers": len(workers), "workers_died": self.lost, "workers_memory": memory}

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """End all workers: idle ones by themselves, busy ones by force."""
        deadline = monotonic() + timeout
        with self._changed.lock:
            self._changed.notify_all()
            self._closed = True
            idle, self._idle = self._idle, []
        for worker in self._busy.copy():
            worker.kill()
        for worker in idle:
            worker.leave()
        left = [one for one in idle if not one.close(min(GOODBYE_SECONDS, deadline - monotonic()))]
        return tuple(worker.name for worker in left)

    def disown(self) -> None:
        """In a forked child: the workers are the parent's, and so may be the locks."""
        workers = [*self._idle, *self._busy]
        self._changed = Condition()
        self._begin()
        self._closed = True
        for worker in workers:
            worker.disown()
