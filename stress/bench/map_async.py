"""``map_async`` over something that waits 10 ms, 100 at a time, against the ideal time.

What one would write without the package is measured beside it, as information.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

from actors_rs import ActorSystem, Sink, Source
from stress.bench.measuring.harness import Contestant, Figure, at_most, count, in_turn

__all__ = ["measure"]

WAIT = 0.01
PARALLELISM = 100


def blocking(x: int) -> int:
    time.sleep(WAIT)
    return x


async def awaiting(x: int) -> int:
    await asyncio.sleep(WAIT)
    return x


def by_executor(n: int) -> None:
    with ThreadPoolExecutor(PARALLELISM) as executor:
        for _ in executor.map(blocking, range(n)):
            pass


def by_asyncio(n: int) -> None:
    """As many workers as may run at a time, over one iterator."""

    async def work() -> None:
        for x in numbers:
            await awaiting(x)

    async def main() -> None:
        await asyncio.gather(*(work() for _ in range(PARALLELISM)))

    numbers = iter(range(n))
    asyncio.run(main())


def measure(scale: float) -> list[Figure]:
    n = count(scale, 5_000)
    ideal = WAIT * n / PARALLELISM
    with ActorSystem() as system:
        runs: list[Contestant] = [
            (_run(system, blocking, n), 1),
            (_run(system, awaiting, n), 1),
            (lambda: by_executor(n), 1),
            (lambda: by_asyncio(n), 1),
        ]
        took = [median(seconds) for seconds in in_turn(5, runs)]
    work = f"{n:,} times 10 ms, {PARALLELISM} at a time"
    names = ("map_async, time.sleep", "map_async, asyncio.sleep")
    by_hand = ("ThreadPoolExecutor, time.sleep", "asyncio by hand, asyncio.sleep")
    return [
        Figure(f"{name}, {work}", "ideal", f"{s:.3f} s", f"{ideal:.3f} s", s / ideal, goal=goal)
        for name, s, goal in zip(
            (*names, *by_hand), took, (at_most(1.15), at_most(1.15), None, None), strict=True
        )
    ]


def _run(system: ActorSystem, f: Callable[[int], Any], n: int) -> Callable[[], object]:
    graph = Source.range(0, n).map_async(f, parallelism=PARALLELISM).to(Sink.count())
    return lambda: system.start(graph).result()
