# mypy: disable-error-code="arg-type, attr-defined, func-returns-value, misc"
"""The shared pool and the workers it is made of."""

import sys
import threading
from time import monotonic
from typing import Any

import pytest

from actors_rs import ActorSystem
from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.dispatch.job_queue import JobQueue
from actors_rs.runtime.dispatch.pool import PoolDispatcher
from actors_rs.runtime.dispatch.timers import Timers
from actors_rs.runtime.dispatch.workers import Workers
from actors_rs.testing.faults import threads_refused
from tests.runtime.support import Dawdling, Recorder, eventually, no_thread_left


@pytest.fixture
def gate():
    gate = threading.Event()
    yield gate
    gate.set()


@pytest.fixture
def workers():
    with no_thread_left():
        workers = Workers("test-workers", keep=1, linger=0.02)
        yield workers
        assert workers.close(20) == ()


def test_blocking_actors_do_not_starve_others(gate):
    with ActorSystem(workers=2) as system:
        for _ in range(5):
            system.spawn(Recorder).tell(gate.wait)
        assert system.spawn(Recorder).ask("hello", timeout=20) == "hello"
        assert system.statistics().workers > 2
        gate.set()


def test_a_turn_that_lasts_lets_ready_turns_have_a_thread_while_none_begins(gate, looked_after):
    pool, _looks = looked_after
    begun, helped = threading.Event(), threading.Event()
    pool.grow_if_starved()
    assert pool.statistics().workers == 1, "nobody waits"
    pool.schedule(lambda: (begun.set(), gate.wait()))
    assert begun.wait(20)
    pool.schedule(helped.set)
    eventually(lambda: pool.grow_if_starved() or helped.is_set())
    assert pool.statistics().workers == 2
    gate.set()


def test_a_pool_whose_threads_begin_turns_needs_no_more_threads():
    queue: JobQueue[str] = JobQueue()
    queue.begin(monotonic() - 1)
    assert not queue.is_stuck(), "nothing waits"
    queue.put("a turn")
    assert queue.is_stuck()
    queue.begin(monotonic() + 60)  # as if this took no time
    assert not queue.is_stuck(), "one has just begun"


class Looks:
    """Timers that ring when the test says so: the pool looks after itself at these moments."""

    def __init__(self):
        self.due = []

    def after(self, seconds, callback):
        assert seconds > 0
        self.due.append(callback)

    def pass_by(self):
        (look,) = self.due
        self.due.clear()
        look()


@pytest.fixture
def looked_after():
    """A pool of one thread, and the looks at it."""
    looks = Looks()
    with no_thread_left():
        pool = PoolDispatcher(looks, workers=1, name="test-pool")
        yield pool, looks
        assert pool.close(20) == ()


def test_the_pool_grows_only_after_a_turn_has_waited_from_one_look_to_the_next(gate, looked_after):
    pool, looks = looked_after
    begun, helped = threading.Event(), threading.Event()
    pool.schedule(lambda: (begun.set(), gate.wait()))
    assert begun.wait(20)
    pool.schedule(helped.set)
    looks.pass_by()  # a turn has begun since the last look, which was before all
    assert pool.statistics().workers == 1
    looks.pass_by()
    assert helped.wait(20)
    assert pool.statistics().workers == 2
    gate.set()


def test_busy_workers_are_no_reason_to_grow(looked_after):
    pool, looks = looked_after
    begun, go_on = threading.Semaphore(0), threading.Semaphore(0)
    for _ in range(20):
        pool.schedule(lambda: (begun.release(), go_on.acquire(timeout=20)))
    for _ in range(20):
        assert begun.acquire(timeout=20)
        looks.pass_by()
        go_on.release()
        assert pool.statistics().workers == 1


def test_one_watch_looks_after_the_pool_however_many_turns_are_scheduled(gate):
    timers = Timers("test-timers")
    pool = PoolDispatcher(timers, workers=1, name="test-pool")
    for _ in range(100):
        pool.schedule(lambda: None)
    assert len(timers._heap) <= 1
    pool.close(20)
    timers.close(20)


def test_the_pool_never_exceeds_its_cap(gate):
    with ActorSystem(workers=1, max_workers=3) as system:
        for _ in range(10):
            system.spawn(Recorder).tell(gate.wait)
        eventually(lambda: system.statistics().workers == 3)
        look_often = threading.Event()
        for _ in range(20):
            look_often.wait(0.01)
            assert system.statistics().workers <= 3
        eventually(lambda: system.statistics().ready == 7)
        gate.set()


def test_the_pool_shrinks_to_its_size_when_idle(gate):
    with ActorSystem(workers=1) as system:
        system._dispatcher._workers._linger = 0.02
        for _ in range(4):
            system.spawn(Recorder).tell(gate.wait)
        eventually(lambda: system.statistics().workers >= 4)
        gate.set()
        eventually(lambda: system.statistics().workers == 1)
        assert system.spawn(Recorder).ask("still there") == "still there"


@pytest.mark.parametrize("options", [{"workers": 0}, {"workers": -1}, {"max_workers": 0}])
def test_a_pool_without_threads_is_refused_in_a_sentence(options):
    name, value = next(iter(options.items()))
    with no_thread_left(), pytest.raises(InvalidArgumentError, match=f"{name} .* 1, got {value}"):
        ActorSystem(**options)


def test_a_busy_actor_takes_turns_with_others(gate):
    """Both want the only worker; the flood was there first and is not finished first."""
    with ActorSystem(workers=1, max_workers=1) as system:
        flooded, other, order = system.spawn(Recorder), system.spawn(Recorder), []
        flooded.tell(gate.wait)
        for number in range(1000):
            flooded.tell(lambda number=number: order.append(number))
        other.tell(lambda: order.append("other"))
        gate.set()
        other.ask("done")
        flooded.ask("done")
    assert order.index("other") <= 200


def test_an_actor_that_never_rests_does_not_starve_others():
    class Restless(Recorder):
        def on_receive(self, message):
            self.actor_ref.tell(message)

    with ActorSystem(workers=1) as system:
        restless = system.spawn(Restless)
        restless.tell("again")
        assert system.spawn(Recorder).ask("hello", timeout=20) == "hello"
        restless.stop()


def test_workers_add_a_thread_for_each_blocking_job(workers, gate):
    begun = threading.Semaphore(0)
    for _ in range(10):
        assert workers.put_growing(lambda: (begun.release(), gate.wait()), 10)
    for _ in range(10):
        assert begun.acquire(timeout=20)


def test_workers_queue_jobs_beyond_the_limit(workers, gate):
    done = []
    for number in range(6):
        workers.put_growing(lambda number=number: (gate.wait(), done.append(number)), 2)
    assert len(workers) == 2
    gate.set()
    eventually(lambda: len(done) == 6)


def test_idle_workers_leave_and_no_job_is_left_behind_by_the_last(workers):
    for _ in range(300):
        done = threading.Semaphore(0)
        for _ in range(3):
            workers.put_growing(done.release, 8)
        for _ in range(3):
            assert done.acquire(timeout=20), "a job was never run"
    eventually(lambda: len(workers) == 1)


def test_a_job_that_raises_kills_no_worker_and_is_called_a_defect(workers, defects):
    done = threading.Event()
    workers.put_growing(lambda: 1 / 0, 1)
    workers.put_growing(done.set, 1)
    assert done.wait(20)
    assert "ZeroDivisionError" in defects.pop()


def test_closing_runs_what_is_queued_and_refuses_the_rest():
    workers, done = Workers("test-workers", keep=1), []
    for number in range(100):
        workers.put_growing(lambda number=number: done.append(number), 1)
    assert workers.close(20) == ()
    assert done == list(range(100))
    assert workers.put_growing(lambda: None, 1) is False
    assert workers.spawn(5) is False


def test_closing_names_the_threads_that_are_busy(gate):
    workers = Workers("test-workers", keep=1)
    begun = threading.Event()
    workers.put_growing(lambda: (begun.set(), gate.wait()), 1)
    assert begun.wait(20)
    assert workers.close(0.01) == ("test-workers-1",)
    gate.set()
    assert workers.close(20) == ()


def test_a_turn_scheduled_by_a_late_turn_still_runs_after_close(gate):
    """The end mark lies in the queue before it; the thread must not stop at the mark."""
    workers = Workers("test-workers", keep=2)
    done, begun = [], threading.Event()

    def late():
        begun.set()
        gate.wait()
        workers.put(lambda: workers.put(lambda: done.append("second")))

    workers.spawn(2)
    workers.spawn(2)
    workers.put(late)
    assert begun.wait(20)
    assert workers.close(0.01) != ()
    gate.set()
    assert workers.close(20) == ()
    assert done == ["second"]


def test_every_thread_ends_at_once_however_the_end_marks_are_shared_out():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for number in range(500):
            workers = Workers("test-workers", keep=4)
            while workers.spawn(4):
                pass
            for _ in range(number % 5):
                workers.put(lambda: None)
            assert workers.close(10) == ()
    finally:
        sys.setswitchinterval(before)


def test_a_blocking_job_may_hand_in_jobs_that_wait_for_each_other(workers, gate):
    """Threads sleep that are free; each such job must get one, whoever hands it in."""
    together, begun = threading.Barrier(3), threading.Semaphore(0)
    workers._linger = 3600
    for _ in range(3):
        workers.put_growing(lambda: (begun.release(), gate.wait()), 4)
    for _ in range(3):
        assert begun.acquire(timeout=20)
    gate.set()
    eventually(lambda: workers._unfinished == 0)
    workers._queue._eager_until = 0.0  # as if no job had been long lately
    done = threading.Semaphore(0)

    def meet():
        together.wait(20)
        done.release()

    def hand_in_and_meet():
        for _ in range(2):
            workers.put_growing(meet, 4)
        meet()

    workers.put_growing(hand_in_and_meet, 4)
    for _ in range(3):
        assert done.acquire(timeout=25), "jobs wait for a thread although some are free"


def test_a_refused_thread_leaves_the_others_at_work(workers, monkeypatch, caplog, gate):
    def refuse(*args, **kwargs):
        raise RuntimeError("can't start new thread")

    done = threading.Event()
    workers.spawn(1)
    monkeypatch.setattr("threading.Thread.start", refuse)
    workers.put_growing(lambda: None, 5)
    workers.put_growing(done.set, 5)
    assert done.wait(20)
    assert workers.spawn(5) is False
    assert "can't start new thread" in caplog.text
    assert len(workers) == 1


def test_refused_threads_are_logged_once_until_one_starts(caplog):
    workers = Workers("test-workers", keep=1)
    workers.spawn(1)
    for _ in range(2):
        with threads_refused("test-workers"):
            assert not any(workers.spawn(9) for _ in range(5))
        assert workers.spawn(9)
    assert caplog.text.count("can't start new thread") == 2
    assert workers.close(20) == ()


def test_statistics_count_turns_begun_also_of_workers_that_left(gate):
    workers = Workers("test-workers", keep=1, linger=0.01)
    for _ in range(5):
        workers.put_growing(gate.wait, 5)
    gate.set()
    eventually(lambda: len(workers) == 1)
    assert workers.close(20) == ()  # the one that stayed may not have begun yet
    assert workers.begun == 5


def test_a_thread_that_left_is_waited_for_at_the_end_too(monkeypatch):
    monkeypatch.setattr("actors_rs.runtime.dispatch.workers.Thread", Dawdling)
    with no_thread_left():
        workers, done = Workers("test-workers", keep=0, linger=0.01), threading.Event()
        workers.put_growing(done.set, 1)
        assert done.wait(20)
        eventually(lambda: len(workers) == 0)
        assert not workers.ended
        assert workers.close(20) == ()
        assert workers.ended


def test_an_interrupted_call_leaves_the_pool_one_who_looks_after_it():
    class Rung(Timers):
        def after(self, seconds, callback):
            callbacks.append(callback)

    def interrupt():
        raise KeyboardInterrupt

    callbacks: list[Any] = []
    pool = PoolDispatcher(Rung("test-timers"), workers=1)
    pool.schedule(lambda: None)
    for number in range(2, 5):
        pool._queued = interrupt
        with pytest.raises(KeyboardInterrupt):
            pool.enqueued()
        eventually(lambda number=number: len(callbacks) == number)
    pool._queued = pool._workers.enqueued
    while len(callbacks) > 1:
        callbacks.pop(0)()
    for _ in range(5):
        callbacks.pop()()
        assert len(callbacks) <= 1
        pool.schedule(lambda: None)
        assert len(callbacks) == 1
    assert pool.close(20) == ()
