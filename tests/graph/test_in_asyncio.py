"""Runs inside asyncio: nothing here blocks the event loop, and what would says what to write."""

import asyncio
import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import BlockingError, RunCancelled, RunTimeout, StageError
from actors_rs.testing.leaks import no_leaks
from tests.graph.helpers import SECONDS
from tests.graph.test_iteration import Endless

GRAPH = Source.range(0, 100).map(lambda x: 2 * x).to(Sink.sum())


async def begun(endless):
    while not endless.given:
        await asyncio.sleep(0)


class Held:
    """A function that is begun and does not return until it is let go."""

    def __init__(self):
        self.begun, self.release = threading.Event(), threading.Event()

    def __call__(self, _):
        self.begun.set()
        return self.release.wait(SECONDS)

    async def is_begun(self):
        while not self.begun.is_set():
            await asyncio.sleep(0)


def test_a_graph_is_awaited_in_the_default_system_and_in_that_of_the_block():
    async def main():
        assert await GRAPH.run_async() == 9900
        assert await Source.of(1, 2).run_async(Sink.list()) == [1, 2]
        async with ActorSystem() as system:
            assert await GRAPH.run_async() == 9900
            run = system.start(GRAPH)
            assert await run == 9900
        assert not system.is_open

    with no_leaks(SECONDS):
        asyncio.run(main())


def test_what_the_run_fails_with_is_raised():
    async def main():
        with pytest.raises(StageError, match="ZeroDivisionError"):
            await Source.of(0).map(lambda x: 1 / x).run_async(Sink.list())

    asyncio.run(main())


def test_a_block_that_ends_delivers_what_is_in_hand_and_the_loop_goes_on():
    held, turns = Held(), list[int]()

    async def main():
        async with ActorSystem(workers=2) as system:
            run = system.start(Source.of(1, 2).map(held).to(Sink.list()))
            await held.is_begun()
            asyncio.get_running_loop().call_later(0.02, turns.append, 1)
            asyncio.get_running_loop().call_later(0.04, held.release.set)
        assert run.result() == [True, True]
        assert turns == [1]

    with no_leaks(SECONDS):
        asyncio.run(main())


def test_a_block_that_an_error_leaves_cancels_and_raises_it():
    async def main():
        with pytest.raises(KeyError):  # noqa: PT012 - the block is what raises
            async with ActorSystem() as system:
                run = system.start(Endless().source().to(Sink.ignore()))
                raise KeyError
        with pytest.raises(RunCancelled):
            run.result()

    with no_leaks(SECONDS):
        asyncio.run(main())


def test_a_task_that_is_cancelled_in_its_block_cancels_the_runs():
    endless = Endless()

    async def main():
        async def leave():
            async with ActorSystem() as system:
                system.start(endless.source().append(Source.never()).to(Sink.ignore()))
                await asyncio.sleep(SECONDS)

        task = asyncio.create_task(leave())
        await begun(endless)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert endless.released.is_set()

    with no_leaks(SECONDS):
        asyncio.run(main())


def test_a_cancelled_task_cancels_its_run_and_waits_for_the_end():
    endless = Endless()

    async def main():
        task = asyncio.create_task(endless.source().run_async(Sink.ignore()))
        await begun(endless)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert endless.released.is_set()

    with no_leaks(SECONDS):
        asyncio.run(main())


def test_a_timeout_around_a_run_cancels_it():
    endless = Endless()

    async def expire_once_begun(limit):
        await begun(endless)
        limit.reschedule(0)

    async def main():
        with pytest.raises(TimeoutError):  # noqa: PT012 - the block is what raises
            async with asyncio.timeout(None) as limit, asyncio.TaskGroup() as tasks:
                tasks.create_task(expire_once_begun(limit))
                await endless.source().run_async(Sink.ignore())
        assert endless.released.is_set()

    with no_leaks(SECONDS):
        asyncio.run(main())


def test_a_time_of_its_own_names_what_the_run_waited_for():
    async def main():
        with pytest.raises(RunTimeout, match="it waited for") as late:
            await Source.never().run_async(Sink.ignore(), timeout=0.02)
        assert late.value.seconds == 0.02

    with no_leaks(SECONDS):
        asyncio.run(main())


def test_a_timeout_that_the_run_fails_with_is_no_timeout_of_the_run():
    def fails(_):
        raise TimeoutError("of its own")

    async def main():
        with pytest.raises(StageError, match="of its own"):
            await Source.of(1).map(fails).run_async(Sink.ignore(), timeout=SECONDS)

    asyncio.run(main())


def test_a_run_is_cancelled_or_drained_and_its_end_awaited():
    endless, drained = Endless(), Endless()

    async def main():
        async with ActorSystem() as system:
            run = system.start(endless.source().to(Sink.ignore()))
            await begun(endless)
            await run.cancelled()
            assert run.state == "cancelled"
            assert endless.released.is_set()
            await run.cancelled()
            run = system.start(drained.source().to(Sink.ignore()))
            await begun(drained)
            assert await run.drain_async(SECONDS)
            assert run.state == "completed"
            held = Held()
            stuck = system.start(Source.of(1).map(held).to(Sink.list()))
            await held.is_begun()
            assert not await stuck.drain_async(0.02)
            held.release.set()
            assert await stuck.drain_async()

    asyncio.run(main())


def test_what_would_block_the_event_loop_says_what_to_write():
    async def main(run):
        with pytest.raises(BlockingError, match=r"write `await graph.run_async\(\)`$"):
            GRAPH.run()
        with pytest.raises(BlockingError, match=r"write `await graph.run_async\(\)`$"):
            Source.of(1).run(Sink.list())
        with pytest.raises(BlockingError, match=r"write `await run`$"):
            run.result()
        with pytest.raises(BlockingError, match=r"write `async with ActorSystem\(\)`$"):
            with ActorSystem():
                pass

    with no_leaks(), ActorSystem() as system:
        run = system.start(Source.never().to(Sink.ignore()))
        asyncio.run(main(run))
        run.cancel()


def test_leaving_a_block_of_elsewhere_on_an_event_loop_cancels_and_says_what_to_write():
    system = ActorSystem()
    system.__enter__()
    run = system.start(Source.never().to(Sink.ignore()))

    async def main():
        with pytest.raises(BlockingError, match=r"write `async with ActorSystem\(\)`$"):
            system.__exit__(None, None, None)
        with pytest.raises(RunCancelled):
            await run

    asyncio.run(main())
    system.shutdown()


def test_a_system_that_was_entered_outside_serves_an_event_loop_inside():
    async def main():
        return await GRAPH.run_async()

    with ActorSystem() as system:
        assert asyncio.run(main()) == 9900
        assert system.is_open


@pytest.mark.parametrize("leave", ["cancelled", "timed out"])
def test_a_thousand_runs_left_early_leave_nothing_behind(leave):
    async def main():
        for _ in range(500):
            awaited = Endless().source().run_async(Sink.ignore())
            if leave == "cancelled":
                task = asyncio.create_task(awaited)
                await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait([task])
            else:
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(awaited, 0.001)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with no_leaks(SECONDS):
        asyncio.run(main())
