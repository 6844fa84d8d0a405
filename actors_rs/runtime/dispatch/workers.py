"""Threads that take jobs from one queue: what every dispatcher with threads is made of.

Growth is the owner's decision (``spawn``, ``put_growing``); a thread that has been idle for
``linger`` seconds ends by itself as long as more than ``keep`` threads are left.

A thread whose job does not return can be *abandoned*: it counts no more, nobody waits for it, it
ends with that job, and another one takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import (
    Empty,
    Event,
    RLock,
    Thread,
    cpu_seconds,
    current_thread_id,
    monotonic,
    thread_clock,
)
from actors_rs.runtime.dispatch.blocked import Look
from actors_rs.runtime.dispatch.job_queue import LONG_JOB, JobQueue, Sleeper

__all__ = ["Job", "Workers"]

Job: TypeAlias = Callable[[], None]
logger = logger_called("actors_rs.runtime")


class _Worker:
    """One thread; ``begun``, ``leaving`` and ``job`` are written by that thread alone."""

    __slots__ = (
        "abandoned",
        "begun",
        "clock",
        "gone",
        "job",
        "leaving",
        "seen",
        "sleeper",
        "thread",
    )

    def __init__(self) -> None:
        self.sleeper = Sleeper()
        self.begun = self.seen = 0
        self.clock: Callable[[], float] = cpu_seconds
        """Tells the processor time of its thread."""
        self.leaving = False
        self.job: Job | None = None
        """The job that it runs."""
        self.thread: Thread | None = None
        self.gone = Event()
        """Set once nobody has to wait for the thread: it ends, or was abandoned."""
        self.abandoned = False

    def has_ended(self, timeout: float) -> bool:
        """Whether it ends within ``timeout`` seconds, or is waited for by nobody."""
        deadline = monotonic() + timeout
        if self.thread is None or self.thread.ident == current_thread_id():
            return True
        if not self.gone.wait(timeout):
            return False
        if not self.abandoned:  # at its very end
            self.thread.join(max(0.0, deadline - monotonic()))
        return self.abandoned or not self.thread.is_alive()


class _Growing:
    """A job of ``put_growing``."""

    __slots__ = ("_workers", "is_counted", "job")

    def __init__(self, workers: Workers, job: Job) -> None:
        self._workers = workers
        self.job = job
        self.is_counted = True

    def __call__(self) -> None:
        try:
            self.job()
        finally:
            self._workers._uncount(self)


def _owner_of(job: Job | None) -> object:
    """Whose method ``job`` is."""
    return getattr(job.job if isinstance(job, _Growing) else job, "__self__", None)


class Workers:
    """A growing and shrinking set of threads. All methods may be called from any thread."""

    in_steps = False

    def __init__(
        self,
        name: str,
        *,
        keep: int,
        linger: float = 5.0,
        on_thread_start: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self._keep = keep
        self._linger = linger
        self._on_thread_start = on_thread_start
        self._queue: JobQueue[Job | None] = JobQueue()
        self._lock = RLock()  # the collector may run a ``__del__`` in here that asks or spawns
        self._workers: set[_Worker] = set()
        self._leaving: list[Thread] = []  # no longer among the workers, but perhaps alive
        self._spawned = 0
        self._begun_by_gone = 0
        self._unfinished = 0  # jobs of put_growing that have not returned
        self._refused = False  # the last thread that was to start did not, and the log says so
        self._closed = False
        self.put = self._queue.put
        """Hand in a job; never blocks."""
        self.enqueue, self.enqueued = self._queue.enqueue, self._queue.enqueued
        """The two halves of ``put``."""
        self.hint = self._queue.hint
        """Wake a thread if one sleeps, a job waits, and it would be of use."""
        self.is_stuck = self._queue.is_stuck
        """Whether a job waits although no thread has begun one for some milliseconds."""
        self.wake = self._queue.wake
        """Wake a thread if one sleeps and a job waits; whether that was so."""

    def __len__(self) -> int:
        return len(self._workers)

    @property
    def waiting(self) -> int:
        """Jobs that no thread has taken yet."""
        return len(self._queue)

    @property
    def ended(self) -> bool:
        """Whether no thread is alive."""
        with self._lock:
            return not self._workers and not any(one.is_alive() for one in self._leaving)

    @property
    def begun(self) -> int:
        """Jobs begun since the start."""
        with self._lock:
            workers = self._workers.copy()
            return self._begun_by_gone + sum(worker.begun for worker in workers)

    def spawn(self, up_to: int) -> bool:
        """Start one more thread, unless there are ``up_to`` already or ``close`` was called.

        Raises ``RuntimeError`` if the operating system gives no first thread; a later one that it
        refuses is logged, once until another one starts; the jobs wait for those there are.
        """
        with self._lock:
            return self._spawn(up_to)

    def put_growing(self, job: Job, up_to: int) -> bool:
        """Hand in a job that may block; a thread is added if none would be free for it.

        False after ``close``: the job will not run. This is decided under the lock that a thread
        takes before it leaves, so the last idle thread leaves no job in the queue.
        """
        with self._lock:
            if self._closed:
                return False
            if self._unfinished >= len(self._workers):
                self._spawn(up_to)
            self._unfinished += 1
            self._queue.put_waking(_Growing(self, job))
        return True

    def thread_of(self, owner: object) -> int | None:
        """The thread that runs a method of ``owner`` as its job at this moment."""
        worker = self._at_work_for(owner)
        return None if worker is None or worker.thread is None else worker.thread.ident

    def abandon(self, owner: object) -> bool:
        """Expect no return of the job, a method of ``owner``; whether a thread runs it.

        That thread ends with the job. Where it leaves too few, or a job waits, there is another.
        """
        with self._lock:
            if (worker := self._at_work_for(owner)) is None:
                return False
            worker.leaving = True
            self._workers.discard(worker)
            self._begun_by_gone += worker.begun
            if isinstance(worker.job, _Growing):
                self._uncount(worker.job)
            worker.abandoned = True
            worker.gone.set()
            with suppress(RuntimeError):  # no thread for it: as where a later one is refused
                self._spawn(self._keep if not self._queue else len(self._workers) + 1)
        return True

    def close(self, timeout: float) -> tuple[str, ...]:
        """Finish the queue, end the threads; returns the names of threads that are still busy.

        Waits at most ``timeout`` seconds, and never for the calling thread itself. It also waits
        for threads that left earlier because they were idle: the system may take a while to end
        one.
        """
        with self._lock:
            self._closed = self._queue.closing = True
            workers = tuple(self._workers)
        for _ in workers:
            self._queue.put_waking(None)
        deadline = monotonic() + timeout
        late = [one for one in workers if not one.has_ended(max(0.0, deadline - monotonic()))]
        for thread in self._leaving:
            if thread.ident != current_thread_id():
                thread.join(max(0.0, deadline - monotonic()))
        return tuple(one.thread.name for one in late if one.thread is not None)

    def lasting(self) -> list[tuple[object, Look]]:
        """Of each job that had begun at the last call already: whose it is, and its thread.

        Not from several threads at a time.
        """
        found = []
        for worker in self._workers.copy():
            job, thread, before, worker.seen = worker.job, worker.thread, worker.seen, worker.begun
            if job is not None and thread is not None and worker.seen == before:
                found.append((_owner_of(job), Look(thread.ident or 0, before, worker.clock)))
        return found

    def _at_work_for(self, owner: object) -> _Worker | None:
        workers = self._workers.copy()
        return next((one for one in workers if _owner_of(one.job) is owner), None)

    def _spawn(self, up_to: int) -> bool:
        if self._closed or len(self._workers) >= up_to:
            return False
        worker = _Worker()
        self._spawned += 1
        name = f"{self.name}-{self._spawned}"
        worker.thread = Thread(target=self._run, args=(worker,), name=name, daemon=True)
        self._workers.add(worker)  # before it starts: it looks how many they are
        try:
            worker.thread.start()
        except BaseException as error:
            if not worker.thread.begun:
                self._workers.discard(worker)
            if not self._workers or not isinstance(error, RuntimeError):
                raise
            if not self._refused:
                logger.error(
                    "%s could not start another thread and goes on with %d: %s",
                    self.name,
                    len(self._workers),
                    error,
                )
            self._refused = True
            return False
        self._refused = False
        return True

    def _uncount(self, job: _Growing) -> None:
        with self._lock:
            self._unfinished -= job.is_counted
            job.is_counted = False

    def _run(self, worker: _Worker) -> None:
        if self._on_thread_start is not None:
            self._on_thread_start()
        worker.clock = thread_clock()
        queue = self._queue
        queue.enter(worker.sleeper)
        take = queue.take
        while True:
            try:
                job = None if worker.leaving else take()
            except IndexError:
                job = self._wait_for_job(worker)
            if job is None and (job := self._last(worker)) is None:
                break
            worker.job = job
            worker.begun += 1
            began = monotonic()
            queue.begin(began)
            try:
                job()
            except BaseException:
                logger.exception("a job of %s raised; this is a defect", self.name)
            worker.job = job = None  # an idle thread must keep nothing alive
            if (now := monotonic()) - began > LONG_JOB:
                queue.was_long(now)
        queue.leave(worker.sleeper)
        with self._lock:
            self._forget(worker)
        queue.wake()  # an abandoned one may have handed in jobs, for which it will not do

    def _last(self, worker: _Worker) -> Job | None:
        """The next job for a ``worker`` that should end."""
        if worker not in self._workers:
            return None
        worker.leaving = True
        return self._left_over()

    def _left_over(self) -> Job | None:
        """After ``close``: a job that follows the end marks, which are put back for other threads.

        A turn that ran while the threads were ending may have scheduled another one.
        """
        marks = 0
        try:
            while (job := self._queue.take()) is None:
                marks += 1
        except IndexError:
            job = None
        for _ in range(marks):  # their threads may have looked in between, and sleep again
            self._queue.put_waking(None)
        return job

    def _wait_for_job(self, worker: _Worker) -> Job | None:
        """The next job; ``None`` after ``close``, or when idle for long and forgotten."""
        while True:
            if len(self._workers) <= self._keep:
                return self._queue.get(worker.sleeper)
            try:
                return self._queue.get(worker.sleeper, self._linger)
            except Empty:
                with self._lock:
                    if len(self._workers) > self._keep and not self._queue:
                        self._forget(worker)
                        return None

    def _forget(self, worker: _Worker) -> None:
        if worker in self._workers:
            self._workers.discard(worker)
            self._begun_by_gone += worker.begun
            assert worker.thread is not None
            self._leaving = [*(one for one in self._leaving if one.is_alive()), worker.thread]
            worker.gone.set()
