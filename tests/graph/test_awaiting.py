# mypy: disable-error-code="var-annotated"
"""Coroutines that await a run: any number, on any loop, in turn and at once."""

import asyncio
import gc
import threading
import weakref
from traceback import extract_tb

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def queued(system):
    """A run that ends when its queue, which is given too, is completed."""
    run = system.start(Source.queue(1).to(Sink.list()))
    return run, run.queue()


async def end_of(run):
    return await run


def futures():
    gc.collect()
    return sum(issubclass(type(one), asyncio.Future) for one in gc.get_objects())


def test_those_who_give_up_leave_nothing_behind(system):
    run, queue = queued(system)

    async def await_it(times):
        for _ in range(times):
            waiting = asyncio.create_task(end_of(run))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        return futures()

    before = asyncio.run(await_it(1))
    assert asyncio.run(await_it(100)) <= before
    queue.complete()
    assert run.result(SECONDS) == []


def test_all_who_await_one_run_on_whatever_loop_are_told_of_its_end(system):
    run, queue = queued(system)
    waiting, told = threading.Barrier(4), []

    async def several():
        tasks = [asyncio.create_task(end_of(run)) for _ in range(3)]
        await asyncio.sleep(0)
        waiting.wait(SECONDS)
        told.extend(await asyncio.gather(*tasks))

    threads = [threading.Thread(target=asyncio.run, args=[several()]) for _ in range(3)]
    for thread in threads:
        thread.start()
    waiting.wait(SECONDS)
    queue.put("x")
    queue.complete()
    for thread in threads:
        thread.join(SECONDS)
    assert told == [["x"]] * 9


def test_a_loop_that_was_closed_keeps_no_other_from_being_told(system, caplog):
    run, queue = queued(system)
    closed = asyncio.new_event_loop()
    left = closed.create_task(end_of(run))
    closed.run_until_complete(asyncio.sleep(0))
    closed.close()

    async def complete_it():
        waiting = asyncio.create_task(end_of(run))
        await asyncio.sleep(0)
        queue.complete()
        return await asyncio.wait_for(waiting, SECONDS)

    assert asyncio.run(complete_it()) == []
    assert not left.done()
    left._log_destroy_pending = False  # type: ignore[attr-defined]  # it was left on purpose
    assert not caplog.records


def test_a_failure_that_is_awaited_again_and_again_is_the_same_and_its_traceback_no_longer(system):
    run, _ = queued(system)
    error = KeyError("mine")

    async def failure(waiting):
        with pytest.raises(KeyError) as caught:
            await waiting
        assert caught.value is error
        return [frame.name for frame in extract_tb(caught.value.__traceback__)]

    async def failures():
        tasks = [asyncio.create_task(failure(run)) for _ in range(3)]
        await asyncio.sleep(0)
        run.abort(error)
        return await asyncio.gather(*tasks) + [await failure(run) for _ in range(3)]

    first, *others = asyncio.run(failures())
    assert others == [first] * 5


@pytest.mark.parametrize(
    "end_with",
    [
        lambda run: run.result(SECONDS),
        lambda run: asyncio.run(end_of(run)),
    ],
)
def test_an_error_that_ends_many_runs_keeps_none_but_the_last_one_alive(system, end_with):
    error = KeyError("mine")

    def failed():
        run, _ = queued(system)
        run.abort(error)
        with pytest.raises(KeyError):
            end_with(run)
        return weakref.ref(run), len(extract_tb(error.__traceback__))

    ended = [failed() for _ in range(5)]
    assert len({depth for _, depth in ended}) == 1
    before = [run for run, _ in ended[:-1]]  # the last one is in the traceback
    # The worker that ended a run may be on its way out of it still.
    wait_until(lambda: gc.collect() is not None and not any(run() for run in before))


@pytest.mark.parametrize("error", [TimeoutError("mine"), asyncio.InvalidStateError("mine")])
def test_the_exception_that_is_awaited_is_the_one_that_result_raises(system, error):
    run, _ = queued(system)

    async def wait():
        waiting = asyncio.create_task(end_of(run))
        await asyncio.sleep(0)
        run.abort(error)
        await waiting

    for waits in (lambda: asyncio.run(wait()), lambda: run.result(SECONDS)):
        with pytest.raises(type(error)) as caught:
            waits()
        assert caught.value is error


def test_a_coroutine_of_a_world_awaits_another_run_of_it():
    with World() as world:
        slow = world.start(Source.of(1, 2).delay(5.0).to(Sink.list()))

        async def behind(x):
            return x, await slow, await slow

        run = world.start(Source.of(0).map_async(behind, 1).to(Sink.list()))
        assert run.result() == [(0, [1, 2], [1, 2])]
        assert world.now >= 5.0
