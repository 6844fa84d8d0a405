"""``async for x in source``: a run whose demand is a coroutine's loop, and that ends with it."""

import asyncio
import gc
import threading

import pytest

from actors_rs import Source
from actors_rs.errors import StageError
from actors_rs.testing.leaks import no_leaks
from tests.graph.helpers import SECONDS
from tests.graph.test_iteration import Endless


async def all_of(elements):
    return [x async for x in elements]


@pytest.mark.parametrize("window", [1, 2, 16, 1000])
def test_a_loop_gets_each_element_in_order(window):
    source = Source.range(0, 300).map(str)
    assert asyncio.run(all_of(source.iterate(window=window))) == [*map(str, range(300))]
    assert asyncio.run(all_of(source)) == [*map(str, range(300))]


def test_no_more_is_made_than_the_window_says():
    endless = Endless()

    async def loop():
        async with endless.source().map(str).open(window=4) as elements:
            for taken in range(1, 100):
                await anext(elements)
                assert endless.given <= taken + 4

    asyncio.run(loop())
    assert endless.released.is_set(), "leaving the block waits for the end of the run"


def test_an_error_of_the_run_comes_after_the_elements_before_it():
    got = []

    async def loop():
        async for x in Source.range(-100, 200).map(lambda x: 1 / x):
            got.append(x)

    with pytest.raises(StageError, match="at element 100: ZeroDivisionError"):
        asyncio.run(loop())
    assert len(got) == 100


def test_other_coroutines_have_their_turns_beside_a_fast_stream():
    turns = 0

    async def beside():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def loop():
        task = asyncio.create_task(beside())
        async for _ in Source.range(0, 10_000).iterate(window=100):
            pass
        task.cancel()

    asyncio.run(loop())
    assert turns > 50


async def broken(endless):
    async for _ in endless.source():
        break


async def raised(endless):
    with pytest.raises(KeyError):  # noqa: PT012 - the loop is what raises
        async for _ in endless.source():
            raise KeyError


async def forgotten(endless):
    await anext(aiter(endless.source()))


async def cancelled(endless):
    begun = asyncio.Event()

    async def loop():
        async for _ in endless.source().append(Source.never()):
            begun.set()

    task = asyncio.create_task(loop())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def timed_out(endless):
    with pytest.raises(TimeoutError):  # noqa: PT012 - the loop is what raises
        async with asyncio.timeout(None) as limit:
            async for _ in endless.source():
                limit.reschedule(0)


async def on_another_thread(endless):
    elements = [aiter(endless.source())]
    await anext(elements[0])
    await asyncio.to_thread(elements.clear)


async def closed(endless):
    async with endless.source().open() as elements:
        await anext(elements)
    assert [x async for x in elements] == []


LEFT = [broken, raised, forgotten, cancelled, timed_out, on_another_thread, closed]


@pytest.mark.parametrize("leave", LEFT)
def test_a_loop_that_is_left_early_cancels_its_run(leave):
    endless = Endless()
    with no_leaks(SECONDS):
        asyncio.run(leave(endless))
        assert endless.released.wait(SECONDS)


def test_an_iteration_that_outlives_its_event_loop_is_cancelled_when_it_is_forgotten():
    endless = Endless()

    async def begin():
        elements = aiter(endless.source())
        await anext(elements)
        return elements

    with no_leaks(SECONDS):
        elements = asyncio.run(begin())
        assert not endless.released.is_set()
        del elements
        gc.collect()
        assert endless.released.wait(SECONDS)


def test_an_async_generator_around_a_loop_that_is_left_cancels_its_run():
    endless = Endless()

    async def doubled():
        async for x in endless.source():
            yield 2 * x

    async def loop():
        async for x in doubled():
            if x > 10:
                break
        gc.collect()

    with no_leaks(SECONDS):
        asyncio.run(loop())
        assert endless.released.wait(SECONDS)


def test_a_wait_that_timed_out_loses_no_element():
    async def loop():
        gate = threading.Event()

        def held(x):
            gate.wait(SECONDS)
            return x

        elements = Source.of(1, 2).map(held).iterate()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(elements), 0.02)
        gate.set()
        assert [x async for x in elements] == [1, 2]

    asyncio.run(loop())


@pytest.mark.parametrize("leave", [broken, raised, forgotten, cancelled])
def test_a_thousand_loops_left_early_leave_nothing_behind(leave):
    async def loops():
        for _ in range(250):
            await leave(Endless())
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with no_leaks(SECONDS):
        asyncio.run(loops())
