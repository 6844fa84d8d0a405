# mypy: disable-error-code="var-annotated, func-returns-value"
"""``Sink.queue``: elements that other threads and coroutines get, bounded, ended by the run."""

import asyncio
import threading

import pytest

from actors_rs import ActorSystem, Graph, Sink, Source
from actors_rs.errors import (
    BlockingError,
    EndOfStreamError,
    GraphError,
    InvalidArgumentError,
    RunCancelled,
    StageError,
)
from tests.graph.helpers import SECONDS, wait_until


def started(system, source, capacity=4):
    run = system.start(source.to(Sink.queue(capacity)))
    return run, run.sink_queue()


@pytest.mark.parametrize("capacity", [1, 2, 3, 100])
def test_each_element_can_be_got_in_order_and_then_the_end_comes(shared, capacity):
    run, queue = started(shared, Source.range(0, 50), capacity)
    assert [queue.get(SECONDS) for _ in range(50)] == list(range(50))
    for _ in range(2):
        with pytest.raises(EndOfStreamError, match="the stream has completed"):
            queue.get()
    assert run.result(SECONDS) == 50


def test_upstream_waits_when_the_queue_is_full(shared):
    given = []
    source = Source.from_iterable(lambda: iter(lambda: given.append(1) or len(given), 0))
    source = source.map(lambda x: x).with_attributes(window=1)
    run, queue = started(shared, source, capacity=3)
    wait_until(lambda: len(queue) == 3)
    before = len(given)
    assert queue.get(SECONDS) == 1
    assert before < 100
    run.cancel()
    assert run.wait(SECONDS)


def test_the_error_of_the_run_comes_after_the_elements_before_it(shared):
    _, queue = started(shared, Source.range(-3, 9).map(lambda x: 1 // x))
    assert [queue.get(SECONDS) for _ in range(3)] == [-1, -1, -1]
    for _ in range(2):
        with pytest.raises(StageError, match="ZeroDivisionError"):
            queue.get(SECONDS)


def test_a_cancelled_run_is_told_to_whoever_waits(shared):
    run, queue = started(shared, Source.never())
    threading.Timer(0.02, run.cancel).start()
    with pytest.raises(RunCancelled):
        queue.get(SECONDS)


def test_a_wait_is_over_after_its_time_and_the_stream_goes_on(shared):
    run, queue = started(shared, Source.never())
    with pytest.raises(TimeoutError, match="got no element within"):
        queue.get(0.01)
    with pytest.raises(TimeoutError, match="got no element within"):
        asyncio.run(queue.get_async(0.01))
    with pytest.raises(InvalidArgumentError):
        queue.get(timeout="soon")
    assert run.state == "running"
    run.cancel()


def test_several_threads_get_each_element_once(shared):
    _, queue = started(shared, Source.range(0, 3000), capacity=5)
    got = []
    threads = [threading.Thread(target=lambda: got.extend(queue)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert sorted(got) == list(range(3000))


def test_several_coroutines_get_each_element_once(shared):
    _, queue = started(shared, Source.range(0, 300), capacity=5)

    async def part():
        return [x async for x in queue]

    async def all_parts():
        return await asyncio.gather(*[part() for _ in range(4)])

    parts = asyncio.run(all_parts())
    assert sorted(x for part in parts for x in part) == list(range(300))


def test_a_coroutine_that_gives_up_has_taken_nothing(shared):
    run = shared.start(Source.queue(4).to(Sink.queue(4)))
    queue = run.sink_queue()

    async def gets():
        waiting = asyncio.create_task(queue.get_async())
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait([waiting])
        await run.queue().put_async(1)
        return await queue.get_async(SECONDS)

    assert asyncio.run(gets()) == 1
    run.cancel()


def test_get_where_it_must_not_wait_says_what_to_write(shared):
    run, queue = started(shared, Source.of(1))

    async def gets():
        with pytest.raises(BlockingError, match=r"write `await queue.get_async\(\)`$"):
            queue.get()

    asyncio.run(gets())
    run.result(SECONDS)
    assert queue.get() == 1
    run, queue = started(shared, Source.never())
    with pytest.raises(StageError, match=r"empty queue .* would block a thread that actors"):
        shared.start(Source.of(1).map(lambda _: queue.get()).to(Sink.ignore())).result(SECONDS)
    run.cancel()


def test_a_run_that_drains_ends_though_nobody_gets():
    with ActorSystem(workers=2) as system:
        run, queue = started(system, Source.from_iterable(iter(int, 1)).map(lambda x: x), 2)
        wait_until(lambda: len(queue) == 2)
    assert run.state == "completed"
    assert len(list(queue)) == run.result()


def test_the_queue_of_one_of_several_sinks_is_found_by_its_name(shared):
    left, right = Source.range(0, 4).broadcast(2)
    both = left.to(Sink.queue(9).named("left")), right.to(Sink.queue(9).named("right"))
    run = shared.start(Graph(*both))
    assert list(run.sink_queue("left")) == list(run.sink_queue("right")) == [0, 1, 2, 3]
    with pytest.raises(GraphError, match=r"expected one Sink.queue in this run, there is 'left'"):
        run.sink_queue()
    with pytest.raises(GraphError, match="there is none"):
        shared.start(Source.of(1).to(Sink.list())).sink_queue()
