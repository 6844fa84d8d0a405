# mypy: disable-error-code="func-returns-value"
"""Awaiting the answer to an ask in a coroutine: the loop goes on meanwhile."""

import asyncio
import threading
from operator import add
from typing import Any

import pytest

from actors_rs import ActorSystem
from actors_rs.runtime.actors.future import PooledFuture
from tests.runtime.support import DEADLINE, Recorder, in_threads


@pytest.fixture
def future():
    return PooledFuture()


def test_a_future_can_be_awaited(future):
    async def wait():
        return await future

    future.set(1)
    assert asyncio.run(wait()) == 1


def answer(future):
    future.set("answer")


def raise_in(future):
    future.set_exception((ValueError, ValueError("no answer"), None))


def hook(future):
    future.set_get_hook(lambda timeout: "answer")


@pytest.mark.parametrize("give", [answer, raise_in, hook])
def test_while_a_coroutine_awaits_a_future_others_go_on_and_may_be_what_it_waits_for(future, give):
    async def wait():
        giving = asyncio.create_task(asyncio.to_thread(give, future))
        try:
            return await future
        finally:
            await giving

    if give is raise_in:
        with pytest.raises(ValueError, match="no answer"):
            asyncio.run(wait())
    else:
        assert asyncio.run(wait()) == "answer"


def test_what_is_made_of_futures_is_awaited_without_a_thread(future):
    other: Any = PooledFuture()

    async def wait():
        made = future.map(lambda value: value + 1).join(other.filter(bool), other.reduce(add))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(made, 0.001)
        asyncio.get_running_loop().call_soon(future.set, 3)
        asyncio.get_running_loop().call_soon(other.set, [0, 4])
        return await made, set(threading.enumerate()) - before

    before = set(threading.enumerate())
    assert asyncio.run(wait()) == ([4, [4], 4], set())


@pytest.mark.parametrize("of", [PooledFuture.map, lambda _, f: f], ids=["mapped", "hook"])
def test_what_computes_a_future_may_raise_stop_iteration(future, of):
    def exhausted(_):
        return next(iter(()))

    async def wait():
        return await awaited

    awaited = future.map(exhausted)
    if of is not PooledFuture.map:
        awaited = PooledFuture()
        awaited.set_get_hook(exhausted)
    future.set(1)
    with pytest.raises(RuntimeError, match="StopIteration"):
        asyncio.run(wait())


def test_a_coroutine_that_gives_up_leaves_nothing_at_the_future(future):
    async def wait():
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(future, 0.001)

    asyncio.run(wait())
    assert not future._awaiting._waiters
    future.set(1)


def test_coroutines_of_many_loops_await_one_future_and_a_closed_loop_is_passed_over(future):
    begun = threading.Barrier(5, timeout=DEADLINE)

    async def wait(_):
        asyncio.get_running_loop().call_soon(begun.wait)
        return await future

    async def leave():
        task: Any = asyncio.create_task(wait_in_vain())
        await asyncio.sleep(0)
        task._log_destroy_pending = False  # meant
        return task

    async def wait_in_vain():
        await future

    closed = asyncio.new_event_loop()
    left = closed.run_until_complete(leave())
    closed.close()
    answers = []
    setting = threading.Thread(target=lambda: (begun.wait(), future.set(7)))
    setting.start()
    in_threads(4, lambda n: answers.append(asyncio.run(wait(n))))
    setting.join()
    assert answers == [7] * 4
    assert not left.done()


def test_an_actor_on_the_only_thread_is_asked_by_a_coroutine_of_its_system():
    with ActorSystem(workers=1) as system:
        ref = system.spawn(Recorder)

        async def ask():
            return await ref.ask("x", block=False), await ref.ask(lambda: 5, block=False)

        assert system.event_loop.run(ask()).result(DEADLINE) == ("x", 5)
