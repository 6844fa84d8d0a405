"""A queue of jobs for several threads that wakes no more of them than are of use.

Waking a thread costs about ten times what handing it a short job is worth, and under the GIL two
threads run Python no faster than one. So a thread of the pool that hands in a job while it runs
one wakes nobody: it will look at the queue itself in a moment. Others are woken when that moment
may be long: jobs have been taking long lately, or the queue has not been empty for a while, or the
owner says so (``wake``, ``put_waking``).

Lock-free: every step is one atomic operation of a deque. What makes it right is the order: who
puts, puts first and looks for sleepers then; who goes to sleep, registers first and looks for
jobs then. One of the two sees the other.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import Generic, TypeVar

from actors_rs.runtime._primitives import Empty, Lock, ThreadLocal, monotonic

__all__ = ["JobQueue"]

T = TypeVar("T")

LONG_JOB = 0.001
"""Seconds after which a job counts as long."""
EAGER_FOR = 0.1
"""Seconds after a long job during which every waiting job wakes a thread."""
CROWDED_AFTER = 0.0005
"""Seconds without an empty queue after which one thread is not enough."""
_WITHOUT_GIL = not getattr(sys, "_is_gil_enabled", lambda: True)()


class _Inside(ThreadLocal):
    """Which queue the current thread takes its jobs from."""

    queue: object = None


_inside = _Inside()


class JobQueue(Generic[T]):
    """First in, first out. All methods may be called from any thread."""

    __slots__ = ("_eager_until", "_empty_at", "_jobs", "_sleepers")

    def __init__(self) -> None:
        self._jobs: deque[T] = deque()
        self._sleepers: deque[Lock] = deque()  # each held; releasing one wakes its thread
        self._eager_until = float("inf") if _WITHOUT_GIL else 0.0
        self._empty_at = 0.0

    def __len__(self) -> int:
        return len(self._jobs)

    def put(self, job: T) -> None:
        """Hand in a job. A sleeping thread is woken, unless the calling one will do."""
        self._jobs.append(job)
        if self._sleepers and (_inside.queue is not self or monotonic() < self._eager_until):
            self.wake()

    def put_waking(self, job: T) -> None:
        """Hand in a job for which the calling thread will not do: it may block, or is leaving."""
        self._jobs.append(job)
        self.wake()

    def wake(self) -> bool:
        """Wake a thread if one sleeps and there is a job; whether there was a sleeper."""
        if not self._jobs:
            return False
        try:
            sleeper = self._sleepers.pop()
        except IndexError:
            return False
        sleeper.release()
        return True

    def enter(self) -> None:
        """The calling thread takes its jobs here from now on."""
        _inside.queue = self

    def get(self, latch: Lock, timeout: float | None = None) -> T:
        """The next job; raises ``queue.Empty`` after ``timeout`` seconds without one.

        ``latch`` is the calling thread's own lock, which it holds.
        """
        while True:
            try:
                return self._jobs.popleft()
            except IndexError:
                pass
            self._sleepers.append(latch)
            if self._jobs:  # it was put before we could be seen
                self._rise(latch)
            elif not latch.acquire(timeout=-1 if timeout is None else timeout) and self._rise(
                latch
            ):
                raise Empty

    def get_nowait(self) -> T:
        """The next job; raises ``queue.Empty`` if there is none."""
        try:
            return self._jobs.popleft()
        except IndexError:
            raise Empty from None

    def begin(self, now: float) -> None:
        """The calling thread begins the job it got: let others help if they should."""
        if not self._jobs:
            self._empty_at = now
        elif self._sleepers and (now < self._eager_until or now - self._empty_at > CROWDED_AFTER):
            self.wake()

    def end(self, began: float, now: float) -> None:
        """The job begun at ``began`` has returned."""
        if now - began > LONG_JOB and not _WITHOUT_GIL:
            self._eager_until = now + EAGER_FOR

    def _rise(self, latch: Lock) -> bool:
        """Register no longer as asleep; False if somebody was just waking this thread."""
        try:
            self._sleepers.remove(latch)
        except ValueError:
            latch.acquire()
            return False
        return True
