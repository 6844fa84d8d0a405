# mypy: disable-error-code="var-annotated, misc"
"""The timers of coroutines in a world: called in the order of asyncio, however late they are."""

import asyncio

import pytest

from actors_rs import Sink, Source
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World

pytestmark = pytest.mark.filterwarnings("error")
SEEDS = range(60)


def called(then, seeds=SEEDS):
    """What `then(loop, call)` calls `call` with, run by run."""
    for seed in seeds:
        got = []

        async def call(x, got=got):
            await then(asyncio.get_running_loop(), got.append)

        with World(RandomWalk(seed)) as world:
            flow = Source.of(1).map_async(call, parallelism=1).to(Sink.list())
            world.start(flow).result()
        yield got


def test_timers_of_a_loop_are_called_in_the_order_in_which_they_are_due():
    async def then(loop, call):
        done = loop.create_future()
        loop.call_later(3, done.set_result, None)
        loop.call_later(2, call, "second")
        loop.call_later(1, call, "first")
        await done

    assert all(got == ["first", "second"] for got in called(then))


def test_timers_of_a_loop_that_are_due_together_are_called_in_the_order_of_their_making():
    async def then(loop, call):
        done = loop.create_future()
        for name in "abc":
            loop.call_at(1.0, call, name)
        loop.call_at(1.0, done.set_result, None)
        await done

    assert all(got == ["a", "b", "c"] for got in called(then))


def test_a_timer_that_is_cancelled_takes_no_other_one_with_it():
    async def then(loop, call):
        done = loop.create_future()
        handles = {}

        def cancel(*names):
            call(names)
            for name in names:
                handles[name].cancel()

        handles["b"] = loop.call_later(2, call, "b")
        handles["a"] = loop.call_later(1, cancel, "a", "b")
        handles["c"] = loop.call_later(3, call, "c")
        handles["d"] = loop.call_later(4, cancel, "c", "e")
        handles["e"] = loop.call_later(5, call, "e")
        loop.call_later(6, done.set_result, None)
        await done

    assert all(got == [("a", "b"), "c", ("c", "e")] for got in called(then, range(300)))


async def with_timeout(loop, call):
    try:
        async with asyncio.timeout(0.05):
            await asyncio.sleep(0.1)
    except TimeoutError:
        call("too late")


async def with_wait_for(loop, call):
    try:
        await asyncio.wait_for(asyncio.sleep(0.1), 0.05)
    except TimeoutError:
        call("too late")


async def with_as_completed(loop, call):
    task = asyncio.ensure_future(asyncio.sleep(0.1))
    try:
        for one in asyncio.as_completed([task], timeout=0.05):
            await one
    except TimeoutError:
        call("too late")
    await task


@pytest.mark.parametrize("then", [with_timeout, with_wait_for, with_as_completed])
def test_a_timeout_comes_before_what_takes_longer(then):
    assert all(got == ["too late"] for got in called(then, range(200)))


def test_a_timer_in_the_past_does_not_turn_time_back():
    async def then(loop, call):
        done = loop.create_future()
        await asyncio.sleep(2)
        loop.call_later(-1, done.set_result, None)
        await done
        call(loop.time())

    assert all(got == [2.0] for got in called(then))


def test_how_late_a_timer_of_a_loop_is_remains_free():
    def order(seed):
        told = []

        async def sleep(x):
            await asyncio.sleep(1)
            told.append("coroutine")

        with World(RandomWalk(seed)) as world:
            world.system.timers.after(1.0, lambda: told.append("first"))
            world.system.timers.after(2.0, lambda: told.append("second"))
            flow = Source.of(1).map_async(sleep, parallelism=1).to(Sink.list())
            world.start(flow).result()
            world.sleep(9)
        return tuple(told)

    orders = {order(seed) for seed in range(300)}
    assert {told.index("coroutine") for told in orders} == {0, 1, 2}
