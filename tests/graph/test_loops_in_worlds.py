"""Loops over sources in deterministic worlds: in each order, left early in every way."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from actors_rs import PooledActor, Source
from actors_rs.errors import StageError
from actors_rs.testing.explore import explore
from actors_rs.testing.leaks import no_leaks
from actors_rs.testing.world import World

LOOPS = 1_000


class Drawn:
    """A generator without an end, plain or async; it says when it was released."""

    def __init__(self) -> None:
        self.begun = self.released = 0

    def plain(self) -> Any:
        return Source.from_iterable(self._elements).map(self.checked)

    def awaited(self) -> Any:
        return Source.from_iterable(self._async_elements).map_async(self.looked_up, parallelism=2)

    def checked(self, x: int) -> int:
        if x == 20:
            raise ValueError("broken")
        return x

    async def looked_up(self, x: int) -> int:
        await asyncio.sleep(0.01)
        return self.checked(x)

    def _elements(self) -> Iterator[int]:
        self.begun += 1
        try:
            yield from range(10**9)
        finally:
            self.released += 1

    async def _async_elements(self) -> AsyncIterator[int]:
        self.begun += 1
        try:
            for x in range(10**9):
                await asyncio.sleep(0.01)
                yield x
        finally:
            await asyncio.sleep(0.01)
            self.released += 1


def broken(source: Any) -> None:
    for x in source:
        if x == 3:
            break


def raised(source: Any) -> None:
    with pytest.raises(KeyError):  # noqa: PT012 - the loop is what raises
        for _ in source:
            raise KeyError


def forgotten(source: Any) -> None:
    next(iter(source))


def closed(source: Any) -> None:
    with source.open() as elements:
        next(elements)
    assert list(elements) == []


def failed(source: Any) -> None:
    with pytest.raises(StageError, match="broken"):
        list(source.iterate(window=4))


def never_begun(source: Any) -> None:
    source.iterate()


def in_a_circle(source: Any) -> None:
    circle: list[Any] = [iter(source)]
    next(circle[0])
    circle.append(circle)
    del circle
    gc.collect()


async def async_broken(source: Any) -> None:
    async for x in source:
        if x == 3:
            break


async def async_raised(source: Any) -> None:
    with pytest.raises(KeyError):  # noqa: PT012 - the loop is what raises
        async for _ in source:
            raise KeyError


async def async_forgotten(source: Any) -> None:
    await anext(aiter(source))


async def async_closed(source: Any) -> None:
    async with source.open() as elements:
        await anext(elements)
    assert [x async for x in elements] == []


async def async_failed(source: Any) -> None:
    with pytest.raises(StageError, match="broken"):
        [x async for x in source]


async def cancelled(source: Any) -> None:
    async def loop() -> None:
        async for _ in source.take(3).append(Source.never()):
            pass

    task = asyncio.create_task(loop())
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def timed_out(source: Any) -> None:
    with pytest.raises(TimeoutError):  # noqa: PT012 - the loop is what raises
        async with asyncio.timeout(0.05):
            async for _ in source:
                await asyncio.sleep(0.02)


async def half_drawn(source: Any) -> None:
    async def doubled() -> AsyncIterator[int]:
        async for x in source:
            yield 2 * x

    generator: Any = doubled()
    await anext(generator)
    await generator.aclose()


class Looping(PooledActor):
    """Whose handler is the coroutine that loops."""

    async def on_receive(self, message: Any) -> Any:
        leave, source = message
        await leave(source)


LEAVE = [broken, raised, forgotten, closed, failed, never_begun]
LEAVE_ASYNC = [
    *(async_broken, async_raised, async_forgotten, async_closed, async_failed),
    *(cancelled, timed_out, half_drawn),
]


def left_behind(world: World, leave: Callable[..., Any]) -> None:
    drawn = Drawn()
    source = world.pick("source", (drawn.plain, drawn.awaited))()
    if leave in LEAVE_ASYNC:
        world.spawn(Looping).ask((leave, source), timeout=60.0)
    else:
        leave(source)
    source = None
    world.sleep(5.0)
    assert drawn.begun == drawn.released, "a generator was left"
    assert world._coroutines.waits() == [], "a task was left"
    runs = [scope for scope in world.system.scopes if not scope.end.is_over]
    assert not runs, "a run goes on"
    kinds = {type(actor).__name__ for actor in world.system.children()}
    assert kinds <= {"Looping"}, f"actors were left: {kinds}"


@pytest.mark.parametrize("leave", [*LEAVE, *LEAVE_ASYNC])
def test_a_loop_that_is_left_early_in_any_order_leaves_nothing_behind(leave):
    @explore(runs=LOOPS // 10, faults=0)
    def loops(world):
        left_behind(world, leave)

    with no_leaks():
        loops()


@pytest.mark.parametrize("leave", [broken, forgotten, async_broken, cancelled])
def test_a_thousand_loops_in_one_world_leave_nothing_behind(leave):
    with no_leaks(), World(most_steps=10**7) as world:
        for _ in range(LOOPS // 4):
            left_behind(world, leave)


def test_a_loop_in_a_circle_is_cancelled_when_the_collector_finds_it():
    with no_leaks(), World() as world:
        left_behind(world, in_a_circle)
