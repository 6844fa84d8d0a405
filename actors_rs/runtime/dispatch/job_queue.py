"""A queue of jobs for several threads that wakes as few threads as possible.

Waking a thread costs about ten times as much as handing it a short job is worth. Under the GIL two
threads run Python no faster than one. They run it slower, since each finds the other's data in the
cache of its core. So a pool thread that hands in a job while it runs one wakes no other thread: it
will look at the queue itself in a moment.

Other threads get a *hint* when that moment may be long: recent jobs were long, the queue has not
been empty for a while, or the owner says so. A hinted thread that could not start for milliseconds,
because the GIL was taken while other jobs began, is not needed: it goes back to sleep and hints
pause.

Lock-free: every step is one atomic operation of a deque. The order makes it correct. A thread that
puts a job puts first, then looks for sleepers. A thread that goes to sleep registers first, then
looks for jobs. One of the two sees the other.
"""

from __future__ import annotations

import sys
from collections import deque
from contextlib import suppress
from typing import Generic, TypeVar

from actors_rs.runtime._primitives import Empty, Lock, ThreadLocal, monotonic, start_thread

__all__ = ["JobQueue", "Sleeper"]

T = TypeVar("T")

LONG_JOB = 0.001
"""Seconds after which a job counts as long."""
EAGER_FOR = 0.1
"""Seconds after a long job during which every waiting job wakes a thread."""
CROWDED_AFTER = 0.0005
"""Seconds without an empty queue after which one thread is not enough."""
LATE = 0.002
"""Seconds after which a thread that was woken came too late to be of use."""
MOVING = 0.002
"""Seconds since a job began during which the waiting jobs can count on its thread, or another."""
PROGRESS = 2
"""Jobs begun since a hint that show that others get on with it."""
FUTILE_FOR = 0.2
"""Seconds after a futile hint in which a crowded queue is no reason for another."""
_WITHOUT_GIL = not getattr(sys, "_is_gil_enabled", lambda: True)()


class _Inside(ThreadLocal):
    """Which queue the current thread takes its jobs from."""

    queue: object = None


_inside = _Inside()


class Sleeper:
    """What one thread sleeps on: a lock it holds, and why and when it was woken."""

    __slots__ = ("begun_then", "hinted", "latch", "woken_at")

    def __init__(self) -> None:
        self.latch = Lock()
        self.latch.acquire()
        self.hinted = False
        self.woken_at = 0.0
        self.begun_then = 0

    def rouse(self) -> None:
        """Wake it, who is not known to sleep; if it does not, it will look in vain once."""
        with suppress(RuntimeError):  # another thread has just woken it
            self.latch.release()


class JobQueue(Generic[T]):
    """First in, first out. All methods may be called from any thread."""

    __slots__ = (
        "_begun",
        "_begun_at",
        "_eager",
        "_eager_until",
        "_empty_at",
        "_futile_until",
        "_jobs",
        "_sleepers",
        "_threads",
        "closing",
        "enqueue",
        "take",
    )

    def __init__(self) -> None:
        self._jobs: deque[T] = deque()
        self._sleepers: deque[Sleeper] = deque()
        self._eager = _WITHOUT_GIL  # hint at every put and every begin
        self._eager_until = float("inf") if _WITHOUT_GIL else 0.0
        self._futile_until = 0.0
        self._empty_at = 0.0
        self.enqueue = self._jobs.append
        """Hand in a job; call ``enqueued`` after it."""
        self.take = self._jobs.popleft
        """The next job; raises ``IndexError`` if there is none."""
        self._begun = 0  # jobs, roughly: threads that add at the same time may count one
        self._begun_at = 0.0
        self._threads: set[Sleeper] = set()  # of all that take from here, asleep or not
        self.closing = False
        """Set before the threads are asked to end: from then on no thread goes to sleep."""

    def __len__(self) -> int:
        return len(self._jobs)

    def put(self, job: T) -> None:
        """Hand in a job. A sleeping thread is woken, unless the calling one will do."""
        self._jobs.append(job)
        self.enqueued()

    def enqueued(self) -> None:
        """A job was handed in: the second half of ``put``."""
        if self._sleepers:
            if _inside.queue is not self:
                self.wake()
            elif self._eager:
                self._wake(True, monotonic())

    def put_waking(self, job: T) -> None:
        """Hand in a job for which the calling thread will not do: it may block, or is leaving."""
        self._jobs.append(job)
        self.wake()

    def wake(self) -> bool:
        """Wake a thread if one sleeps and there is a job; whether there was a sleeper."""
        return self._wake(False, 0.0)

    def hint(self) -> None:
        """A waiting job may have to wait for long: wake a thread unless that was futile lately."""
        if self._jobs and self._sleepers and (now := monotonic()) >= self._futile_until:
            self._wake(True, now)

    def is_stuck(self) -> bool:
        """Whether a job waits although no thread has begun one for ``MOVING`` seconds."""
        return bool(self._jobs) and monotonic() - self._begun_at > MOVING

    def enter(self, sleeper: Sleeper) -> None:
        """The calling thread, whose ``sleeper`` is, takes its jobs here from now on."""
        _inside.queue = self
        self._threads.add(sleeper)

    def leave(self, sleeper: Sleeper) -> None:
        """That thread takes no more."""
        self._threads.discard(sleeper)

    def get(self, sleeper: Sleeper, timeout: float | None = None) -> T:
        """The next job; raises ``queue.Empty`` after ``timeout`` seconds without one.

        ``sleeper`` is the calling thread's own.
        """
        while True:
            try:
                return self._jobs.popleft()
            except IndexError:
                pass
            self._sleepers.append(sleeper)
            if self._jobs:  # it was put before we could be seen
                self._rise(sleeper)
            elif not self._sleep(sleeper, timeout):
                raise Empty

    def begin(self, now: float) -> None:
        """The calling thread begins the job it got: let others help if they should."""
        self._begun += 1
        self._begun_at = now
        if self._eager and now > self._eager_until:
            self._eager = False
        if not self._jobs:
            self._empty_at = now
        elif self._sleepers and (
            self._eager or (now - self._empty_at > CROWDED_AFTER and now >= self._futile_until)
        ):
            self._wake(True, now)

    def was_long(self, now: float) -> None:
        """A job that took longer than ``LONG_JOB`` has just returned."""
        if not _WITHOUT_GIL:
            self._eager = True
            self._eager_until = now + EAGER_FOR

    def _wake(self, hinted: bool, now: float) -> bool:
        if not self._jobs:
            return False
        try:
            sleeper = self._sleepers.pop()
            sleeper.hinted, sleeper.woken_at, sleeper.begun_then = hinted, now, self._begun
            sleeper.latch.release()
        except IndexError:
            return False
        except BaseException as error:
            if type(error) is not RuntimeError:  # Ctrl-C: nobody may know of the sleeper now
                start_thread(self._rouse_all, ())
                raise  # else it was roused, and is awake
        return True

    def _rouse_all(self) -> None:
        for sleeper in self._threads.copy():
            sleeper.rouse()

    def _sleep(self, sleeper: Sleeper, timeout: float | None) -> bool:
        """Sleep, registered, until woken for good; False when ``timeout`` is over."""
        seconds = -1 if timeout is None else timeout
        while sleeper.latch.acquire(timeout=seconds):
            if not sleeper.hinted or not self._is_futile(sleeper):
                return True
            # The jobs there are will be taken: nobody who is awake sleeps before there are none.
            self._sleepers.append(sleeper)
            if self.closing:
                self._rise(sleeper)
                return True
        return not self._rise(sleeper)

    def _is_futile(self, sleeper: Sleeper) -> bool:
        """Whether a thread that was hinted at, and is awake now, is not needed after all."""
        now = monotonic()
        if now - sleeper.woken_at < LATE or self._begun - sleeper.begun_then < PROGRESS:
            return False
        self._futile_until = now + FUTILE_FOR
        return True

    def _rise(self, sleeper: Sleeper) -> bool:
        """Unregister as asleep; False if another thread was just waking this one."""
        try:
            self._sleepers.remove(sleeper)
        except ValueError:
            sleeper.latch.acquire()
            return False
        return True
