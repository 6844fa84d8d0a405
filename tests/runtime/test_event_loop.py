# mypy: disable-error-code="func-returns-value, union-attr, var-annotated"
"""The asyncio thread of a system."""

import asyncio
import concurrent.futures
import contextlib
import gc
import threading
from typing import Any

import pytest

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.dispatch import event_loop
from actors_rs.runtime.dispatch.event_loop import EventLoopThread
from actors_rs.runtime.system.system import ActorSystem
from tests.runtime.support import asked_on_another_thread, in_threads, no_thread_left


@pytest.fixture
def loop():
    with no_thread_left():
        loop = EventLoopThread("test-asyncio")
        yield loop
        assert loop.close(20) == ()


async def value(one):
    await asyncio.sleep(0)
    return one


async def for_ever():
    await asyncio.Event().wait()


def what_the_collector_tells(caplog):
    caplog.clear()
    gc.collect()
    return caplog.text


def test_coroutines_run_on_one_thread_and_answer(loop):
    async def ident():
        return threading.get_ident()

    assert [loop.run(value(n)).result(20) for n in range(3)] == [0, 1, 2]
    assert len({loop.run(ident()).result(20) for _ in range(3)}) == 1


def test_a_coroutine_that_raises_hands_its_exception_over(loop):
    async def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        loop.run(fail()).result(20)


def test_a_thread_that_gets_the_ident_of_the_ended_loop_is_not_taken_for_it(loop, monkeypatch):
    async def on_it():
        return loop.is_current_thread(), threading.get_ident()

    inside, ident = loop.run(on_it()).result(20)
    assert inside
    assert loop.close(20) == ()
    monkeypatch.setattr(event_loop, "current_thread_id", lambda: ident)
    assert not loop.is_current_thread()


def test_closing_cancels_what_runs(loop):
    running = [loop.run(for_ever()) for _ in range(10)]
    assert loop.run(value(1)).result(20) == 1
    assert loop.close(20) == ()
    for future in running:
        with pytest.raises(concurrent.futures.CancelledError):
            future.result(20)


def test_what_was_cancelled_before_goes_on_cleaning_up_while_the_loop_ends(loop):
    cleaning, cleaned = threading.Event(), []
    ending = asyncio.Event()

    async def careful():
        try:
            await for_ever()
        finally:
            cleaning.set()
            await ending.wait()
            cleaned.append("careful")

    async def sees_the_end():
        try:
            await for_ever()
        finally:
            ending.set()

    loop.run(sees_the_end())
    early = loop.run(careful())
    assert loop.run(value(1)).result(20) == 1
    assert early.cancel()
    assert cleaning.wait(20)
    assert loop.close(20) == ()
    assert cleaned == ["careful"]


def test_a_coroutine_that_cleans_up_still_has_the_tasks_it_started(loop):
    said = []

    async def serve(questions, answers):
        while True:
            await answers.put(await questions.get())

    async def connected():
        questions, answers = asyncio.Queue(), asyncio.Queue()
        connection = asyncio.create_task(serve(questions, answers))
        try:
            await for_ever()
        finally:
            await questions.put("bye")
            said.append(await answers.get())
            connection.cancel()

    loop.run(connected())
    assert loop.run(value(1)).result(20) == 1
    assert loop.close(20) == ()
    assert said == ["bye"]


def test_tasks_that_a_coroutine_left_behind_end_with_the_loop(loop):
    ended, left = [], set()

    async def left_behind():
        try:
            await for_ever()
        finally:
            ended.append(True)

    async def leave():
        left.add(asyncio.create_task(left_behind()))
        await asyncio.sleep(0)

    loop.run(leave()).result(20)
    assert loop.close(20) == ()
    assert ended == [True]


def test_what_goes_on_though_cancelled_is_cancelled_again_before_the_time_is_up(loop, monkeypatch):
    told = []

    async def stubborn():
        for _ in range(2):
            try:
                await for_ever()
            except asyncio.CancelledError:
                told.append(True)

    readings = iter([0.0])
    monkeypatch.setattr(event_loop, "monotonic", lambda: next(readings, 19.5))
    loop.run(stubborn())
    assert loop.run(value(1)).result(20) == 1
    assert loop.close(20) == ()
    assert told == [True, True]


def test_every_coroutine_that_races_close_is_answered_or_refused():
    for _ in range(30):
        loop, ready = EventLoopThread("test-asyncio"), threading.Barrier(4)
        futures = []

        def race(number, loop=loop, ready=ready, futures=futures):
            ready.wait()
            if number == 0:
                loop.close(20)
                return
            try:
                futures.extend(loop.run(for_ever()) for _ in range(20))
            except InvalidArgumentError:
                pass

        with no_thread_left():
            in_threads(4, race)
            loop.close(20)
        for future in futures:
            with pytest.raises(concurrent.futures.CancelledError):
                future.result(20)


def test_a_coroutine_that_arrived_before_the_thread_had_begun_is_cancelled_at_the_end(monkeypatch):
    closing, serve = threading.Event(), EventLoopThread._serve

    def late(self, running):
        assert closing.wait(20)
        serve(self, running)

    monkeypatch.setattr(EventLoopThread, "_serve", late)
    loop = EventLoopThread("test-asyncio")
    future = loop.run(for_ever())
    assert loop.close(0.0) == ("test-asyncio",)
    closing.set()
    with pytest.raises(concurrent.futures.CancelledError):
        future.result(20)
    loop._thread.join(20)


def test_after_close_a_coroutine_is_refused_in_a_sentence_and_starts_no_thread():
    loop = EventLoopThread("test-asyncio")
    loop.close(20)
    with no_thread_left(), pytest.raises(InvalidArgumentError, match="'test-asyncio' runs no more"):
        loop.run(value(1))


def test_system_exit_in_one_coroutine_leaves_the_others_running(loop):
    async def leave():
        raise SystemExit(3)

    other = loop.run(for_ever())
    with pytest.raises(SystemExit):
        loop.run(leave()).result(20)
    assert loop.run(value(1)).result(20) == 1
    assert not other.done()


def test_system_exit_in_a_clean_up_leaves_the_others_to_clean_up(loop, caplog):
    leaving, cleaned = asyncio.Event(), []

    async def leave():
        try:
            await for_ever()
        finally:
            leaving.set()
            raise SystemExit(3)

    async def careful(number):
        try:
            await for_ever()
        finally:
            await leaving.wait()
            cleaned.append(number)

    for one in (careful(1), leave(), careful(2), leave()):
        loop.run(one)
    assert loop.run(value(1)).result(20) == 1
    assert loop.close(20) == ()
    assert sorted(cleaned) == [1, 2]
    assert caplog.text.count("a coroutine on test-asyncio tried to end the process") == 2
    assert not what_the_collector_tells(caplog)


def test_what_a_cancelled_coroutine_raises_in_its_clean_up_is_logged_at_once(loop, caplog):
    begun = threading.Event()

    async def fails():
        try:
            begun.set()
            await for_ever()
        finally:
            raise ValueError("while closing")

    future = loop.run(fails())
    assert begun.wait(20)
    future.cancel()
    assert loop.close(20) == ()
    assert future.cancelled()
    assert [record.message for record in caplog.records] == [
        "a cancelled coroutine raised in its clean-up"
    ]
    assert "ValueError: while closing" in caplog.text
    assert not what_the_collector_tells(caplog)


def test_threads_that_coroutines_started_end_with_the_loop(loop):
    assert loop.run(asyncio.to_thread(lambda: 5)).result(20) == 5


def test_the_loop_does_not_count_as_ended_while_a_thread_of_a_coroutine_runs():
    loop, gate, begun = EventLoopThread("test-asyncio"), threading.Event(), threading.Event()
    with no_thread_left():
        loop.run(asyncio.to_thread(lambda: begun.set() or gate.wait()))
        assert begun.wait(20)
        thread = loop._thread
        assert loop.close(0.1) == ("test-asyncio",)
        gate.set()
        thread.join(20)


def test_a_coroutine_that_does_not_end_is_named():
    loop, gate, begun = EventLoopThread("test-asyncio"), threading.Event(), threading.Event()

    async def stuck():
        begun.set()
        gate.wait()

    loop.run(stuck())
    assert begun.wait(20)
    assert loop.close(0.01) == ("test-asyncio",)
    gate.set()
    thread = loop._thread
    thread.join(20)
    assert not thread.is_alive()


def test_a_coroutine_may_close_its_own_loop_which_ends_behind_it(loop):
    other = loop.run(for_ever())

    async def leave():
        return loop.close(20)

    assert loop.run(leave()).result(20) == ()
    loop._thread.join(20)
    assert not loop._thread.is_alive()
    assert other.cancelled()


def test_a_coroutine_may_shut_its_system_down_and_no_thread_is_left():
    async def leave():
        system.shutdown(timeout=20)

    with no_thread_left():
        system = ActorSystem()
        loop: Any = system.event_loop
        loop.run(leave()).result(20)
        loop._thread.join(20)


def test_where_there_is_no_thread_for_it_the_next_coroutine_tries_again(loop, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            loop.run(value(1))
    assert loop.run(value(2)).result(20) == 2
    assert loop.close(20) == ()


def test_what_is_collected_while_the_loop_begins_may_run_a_coroutine_too(monkeypatch):
    loop, new, others = EventLoopThread("test-asyncio"), asyncio.new_event_loop, []

    def new_event_loop():  # where the collector may run a ``__del__``
        if not others:
            others.append(None)
            others.append(loop.run(value("its")))
        return new()

    monkeypatch.setattr(asyncio, "new_event_loop", new_event_loop)
    with no_thread_left():
        (future,) = asked_on_another_thread(lambda: loop.run(value("mine")))
        assert (future.result(20), others[1].result(20)) == ("mine", "its")
        assert loop.close(20) == ()


def test_what_is_collected_while_the_loop_is_woken_may_close_it(monkeypatch):
    loop = EventLoopThread("test-asyncio")
    assert loop.run(value(1)).result(20) == 1
    serving = loop._loop
    wake = serving.call_soon_threadsafe

    def call_soon_threadsafe(*args):  # where the collector may run a ``__del__``
        monkeypatch.undo()
        assert loop.close(20) == ()
        with contextlib.suppress(RuntimeError):  # as the loop has been closed
            wake(*args)

    monkeypatch.setattr(serving, "call_soon_threadsafe", call_soon_threadsafe)
    (future,) = asked_on_another_thread(lambda: loop.run(value(2)))
    with pytest.raises(concurrent.futures.CancelledError):
        future.result(20)
