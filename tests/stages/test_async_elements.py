"""The coroutine that draws an async iterable, on a loop of its own."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from actors_rs.stages.calls.async_elements import AsyncElements


class OnThisLoop:
    """Surroundings of a stage that shares a thread with the loop."""

    def __init__(self) -> None:
        self.tasks: list[asyncio.Task[Any]] = []

    def post(self, action: Callable[[], None], /) -> None:
        """The stage looks when the test does."""

    def now(self) -> float:
        return 0.0

    def run_coroutine(self, coroutine: Any, /) -> None:
        self.tasks.append(asyncio.get_running_loop().create_task(coroutine))


async def numbers() -> AsyncIterator[int]:
    for number in range(10):
        yield number


async def turns_of_the_loop(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def test_a_wake_up_for_earlier_demand_draws_no_element_beyond_demand() -> None:
    async def case() -> list[int]:
        surroundings = OnThisLoop()
        elements = AsyncElements(numbers(), "numbers", surroundings)
        elements.start()
        await turns_of_the_loop(2)  # it waits for demand
        elements.grant(1)
        # Behind the wake-up, ahead of the coroutine: it learns of this demand twice.
        asyncio.get_running_loop().call_soon(elements.grant, 2)
        await turns_of_the_loop(20)
        taken = elements.take()
        elements.stop()
        await asyncio.gather(*surroundings.tasks, return_exceptions=True)
        return taken

    assert asyncio.run(case()) == [0, 1]
