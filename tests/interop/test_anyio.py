# mypy: disable-error-code="no-untyped-call"
"""Runs and loops on asyncio and on trio, through anyio."""

import asyncio
import re
from typing import Any

import anyio
import pytest
import trio

from actors_rs import ActorSystem, PooledActor, Sink, Source
from actors_rs.errors import BlockingError, IllegalStateError, StageError
from actors_rs.interop.anyio import ask_async, iterate, run_async
from actors_rs.testing.leaks import no_leaks
from tests.graph.helpers import SECONDS
from tests.graph.test_iteration import Endless

BACKENDS = pytest.mark.parametrize("backend", ["asyncio", "trio"])


@BACKENDS
def test_a_graph_is_awaited_and_its_error_raised(backend):
    async def main():
        assert await run_async(Source.range(0, 100).map(lambda x: 2 * x).to(Sink.sum())) == 9900
        with pytest.raises(StageError, match="ZeroDivisionError"):
            await run_async(Source.of(0).map(lambda x: 1 / x).to(Sink.list()))

    with no_leaks(SECONDS):
        anyio.run(main, backend=backend)


@BACKENDS
def test_a_loop_gets_each_element_and_then_the_error(backend):
    async def main():
        assert [x async for x in iterate(Source.range(0, 500))] == list(range(500))
        got = []
        with pytest.raises(StageError, match="ZeroDivisionError"):  # noqa: PT012 - the loop raises
            async for x in iterate(Source.range(-3, 9).map(lambda x: 1 // x)):
                got.append(x)
        assert got == [-1, -1, -1]

    with no_leaks(SECONDS):
        anyio.run(main, backend=backend)


@BACKENDS
def test_a_scope_that_is_cancelled_cancels_the_run_and_waits_for_its_end(backend):
    awaited, looped = Endless(), Endless()

    async def main():
        async with anyio.create_task_group() as group:
            group.start_soon(run_async, awaited.source().to(Sink.ignore()))
            while not awaited.given:
                await anyio.sleep(0.001)
            group.cancel_scope.cancel()
        assert group.cancel_scope.cancelled_caught
        assert awaited.released.is_set()
        with anyio.CancelScope() as scope:
            async with iterate(looped.source().append(Source.never())) as elements:
                async for _ in elements:
                    scope.cancel()
                    await anyio.sleep(0)
        assert scope.cancelled_caught
        assert looped.released.is_set()

    with no_leaks(SECONDS):
        anyio.run(main, backend=backend)


@BACKENDS
def test_a_loop_that_is_left_early_cancels_its_run(backend):
    endless = Endless()

    async def main():
        for _ in range(50):
            async for _ in iterate(endless.source()):
                break

    with no_leaks(SECONDS):
        anyio.run(main, backend=backend)
        assert endless.released.wait(SECONDS)


class Clerk(PooledActor):
    async def on_receive(self, message: Any) -> Any:
        if message is None:
            await asyncio.Event().wait()
        return 2 * message


@BACKENDS
def test_an_actor_is_asked_and_a_late_answer_names_it(backend):
    async def main():
        ref = outer.spawn(Clerk)
        assert await ask_async(ref, 21, timeout=SECONDS) == 42
        with pytest.raises(TypeError):
            await ask_async(ref, {}, timeout=SECONDS)
        with pytest.raises(TimeoutError, match=r"Clerk .* gave no answer to None .* it awaits"):
            await ask_async(ref, None, timeout=0.02)
        outer.stop_soon()

    with ActorSystem() as outer:
        anyio.run(main, backend=backend)


def run_it() -> None:
    Source.of(1).to(Sink.list()).run()


def loop_over_it() -> None:
    for _ in Source.of(1):
        pass


def open_it() -> None:
    with Source.of(1).open():
        pass


def leave_a_system() -> None:
    with ActorSystem():
        pass


def wait_for_a_result() -> None:
    system().start(Source.never().to(Sink.ignore())).result()


def put_something() -> None:
    queue = system().start(Source.queue(1).to(Sink.ignore())).queue()
    queue.put(1)


def get_something() -> None:
    queue = system().start(Source.never().to(Sink.queue(1))).sink_queue()
    queue.get()


_systems: list[ActorSystem] = []


def system() -> ActorSystem:
    return _systems[-1]


@pytest.mark.parametrize(
    ("call", "instead"),
    [
        (run_it, "await run_async(graph)"),
        (loop_over_it, "async for x in iterate(source)"),
        (open_it, "async for x in iterate(source)"),
        (leave_a_system, "with ActorSystem(): trio.run(main)"),
        (wait_for_a_result, "await trio.to_thread.run_sync(run.result)"),
        (put_something, "await trio.to_thread.run_sync(queue.put, ...)"),
        (get_something, "await trio.to_thread.run_sync(queue.get)"),
    ],
)
def test_a_call_that_would_block_trio_says_what_to_write_instead(call, instead):
    async def main():
        with pytest.raises(BlockingError, match=re.escape(f"write `{instead}`")):
            call()
        # The same call is right on another thread.
        if call in (run_it, loop_over_it, open_it, leave_a_system):
            await trio.to_thread.run_sync(call)

    with ActorSystem() as outer:
        _systems.append(outer)
        trio.run(main)
        _systems.pop()
        outer.stop_soon()


def test_what_is_awaited_on_asyncio_alone_says_so_on_trio():
    async def main():
        run = outer.start(Source.never().to(Sink.ignore()))
        says = r"needs an event loop of asyncio, got trio's: await what 'actors_rs\.interop\.anyio'"
        with pytest.raises(IllegalStateError, match=says):
            await run
        with pytest.raises(IllegalStateError, match=says):
            await outer.spawn(Clerk).ask_async(1)
        outer.stop_soon()

    with ActorSystem() as outer:
        trio.run(main)
