"""Junctions: elements a second through each, against one plain generator over as many elements.

The goal is 3 million elements a second where the generator does 10: a ratio of 0.3. An element
counts once, on whichever side of the junction there are fewer of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from actors_rs import ActorSystem, Flow, Graph, Sink, Source, merge, zip
from stress.bench.harness import Figure, at_least, count, in_turn, rate, ratio

__all__ = ["measure"]

PARITY = (1).__and__


def plain(n: int) -> int:
    """The generator that does about ten million elements a second."""
    return sum(y for x in range(n) if (y := x + 1) % 2 == 0)


def both(flows: tuple[Flow[Any, int], ...]) -> Graph[Any]:
    return Graph(*(flow.to(Sink.count()) for flow in flows))


def graphs(n: int) -> dict[str, Graph[Any]]:
    """Each junction in a graph that takes ``n`` elements through it."""
    numbers, more, half, other = (
        Source.from_iterable(list(range(size))) for size in (n, n, n // 2, n // 2)
    )
    return {
        "merge": merge(half, other).to(Sink.count()),
        "zip": zip(numbers, more).to(Sink.count()),
        "broadcast(2)": both(numbers.broadcast(2)),
        "balance(2)": both(numbers.balance(2)),
        "partition(2), lambda": both(numbers.partition(2, lambda x: x % 2)),
        "partition(2), function in C": both(numbers.partition(2, PARITY)),
        "unzip": both(Source.repeat((1, 2), n).unzip()),
        "interleave(1)": half.interleave(other).to(Sink.count()),
        "merge_sorted": half.merge_sorted(other).to(Sink.count()),
        "combine_latest": half.combine_latest(other).to(Sink.count()),
        "wire_tap": numbers.wire_tap(Sink.ignore()).to(Sink.count()),
    }


MUST = ("merge", "zip", "broadcast(2)", "balance(2)", "partition(2), lambda")


def measure(scale: float) -> list[Figure]:
    n = count(scale, 500_000, least=100)
    made = graphs(n)
    with ActorSystem() as system:

        def run(graph: Graph[Any]) -> object:
            return system.start(graph).result()

        runs: list[Callable[[], object]] = [partial(run, graph) for graph in made.values()]
        generator, *ours = in_turn(7, [(partial(plain, n), n), *((one, n) for one in runs)])
    return [
        Figure(
            name,
            "one generator",
            rate(taken),
            rate(generator),
            ratio(taken, generator),
            goal=at_least(0.3) if name in MUST else None,
        )
        for name, taken in _named(made, ours)
    ]


def _named(
    made: dict[str, Graph[Any]], seconds: list[list[float]]
) -> list[tuple[str, list[float]]]:
    return [(name, seconds[place]) for place, name in enumerate(made)]
