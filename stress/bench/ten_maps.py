"""Ten map stages, each its own actor or all fused, against ten nested ``map`` in one thread."""

from __future__ import annotations

from collections.abc import Callable

from actors_rs import ActorSystem, Graph, Sink, Source
from stress.bench.measuring.harness import Contestant, Figure, at_least, count, in_turn, rate, ratio
from stress.bench.pipeline import add_one

__all__ = ["measure"]

STAGES = 10


def nested(n: int) -> int:
    numbers = iter(range(n))
    for _ in range(STAGES):
        numbers = map(add_one, numbers)
    return sum(numbers)


def flow(n: int) -> Source[int]:
    numbers = Source.range(0, n)
    for _ in range(STAGES):
        numbers = numbers.map(add_one)
    return numbers


def measure(scale: float) -> list[Figure]:
    n = count(scale, 300_000)
    apart, fused = flow(n).to(Sink.sum()), flow(n).fuse().to(Sink.sum())
    with ActorSystem() as system:
        if len({run_of(system, apart)(), run_of(system, fused)(), nested(n)}) > 1:
            raise RuntimeError("the contestants give different sums")
        runs: list[Contestant] = [
            (run_of(system, apart), n),
            (run_of(system, fused), n),
            (lambda: nested(n), n),
        ]
        *ours, theirs = in_turn(7, runs)
    names = ("ten map stages, twelve actors", "ten map stages, fused")
    return [
        Figure(
            name,
            "ten nested map()",
            rate(taken),
            rate(theirs),
            ratio(taken, theirs),
            goal=at_least(goal),
        )
        for name, taken, goal in zip(names, ours, (0.6, 1.0), strict=True)
    ]


def run_of(system: ActorSystem, blueprint: Graph[int]) -> Callable[[], int]:
    return lambda: system.start(blueprint).result()
