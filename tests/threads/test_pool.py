# mypy: disable-error-code="var-annotated, no-untyped-def, arg-type, attr-defined, union-attr"
"""The pool in every interleaving of those who hand in jobs, a worker that takes them, and the end.

The threads of the pool are those of the search: what they run is their production loop.
"""

from collections import deque
from threading import local
from unittest.mock import patch

import pytest

from actors_rs.runtime._primitives import Empty
from actors_rs.runtime.dispatch import job_queue, pool, workers
from actors_rs.runtime.dispatch.job_queue import JobQueue, Sleeper
from actors_rs.runtime.dispatch.pool import PoolDispatcher
from actors_rs.runtime.dispatch.workers import Workers, _Worker
from tests.threads.bounded import check_all, search


class HeldThread:
    """A thread of the pool that does not start: the search runs its loop as one of its own."""

    ident = None

    def __init__(self, target, args, name, daemon):
        self.name, self.loop = name, lambda: target(*args)

    def start(self):
        """Nothing."""

    def join(self, timeout):
        """Nothing: who ends the pool waits for nobody here."""

    def is_alive(self):
        return False


class Model:
    """A pool with one thread. What ran is noted in a deque of C code, hidden from the search."""

    def __init__(self):
        self.ran, self.refused = deque(), deque()
        with patch.object(workers, "Thread", HeldThread):
            self.pool = self.make()
        [worker] = self.workers._workers
        self.loop = worker.thread.loop

    def make(self):
        self.workers = Workers("model", keep=1)
        self.workers.spawn(1)
        return self.workers

    def submit(self, job):
        if not self.pool.put_growing(lambda: self.ran.append(job), 1):
            self.refused.append(job)

    def work(self):
        self.loop()

    def end(self):
        self.pool.close(0.0)


class Started(local):
    """The loops of the threads that the current one has started, to be run when it is done."""

    def __init__(self):
        self.loops = deque()


started = Started()


class StartedThread(HeldThread):
    """Its loop is run by whoever started it."""

    def start(self):
        started.loops.append(self.loop)


class Lingering(Model):
    """A pool that keeps no thread: an idle one leaves after a while, and a job brings a new one."""

    def make(self):
        self.workers = Workers("model", keep=0, linger=1.0)
        self.workers.spawn(1)
        return self.workers

    def submit(self, job):
        started.loops.clear()
        super().submit(job)
        while started.loops:
            started.loops.popleft()()


class NoTimers:
    """Timers that never ring: whether the pool is stuck is not what is looked at."""

    def after(self, seconds, callback):
        """Nothing."""


class Dispatching(Model):
    """The dispatcher over such a pool, which takes turns and refuses none."""

    def make(self):
        pool = PoolDispatcher(NoTimers(), workers=1)
        self.workers = pool._workers
        return pool

    def submit(self, job):
        self.pool.schedule(lambda: self.ran.append(job))


def submit(job):
    return lambda model: model.submit(job)


def each_ran_or_was_refused(*jobs):
    return lambda model: (
        sorted([*model.ran, *model.refused]) == list(jobs) and not model.workers.waiting
    )


def each_ran_once_or_waits(*jobs):
    """Who hands in behind the end of a dispatcher finds nobody: but none runs twice or vanishes."""

    def holds(model):
        waiting = sum(job is not None for job in model.workers._queue._jobs)
        return len({*model.ran}) == len(model.ran) == len(jobs) - waiting

    return holds


MODULES = workers, job_queue, pool
SHARED = JobQueue, Sleeper, Workers, _Worker, PoolDispatcher


def checked(model, threads, holds, **options):
    return check_all(model, threads, holds, *MODULES, shared=SHARED, **options)


# With more preemptions, and without a bound, in stress/test_threads.py.


def test_two_who_hand_in_and_a_worker_that_takes_lose_nothing_when_the_pool_ends():
    threads = [submit(1), submit(2), Model.work, Model.end]
    holds = each_ran_or_was_refused(1, 2)
    assert checked(Model, threads, holds, preemptions=2, alike=(0, 1)).runs > 1_000


def test_one_who_hands_in_a_worker_and_the_end_of_the_pool_lose_nothing():
    threads = [submit(1), Model.work, Model.end]
    assert checked(Model, threads, each_ran_or_was_refused(1), preemptions=3).runs > 1_000


def test_turns_run_once_until_the_dispatcher_ends():
    threads = [submit(1), submit(2), Dispatching.work, Dispatching.end]
    holds = each_ran_once_or_waits(1, 2)
    assert checked(Dispatching, threads, holds, preemptions=1, alike=(0, 1)).runs > 100


def lingering(threads, *jobs, **options):
    holds = each_ran_or_was_refused(*jobs)
    with patch.object(workers, "Thread", StartedThread):
        return search(Lingering, threads, holds, *MODULES, shared=SHARED, **options)


def test_the_last_idle_thread_that_leaves_leaves_no_job_behind():
    found = lingering([submit(1), Lingering.work], 1)
    assert found.holds, found
    assert found.runs > 100
    found = lingering([submit(1), submit(2), Lingering.work], 1, 2, preemptions=2, alike=(0, 1))
    assert found.holds, found
    assert found.runs > 100


def test_a_thread_that_leaves_without_a_last_look_is_found():
    def careless(self, worker):
        try:
            return self._queue.get(worker.sleeper, self._linger)
        except Empty:
            with self._lock:
                self._forget(worker)
            return None

    with patch.object(Workers, "_wait_for_job", careless):
        assert not lingering([submit(1), Lingering.work], 1, preemptions=2).holds


def looks_before_it_registers(self, sleeper, timeout=None):
    while not self._jobs:
        self._sleepers.append(sleeper)
        self._sleep(sleeper, timeout)
    return self._jobs.popleft()


def looks_for_sleepers_first(self, job):
    sleepers = bool(self._sleepers)
    self._jobs.append(job)
    if sleepers:
        self._wake(False, 0.0)


def decides_without_the_lock(self, job, up_to):
    if self._closed:
        return False
    self._queue.put_waking(job)
    return True


@pytest.mark.parametrize(
    ("owner", "name", "planted"),
    [
        (JobQueue, "get", looks_before_it_registers),
        (JobQueue, "put_waking", looks_for_sleepers_first),
        (Workers, "put_growing", decides_without_the_lock),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_planted_job_that_is_forgotten_is_found(owner, name, planted):
    threads = [submit(1), Model.work, Model.end]
    with patch.object(owner, name, planted):
        holds = each_ran_or_was_refused(1)
        found = search(Model, threads, holds, *MODULES, shared=SHARED, preemptions=2)
    assert not found.holds
