# mypy: disable-error-code="no-untyped-call"
"""Runs and loops on asyncio and on trio, through anyio."""

import anyio
import pytest

from actors_rs import Sink, Source
from actors_rs.errors import StageError
from actors_rs.interop.anyio import iterate, run_async
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

    with no_leaks():
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

    with no_leaks():
        anyio.run(main, backend=backend)


@BACKENDS
def test_a_scope_that_is_cancelled_cancels_the_run_and_waits_for_its_end(backend):
    awaited, looped = Endless(), Endless()

    async def main():
        with anyio.move_on_after(0.02) as scope:
            await run_async(awaited.source().to(Sink.ignore()))
        assert scope.cancelled_caught
        assert awaited.released.is_set()
        with anyio.move_on_after(0.02) as scope:
            async with iterate(looped.source().append(Source.never())) as elements:
                async for _ in elements:
                    await anyio.sleep(0)
        assert scope.cancelled_caught
        assert looped.released.is_set()

    with no_leaks():
        anyio.run(main, backend=backend)


@BACKENDS
def test_a_loop_that_is_left_early_cancels_its_run(backend):
    endless = Endless()

    async def main():
        for _ in range(50):
            async for _ in iterate(endless.source()):
                break

    with no_leaks():
        anyio.run(main, backend=backend)
        assert endless.released.wait(SECONDS)
