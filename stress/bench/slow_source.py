"""A slow source through five stages: how long an element is under way."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import quantiles

from actors_rs import ActorSystem, Sink, Source
from stress.bench.harness import Figure, at_most, count

__all__ = ["measure"]

PAUSE = 0.005
STAGES = 5


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


def measure(scale: float) -> list[Figure]:
    n = count(scale, 1_000)
    cuts = quantiles(latencies(n), n=100)
    p50, p99 = cuts[49] * 1000, cuts[98] * 1000
    what = f"one element each 5 ms through {STAGES} stages, latency"
    return [
        Figure(f"{what} p50", "", "", "", p50, "ms"),
        Figure(f"{what} p99", "", "", "", p99, "ms", at_most(5)),
    ]
