# mypy: disable-error-code="arg-type, union-attr, func-returns-value, assignment, var-annotated"
"""Timers and the stop flag."""

import threading

import pytest

from actors_rs import ActorSystem
from actors_rs.runtime._primitives import Thread
from actors_rs.runtime.actors.stop_flag import StopFlag
from actors_rs.runtime.dispatch.timers import Timer, Timers
from tests.runtime.support import Dawdling, Recorder, in_threads, no_thread_left


@pytest.fixture
def timers():
    with no_thread_left():
        timers = Timers("test-timers")
        yield timers
        assert timers.close(20) == ()


@pytest.fixture
def clock(monkeypatch):
    """The time of the timers, which stands still: however slow the machine, nothing is due yet."""
    clock = [0.0]
    monkeypatch.setattr("actors_rs.runtime.dispatch.timers.monotonic", lambda: clock[0])
    return clock


def test_timers_fire_in_the_order_they_are_due(timers, clock):
    fired, done = [], threading.Event()
    timers.after(0.09, done.set)
    for seconds in (0.06, 0.02, 0.04, 0.0, -1):
        timers.after(seconds, lambda seconds=seconds: fired.append(seconds))
    clock[0] = 1.0
    assert done.wait(20)
    assert sorted(fired) == [-1, 0.0, 0.02, 0.04, 0.06]
    assert fired[-3:] == [0.02, 0.04, 0.06]


@pytest.mark.usefixtures("clock")
def test_timers_due_at_the_same_time_fire_in_the_order_they_were_set(timers):
    fired, done = [], threading.Event()
    for number in range(50):
        timers.after(0, lambda number=number: fired.append(number))
    timers.after(0, done.set)
    assert done.wait(20)
    assert fired == list(range(50))


def test_an_earlier_timer_does_not_wait_for_a_later_one(timers):
    done = threading.Event()
    timers.after(3600, lambda: None)
    timers.after(0.01, done.set)
    assert done.wait(20)


def test_a_cancelled_timer_does_not_fire(timers, clock):
    fired, done = [], threading.Event()
    timer = timers.after(0.02, lambda: fired.append(1))
    timers.after(0.04, done.set)
    timer.cancel()
    timer.cancel()
    clock[0] = 1.0
    assert done.wait(20)
    assert not fired


def test_a_callback_that_raises_stops_no_other_and_is_called_a_defect(timers, defects):
    done = threading.Event()
    timers.after(0, lambda: 1 / 0)
    timers.after(0.01, done.set)
    assert done.wait(20)
    assert "timer callback raised" in defects.pop()


def test_a_timer_for_ever_harms_no_other(timers):
    done = threading.Event()
    timers.after(float("inf"), lambda: None)
    assert not done.wait(0.02)  # the thread waits for the endless one now
    timers.after(0.01, done.set)
    assert done.wait(20)


def test_after_close_nothing_fires():
    timers, fired = Timers("test-timers"), []
    timers.after(3600, lambda: fired.append(1))
    assert timers.close(20) == ()
    timers.after(0, lambda: fired.append(2))
    assert timers.close(20) == ()
    assert not fired


def test_a_thread_that_is_slow_to_end_is_waited_for_and_called_busy_only_if_it_is(monkeypatch):
    monkeypatch.setattr("actors_rs.runtime.dispatch.timers.Thread", Dawdling)
    monkeypatch.setattr(Dawdling, "awaited_for_ever_only", True)
    with no_thread_left():
        idle, busy = Timers("idle"), Timers("busy")
        idle.after(3600, lambda: None)
        assert idle.close(0.0) == ()
        begun, gate = threading.Event(), threading.Event()
        busy.after(0, lambda: (begun.set(), gate.wait(20)))
        assert begun.wait(20)
        assert busy.close(0.01) == ("busy",)
        gate.set()
        busy._thread.join()


def test_a_callback_may_close_the_timers():
    timers, answers = Timers("test-timers"), []
    done = threading.Event()

    def close():
        answers.append(timers.close(20))
        done.set()

    timers.after(0, close)
    assert done.wait(20)
    assert answers == [()]
    timers.close(20)


def test_a_stop_flag_wakes_all_who_wait():
    flag, ready = StopFlag(), threading.Barrier(5)

    def work(number):
        ready.wait()
        if number == 0:
            flag.set()
        assert flag.wait(20)

    in_threads(5, work)
    assert flag.is_set()
    assert flag.wait(0)


def test_a_stop_flag_that_is_not_set_lets_time_pass():
    flag = StopFlag()
    assert not flag.wait(0.01)
    assert not flag.is_set()


def test_what_is_collected_while_an_actor_is_waited_for_may_stop_another_one(monkeypatch):
    with ActorSystem(workers=2) as system:
        one, other = system.spawn(Recorder), system.spawn(Recorder)
        stopped = []

        def event():  # where the collector may run a ``__del__``
            stopped.append(other.actor_stopped.is_set() or other.stop(timeout=20))
            return threading.Event()

        monkeypatch.setattr("actors_rs.runtime.actors.stop_flag.Event", event)
        assert not one.actor_stopped.wait(0)
    assert stopped == [True]


class CollectorRuns:
    """The latch of timers whose thread runs a ``__del__`` just before it sleeps."""

    def __init__(self, latch, delete):
        self._latch, self._deletes = latch, [delete]
        self.release = latch.release

    def acquire(self, timeout):
        if self._deletes:
            self._deletes.pop()()
        return self._latch.acquire(timeout=timeout)


def test_a_timer_that_the_thread_of_the_timers_sets_before_it_sleeps_rings(timers):
    rung = threading.Event()
    timers._latch = CollectorRuns(timers._latch, lambda: timers.after(0.0, rung.set))
    timers.after(3600, lambda: None)
    assert rung.wait(20)


def test_what_is_set_while_the_cancelled_are_swept_is_kept(timers, clock):
    rung = [threading.Event() for _ in range(3)]

    class Deletes(Timer):
        @property
        def cancelled(self):
            if others:
                timers.after(1.0, others.pop().set)
            return True

    others = rung[1:]
    while len(timers._heap) < timers._sweep_at:
        timers._heap.append((9.0, -len(timers._heap), Deletes(9.0, lambda: None)))
    timers.after(1.0, rung[0].set)
    assert len(timers) == 3
    clock[0] = 2.0
    timers.after(0.0, lambda: None)
    assert all(one.wait(20) for one in rung)


def test_timers_that_a_del_sets_while_the_thread_begins_have_that_thread(monkeypatch, timers):
    begun, rung = [], threading.Event()

    class Collecting(Thread):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            begun.append(self)
            if len(begun) == 1:
                timers.after(0.0, rung.set)

        def start(self):
            timers.after(3600, lambda: None)
            super().start()

    monkeypatch.setattr("actors_rs.runtime.dispatch.timers.Thread", Collecting)
    timers.after(3600, lambda: None)
    assert rung.wait(20)
    assert [thread.is_alive() for thread in begun] == [False, True]
    assert len(timers) == 2
