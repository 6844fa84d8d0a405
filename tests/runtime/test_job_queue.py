# mypy: disable-error-code="func-returns-value, var-annotated"
"""The queue behind the pool: nothing lost, nobody left asleep, no needless waking."""

import sys
import threading

import pytest

from actors_rs.runtime._primitives import Empty, monotonic
from actors_rs.runtime.dispatch.job_queue import JobQueue, Sleeper
from tests.runtime.support import eventually


class Taker(threading.Thread):
    """Takes jobs until it gets None; ``on_job`` is called with each, on this thread."""

    def __init__(self, queue, on_job):
        super().__init__(daemon=True)
        self.queue, self.on_job, self.sleeper = queue, on_job, Sleeper()
        self.start()

    def run(self):
        self.queue.enter(self.sleeper)
        while (job := self.queue.get(self.sleeper)) is not None:
            self.on_job(job)


def asleep(queue):
    return len(queue._sleepers)


def wait_until_asleep(*takers):
    """Until they sleep: who is registered only may look once more whether there is a job."""
    idents = {taker.ident for taker in takers}
    eventually(lambda: {functions()[one] for one in idents} == {"_sleep"})


def functions():
    """What each thread is in."""
    return {ident: frame.f_code.co_name for ident, frame in sys._current_frames().items()}


def test_jobs_come_in_the_order_they_were_put():
    queue = JobQueue()
    for job in range(5):
        queue.put(job)
    assert [queue.get(Sleeper()) for _ in range(5)] == [0, 1, 2, 3, 4]


def test_get_raises_empty_after_its_timeout_and_leaves_no_sleeper():
    queue = JobQueue()
    with pytest.raises(Empty):
        queue.get(Sleeper(), timeout=0.01)
    assert asleep(queue) == 0


def test_take_raises_an_error_when_there_is_no_job():
    with pytest.raises(IndexError):
        JobQueue().take()


def test_a_put_from_outside_wakes_a_sleeping_thread():
    queue, got = JobQueue(), threading.Event()
    taker = Taker(queue, lambda job: got.set())
    eventually(lambda: asleep(queue) == 1)
    queue.put("job")
    assert got.wait(10)
    queue.put(None)
    taker.join(10)


def test_a_put_from_a_thread_of_the_queue_leaves_the_job_to_that_thread():
    queue, ran_on, done = JobQueue(), [], threading.Event()

    def on_job(job):
        ran_on.append(threading.current_thread())
        if job:
            queue.put(job - 1)
        else:
            done.set()

    takers = [Taker(queue, on_job) for _ in range(2)]
    wait_until_asleep(*takers)
    queue.put(20)
    assert done.wait(10)
    assert len(set(ran_on)) == 1
    for _ in takers:
        queue.put(None)


def test_wake_hands_a_job_that_was_left_to_a_busy_thread_to_a_sleeping_one():
    queue, second, gate = JobQueue(), threading.Event(), threading.Event()

    def on_job(job):
        if job == "first":
            queue.put("second")
            gate.wait(10)
        else:
            second.set()

    takers = [Taker(queue, on_job) for _ in range(2)]
    wait_until_asleep(*takers)
    queue.put("first")
    eventually(lambda: len(queue) == 1)
    assert queue.wake()
    assert second.wait(10)
    gate.set()
    for _ in takers:
        queue.put(None)


def test_after_a_long_job_a_put_from_inside_wakes_another_thread():
    queue = JobQueue()
    taker = Taker(queue, lambda job: None)
    eventually(lambda: asleep(queue) == 1)
    queue.enter(Sleeper())  # as if this thread were one of the queue's
    now = 1e12
    queue.was_long(now)
    queue.put(None)
    taker.join(10)
    assert not taker.is_alive()


def asleep_taker(queue, on_job):
    taker = Taker(queue, on_job)
    wait_until_asleep(taker)
    return taker


def hint_and_get_on(queue):
    """Hint at the sleeper, who takes a minute to get up while others begin jobs."""
    queue._begun += 100
    sleeper = queue._sleepers.pop()
    sleeper.hinted, sleeper.woken_at, sleeper.begun_then = True, monotonic() - 60, 0
    sleeper.latch.release()


def test_a_thread_that_a_hint_woke_too_late_lies_down_again_and_hints_pause(monkeypatch):
    queue, ran = JobQueue(), []
    taker = asleep_taker(queue, ran.append)
    queue._jobs.append("left to a busy thread")
    now = monotonic()
    # The pause goes on.
    monkeypatch.setattr("actors_rs.runtime.dispatch.job_queue.monotonic", lambda: now)
    hint_and_get_on(queue)
    eventually(lambda: queue._futile_until > now and asleep(queue) == 1)
    queue.hint()
    assert (ran, asleep(queue)) == ([], 1)
    queue.put("from outside")
    eventually(lambda: len(ran) == 2)
    queue.put(None)
    taker.join(10)


def test_a_thread_that_a_hint_woke_in_time_takes_the_job():
    queue, ran = JobQueue(), []
    taker = asleep_taker(queue, ran.append)
    queue._jobs.append("job")
    queue.hint()
    eventually(lambda: ran == ["job"])
    queue.put(None)
    taker.join(10)


def test_a_late_thread_is_of_use_when_nobody_begins_jobs():
    queue, ran = JobQueue(), []
    taker = asleep_taker(queue, ran.append)
    queue._jobs.append("job")
    queue._wake(True, monotonic() - 60)
    eventually(lambda: ran == ["job"])
    queue.put(None)
    taker.join(10)


def test_no_thread_lies_down_again_once_the_queue_is_closing():
    queue = JobQueue()
    taker = asleep_taker(queue, lambda job: None)
    queue.closing = True
    queue._jobs.append(None)
    hint_and_get_on(queue)
    taker.join(10)
    assert not taker.is_alive()


def test_wake_without_a_job_or_a_sleeper_says_so():
    queue = JobQueue()
    assert not queue.wake()
    queue.put("job")
    assert not queue.wake()


def test_no_job_is_lost_and_no_thread_left_asleep_under_many_puts_and_takes():
    queue, count, lock, total = JobQueue(), [0], threading.Lock(), 4 * 5_000

    def on_job(job):
        with lock:
            count[0] += 1

    takers = [Taker(queue, on_job) for _ in range(4)]
    putters = [
        threading.Thread(target=lambda: [queue.put(1) for _ in range(total // 4)]) for _ in range(4)
    ]
    for thread in putters:
        thread.start()
    eventually(lambda: count[0] == total)
    for _ in takers:
        queue.put(None)
    for taker in takers:
        taker.join(10)
        assert not taker.is_alive()
