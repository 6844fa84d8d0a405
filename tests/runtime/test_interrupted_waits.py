# mypy: disable-error-code="var-annotated"
"""Ctrl-C at each place of a call that waits: nothing stays locked, and all others are woken."""

import threading
from _thread import start_new_thread

import pytest

from actors_rs import ActorSystem, PooledActor, Sink, Source
from actors_rs.runtime._primitives import Event, Thread
from actors_rs.runtime.actors.future import PooledFuture
from actors_rs.runtime.actors.stop_flag import StopFlag
from actors_rs.runtime.condition import Condition
from tests.runtime.interrupting import interrupted_everywhere
from tests.runtime.processes import run
from tests.runtime.support import DEADLINE, eventually

BRIEF = 0.001


class Waiters:
    """Threads that wait for the same thing as the main thread, and have come back from it."""

    def __init__(self, wait, count=2):
        self.back = []
        self.threads = [Thread(target=self._wait, args=(wait,)) for _ in range(count)]
        for thread in self.threads:
            thread.start()

    def _wait(self, wait):
        wait(DEADLINE)
        self.back.append(1)

    def all_come_back(self):
        for thread in self.threads:
            thread.join(DEADLINE)
        return len(self.back) == len(self.threads)


class OneFuture:
    def __init__(self):
        self.future = PooledFuture()

    def set(self):
        self.future.set(1)

    def wait(self, seconds):
        return self.future.get(timeout=seconds)


class OneCondition:
    def __init__(self):
        self.condition = Condition()
        self.there = False

    def set(self):
        with self.condition.lock:
            self.condition.notify_all()
            self.there = True

    def wait(self, seconds):
        return self.condition.wait_for(lambda: self.there, seconds)


KINDS = [Event, StopFlag, OneFuture, OneCondition]


@pytest.mark.parametrize("kind", KINDS)
def test_who_waits_with_an_interrupted_thread_is_woken(kind):
    def wait():
        told.append(start_new_thread(one.set, ()))
        one.wait(DEADLINE)

    one, told = kind(), []
    others = Waiters(one.wait)
    for _ in interrupted_everywhere(wait):
        if not told:
            one.set()
        assert others.all_come_back()
        assert one.wait(DEADLINE)
        one, told = kind(), []
        others = Waiters(one.wait)
    assert others.all_come_back()


@pytest.mark.parametrize("kind", [Event, StopFlag, OneCondition])
def test_what_an_interrupted_thread_sets_is_set_or_can_be_set(kind):
    def set_it():
        one.set()

    one = kind()
    others = Waiters(one.wait, 1)
    for _ in interrupted_everywhere(set_it):
        one.set()
        assert others.all_come_back()
        one = kind()
        others = Waiters(one.wait, 1)
    assert others.all_come_back()


@pytest.mark.parametrize("kind", [Event, StopFlag, OneCondition])
def test_who_gives_up_waiting_and_is_interrupted_leaves_nothing_locked(kind):
    one = kind()
    others = Waiters(one.wait)
    for _ in interrupted_everywhere(lambda: one.wait(BRIEF)):
        assert not one.wait(0)
    one.set()
    assert others.all_come_back()


class Slow(PooledActor):
    def on_receive(self, gate):
        return gate.acquire(timeout=DEADLINE)


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=DEADLINE) as system:
        yield system


@pytest.mark.parametrize("name", ["result", "wait"])
def test_a_run_that_was_waited_for_can_be_waited_for_again(system, name):
    def wait():
        queue.complete()
        getattr(run, name)(DEADLINE)

    run = system.start(Source.queue(4).to(Sink.list()))
    queue = run.queue()
    others = Waiters(run.result)
    for _ in interrupted_everywhere(wait):
        queue.complete()
        assert run.result(DEADLINE) == []
        assert others.all_come_back()
        run = system.start(Source.queue(4).to(Sink.list()))
        queue = run.queue()
        others = Waiters(run.result)
    assert others.all_come_back()


def test_an_ask_that_was_given_up_leaves_the_actor_to_the_next_one(system):
    def ask():
        gate.release()
        asked.ask(gate, timeout=DEADLINE)

    asked, gate = system.spawn(Slow), threading.Semaphore(0)
    for _ in interrupted_everywhere(ask):
        gate.release()
        assert asked.ask(gate, timeout=DEADLINE)


def test_a_queue_whose_producer_was_interrupted_as_it_waited_for_room_takes_more(system):
    def put():
        queue.put(1, DEADLINE)
        queue.put(2, DEADLINE)
        queue.put(3, DEADLINE)

    def begun():
        run = system.start(Source.queue(1).map(slowly).to(Sink.count()))
        return run, run.queue()

    def slowly(element):
        gate.wait(BRIEF)
        return element

    gate = threading.Event()
    run, queue = begun()
    for _ in interrupted_everywhere(put):
        queue.put(4, DEADLINE)
        queue.complete()
        assert run.result(DEADLINE) >= 1
        run, queue = begun()
    queue.complete()


def test_an_element_that_was_put_comes_though_the_producer_was_interrupted(system):
    endless = system.start(Source.queue(1000).to(Sink.ignore()))
    queue = endless.queue()
    eventually(lambda: queue._arrived is not None)
    for _ in interrupted_everywhere(lambda: queue.put(1)):
        eventually(lambda: not len(queue))
    queue.complete()
    endless.result(DEADLINE)


def test_a_system_whose_shutdown_was_interrupted_can_be_shut_down():
    def end():
        ending.shutdown(timeout=DEADLINE)

    ending = ActorSystem(workers=1)
    ending.spawn(Slow)
    for _ in interrupted_everywhere(end, most=3000):
        ending.shutdown(timeout=DEADLINE)
        assert not ending.children()
        ending = ActorSystem(workers=1)
        ending.spawn(Slow)


MANY = """
import signal
system = ActorSystem(workers=2)
class Echo(PooledActor):
    def on_receive(self, message):
        return message
ref, came, armed = system.spawn(Echo), 0, False
def interrupt(number, frame):  # not while the last one is being handled
    global armed
    if armed:
        armed = False
        raise KeyboardInterrupt
signal.signal(signal.SIGALRM, interrupt)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0007)
while came < 500:
    try:
        armed = True
        run = system.start(Source.range(0, 3).map(abs).to(Sink.list()))
        while True:
            assert run.result(20) == [0, 1, 2]
            assert ref.ask(1, timeout=20) == 1
    except KeyboardInterrupt:
        came += 1
signal.setitimer(signal.ITIMER_REAL, 0)
assert ref.ask(2, timeout=20) == 2
assert system.start(Source.range(0, 9).to(Sink.count())).result(20) == 9
system.shutdown(timeout=20)
say("fine")
"""


def test_a_program_that_is_interrupted_all_the_time_goes_on():
    lines, _ = run(MANY)
    assert lines == ["fine"]
