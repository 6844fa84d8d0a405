# mypy: disable-error-code="var-annotated, no-untyped-def, type-arg, method-assign"
"""Timers in every interleaving of firing, cancelling and closing."""

from collections import deque
from types import SimpleNamespace

from actors_rs.runtime.dispatch import timers
from actors_rs.runtime.dispatch.timers import Timer, Timers
from tests.threads.bounded import check_all


def checked(model, threads, holds):
    return check_all(model, threads, holds, timers, shared=(Timer, Timers))


class Model:
    def __init__(self):
        self.fired = []
        self.timer = Timer(0.0, lambda: self.fired.append(1))

    def fire(self):
        self.timer.fire()

    def cancel(self):
        self.timer.cancel()


def test_a_timer_fires_at_most_once_whenever_it_is_cancelled():
    checked(Model, [Model.fire, Model.cancel], lambda model: len(model.fired) <= 1)


def test_a_timer_that_two_threads_fire_calls_back_once_if_one_of_them_cancels_it_first():
    def cancel_and_fire(model):
        model.cancel()
        model.fire()

    checked(Model, [Model.fire, cancel_and_fire], lambda model: len(model.fired) <= 1)


class Due:
    """A service whose thread is one of the search's: it takes what is due and fires it."""

    def __init__(self):
        self.fired = deque()
        self.timers = Timers("model")
        self.timers._thread = SimpleNamespace(ident=1)  # type: ignore[assignment]
        self.timer = self.timers.after(-1.0, lambda: self.fired.append(1))

    def run(self):
        timer = self.timers._next_due()
        if timer is not None:
            timer.fire()

    def cancel(self):
        self.timer.cancel()

    def close(self):
        with self.timers._lock:
            self.timers._closed = True
            self.timers._heap.clear()

    def add(self):
        self.timers.after(60.0, lambda: None)


def test_what_is_due_is_taken_once_whoever_cancels_adds_or_ends_meanwhile():
    for threads in ([Due.run, Due.cancel], [Due.run, Due.close], [Due.run, Due.add]):
        assert checked(Due, threads, lambda model: len(model.fired) <= 1).runs > 1


class Service:
    """Timers whose thread does not run: only what is kept is looked at."""

    def __init__(self):
        self.timers = Timers("model")
        self.timers._thread = SimpleNamespace(ident=1)  # type: ignore[assignment]

    def add(self):
        self.timers.after(60.0, lambda: None)

    def close(self):
        with self.timers._lock:
            self.timers._closed = True
            self.timers._heap.clear()


def test_nothing_is_kept_behind_the_end_of_the_timers():
    threads = [Service.add, Service.add, Service.close]
    assert checked(Service, threads, lambda model: not model.timers._heap).runs > 1
