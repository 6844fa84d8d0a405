"""``map_async`` over something that waits 10 ms, 100 at a time, against the ideal time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from actors_rs import ActorSystem, Sink, Source
from stress.bench.harness import Figure, at_most, count, in_turn

__all__ = ["measure"]

WAIT = 0.01
PARALLELISM = 100


def blocking(x: int) -> int:
    time.sleep(WAIT)
    return x


async def awaiting(x: int) -> int:
    await asyncio.sleep(WAIT)
    return x


def measure(scale: float) -> list[Figure]:
    n = count(scale, 5_000)
    ideal = WAIT * n / PARALLELISM
    figures = []
    for name, f in (("time.sleep on threads", blocking), ("asyncio.sleep", awaiting)):
        with ActorSystem() as system:
            (times,) = in_turn(5, [(_run(system, f, n), 1)])
        what = f"map_async, {PARALLELISM} at a time, {n:,} times 10 ms, {name}"
        took = median(times)
        figures.append(
            Figure(
                what, "ideal", f"{took:.3f} s", f"{ideal:.3f} s", took / ideal, goal=at_most(1.15)
            )
        )
    return figures


def _run(system: ActorSystem, f: Callable[[int], Any], n: int) -> Callable[[], object]:
    graph = Source.range(0, n).map_async(f, parallelism=PARALLELISM).to(Sink.count())
    return lambda: system.start(graph).result()
