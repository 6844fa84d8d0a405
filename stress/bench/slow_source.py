"""A slow source: how long an element is under way through five stages, or after a burst."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import repeat
from random import Random
from statistics import quantiles

from actors_rs import ActorSystem, Sink, Source
from stress.bench.measuring.harness import Figure, at_most, count

__all__ = ["measure"]

PAUSE = 0.005
STAGES = 5
BURSTS = (1, 2, 3, 7, 20, 300, 5_000)


def ticks(n: int) -> Iterator[float]:
    """The time at which each element is given, one every 5 ms."""
    for _ in range(n):
        time.sleep(PAUSE)
        yield time.perf_counter()


def latencies(n: int) -> list[float]:
    """Seconds from ``yield`` to the sink, of each element."""
    taken: list[float] = []
    flow = Source.from_iterable(ticks(n))
    for _ in range(STAGES):
        flow = flow.map(lambda tick: tick)
    graph = flow.to(Sink.for_each(lambda tick: taken.append(time.perf_counter() - tick)))
    with ActorSystem() as system:
        system.start(graph).result()
    return taken


def lateness(bursts: int) -> list[float]:
    """Seconds until the last element of each burst is taken, while its source blocks."""
    taken: list[float] = []
    dice = Random(1)

    def elements() -> Iterator[float | None]:
        for _ in range(bursts):
            yield from repeat(None, dice.choice(BURSTS))
            yield time.perf_counter()
            time.sleep(dice.uniform(0.02, 0.1))

    def take(given: float | None) -> None:
        if given is not None:
            taken.append(time.perf_counter() - given)

    with ActorSystem() as system:
        system.start(Source.from_iterable(elements).to(Sink.for_each(take))).result()
    return taken


def measure(scale: float) -> list[Figure]:
    n = count(scale, 1_000)
    late = quantiles(lateness(count(scale, 200)), n=100)
    cuts = quantiles(latencies(n), n=100)
    p50, p99 = cuts[49] * 1000, cuts[98] * 1000
    what = f"one element each 5 ms through {STAGES} stages, latency"
    last = "the last element before a source blocks, after a burst, latency"
    return [
        Figure(f"{what} p50", "", "", "", p50, "ms"),
        Figure(f"{what} p99", "", "", "", p99, "ms", at_most(5)),
        Figure(f"{last} p50", "", "", "", late[49] * 1000, "ms"),
        Figure(f"{last} p99", "", "", "", late[98] * 1000, "ms", at_most(10)),
    ]
