# mypy: disable-error-code="var-annotated, union-attr"
"""Ctrl-C where a thread is started: either it runs and is known, or there is none."""

import signal

from actors_rs import ActorSystem
from actors_rs.observability.live import Ticker
from actors_rs.runtime._primitives import living_threads
from actors_rs.runtime.dispatch.event_loop import EventLoopThread
from tests.runtime.interrupting import interrupted_everywhere
from tests.runtime.support import DEADLINE, eventually, no_thread_left


async def value():
    return 1


def test_a_loop_whose_first_coroutine_was_interrupted_runs_the_next_one_and_ends():
    def first():
        coroutines.append(value())
        loop.run(coroutines[-1])

    coroutines = []
    with no_thread_left():
        loop = EventLoopThread("first")
        for _ in interrupted_everywhere(first):
            assert loop.run(value()).result(DEADLINE) == 1
            assert loop.close(DEADLINE) == ()
            coroutines.pop().close()
            loop = EventLoopThread("first")
        loop.close(DEADLINE)


def test_a_loop_that_was_interrupted_where_it_is_woken_runs_the_next_coroutine():
    def another():
        coroutines.append(value())
        loop.run(coroutines[-1])

    coroutines = []
    loop = EventLoopThread("woken")
    loop.run(value()).result(DEADLINE)
    for _ in interrupted_everywhere(another):
        assert loop.run(value()).result(DEADLINE) == 1
        coroutines.pop().close()
    loop.close(DEADLINE)


def test_signals_whose_taking_was_interrupted_are_as_before_and_can_be_taken():
    def handlers():
        return [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    before, own = handlers(), set(living_threads())
    with ActorSystem(name="taking") as system:
        for _ in interrupted_everywhere(system.handle_signals):
            assert handlers() == before
            assert signal.set_wakeup_fd(-1) == -1
            eventually(lambda: not any("taking-signals" in t.name for t in living_threads()))
        system._signals.release()
    assert handlers() == before
    assert set(living_threads()) == own


def test_a_ticker_that_was_interrupted_as_it_began_ends():
    def begin():
        ticker.__enter__()

    ticker = Ticker(lambda: None, 0.001)
    for _ in interrupted_everywhere(begin):
        eventually(lambda: not any(t.name == "actors-live" for t in living_threads()))
        ticker = Ticker(lambda: None, 0.001)
    ticker.__exit__(None, None, None)
