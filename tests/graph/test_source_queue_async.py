# mypy: disable-error-code="union-attr, var-annotated, misc"
"""``SourceQueue`` on an event loop: ``put_async`` waits there, ``put`` says so."""

import asyncio
import threading

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import BlockingError, BufferOverflowError, IllegalStateError
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.test_source_queue import stuck


def test_put_on_a_thread_with_a_running_loop_says_what_to_write(shared):
    run = shared.start(Source.queue(4).to(Sink.list()))

    async def puts():
        with pytest.raises(BlockingError, match=r"write `await queue.put_async\(\.\.\.\)`$"):
            run.queue().put(1)
        await run.queue().put_async(2)
        assert run.queue().offer(3)
        run.queue().complete()
        return await run

    assert asyncio.run(puts()) == [2, 3]


def test_put_that_never_waits_is_allowed_on_a_loop(shared):
    run = shared.start(Source.queue(4, "drop_newest").to(Sink.list()))

    async def puts():
        run.queue().put(1)
        run.queue().complete()
        return await run

    assert asyncio.run(puts()) == [1]


def test_put_async_waits_for_room_and_the_loop_goes_on(shared):
    run, queue, held = stuck(shared, capacity=2)

    async def puts():
        putting = asyncio.create_task(queue.put_async(9))
        for _ in range(100):
            await asyncio.sleep(0)
        assert not putting.done()
        held.set()
        await asyncio.wait_for(putting, SECONDS)
        queue.complete()

    asyncio.run(puts())
    assert run.result(SECONDS) == 5


def test_many_loops_lose_and_double_nothing(shared):
    run = shared.start(Source.queue(3).to(Sink.list().with_attributes(window=2)))
    queue = run.queue()

    async def puts(first):
        await asyncio.gather(*(queue.put_async(first + n) for n in range(100)))

    threads = [
        threading.Thread(target=lambda first=k * 100: asyncio.run(puts(first))) for k in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    queue.complete()
    assert sorted(run.result(SECONDS)) == [*range(300)]


def test_a_task_that_is_cancelled_has_not_handed_its_element_in(shared):
    run, queue, held = stuck(shared, capacity=1)

    async def puts():
        putting = asyncio.create_task(queue.put_async(9))
        await asyncio.sleep(0)
        putting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await putting

    asyncio.run(puts())
    assert not queue._awaiting._waiters
    held.set()
    queue.complete()
    assert run.result(SECONDS) == 3


def test_no_room_in_time_is_a_timeout_that_says_what_to_do(shared):
    run, queue, held = stuck(shared, capacity=1)
    with pytest.raises(TimeoutError, match=r"had no room within 0.01 seconds: it holds 1 elements"):
        asyncio.run(queue.put_async(9, 0.01))
    held.set()
    queue.complete()
    assert run.result(SECONDS) == 3


@pytest.mark.parametrize("end", ["cancel", "complete"])
def test_who_waits_hears_of_the_end(shared, end):
    run, queue, held = stuck(shared, capacity=1)

    async def puts():
        putting = asyncio.create_task(queue.put_async(9))
        await asyncio.sleep(0)
        (run if end == "cancel" else queue).__getattribute__(end)()
        with pytest.raises(IllegalStateError, match="takes nothing more"):
            await asyncio.wait_for(putting, SECONDS)

    asyncio.run(puts())
    held.set()
    assert run.wait(SECONDS)


def test_put_async_raises_what_put_raises(shared):
    run, queue, held = stuck(shared, 1, "fail")
    with pytest.raises(BufferOverflowError):
        asyncio.run(queue.put_async(9))
    held.set()
    assert run.wait(SECONDS)
    with pytest.raises(ValueError, match="timeout"):
        asyncio.run(queue.put_async(9, float("nan")))


def test_it_is_fed_by_coroutines_of_the_system_itself(shared):
    run = shared.start(Source.queue(2).to(Sink.list().with_attributes(window=1)))

    async def feeds(n):
        await run.queue().put_async(n)

    shared.start(Source.range(0, 50).map_async(feeds, 1).to(Sink.ignore())).result(SECONDS)
    wait_until(lambda: not len(run.queue()))
    run.queue().complete()
    assert run.result(SECONDS) == [*range(50)]
