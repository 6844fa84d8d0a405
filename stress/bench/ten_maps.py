"""Ten map stages, each its own actor, against ten nested ``map`` in one thread."""

from __future__ import annotations

from actors_rs import ActorSystem, Graph, Sink, Source
from stress.bench.harness import Figure, at_least, count, in_turn, rate, ratio
from stress.bench.pipeline import add_one

__all__ = ["measure"]

STAGES = 10


def nested(n: int) -> int:
    numbers = iter(range(n))
    for _ in range(STAGES):
        numbers = map(add_one, numbers)
    return sum(numbers)


def graph(n: int) -> Graph[int]:
    flow = Source.range(0, n)
    for _ in range(STAGES):
        flow = flow.map(add_one)
    return flow.to(Sink.sum())


def measure(scale: float) -> list[Figure]:
    n = count(scale, 300_000)
    blueprint = graph(n)
    with ActorSystem() as system:
        assert system.start(blueprint).result() == nested(n)
        ours, theirs = in_turn(
            7, [(lambda: system.start(blueprint).result(), n), (lambda: nested(n), n)]
        )
    what = "ten map stages, twelve actors"
    value = ratio(ours, theirs)
    return [Figure(what, "ten nested map()", rate(ours), rate(theirs), value, goal=at_least(0.6))]
