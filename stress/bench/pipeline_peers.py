"""range -> map -> filter -> sum against what other libraries make of it, in elements/s."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from actors_rs import ActorSystem
from stress.bench.contestants import peers
from stress.bench.measuring.harness import Contestant, Figure, at_least, count, in_turn, rate, ratio
from stress.bench.pipeline import graph, plain

__all__ = ["measure"]

PEERS: list[tuple[str, Callable[[int], int], int, float | None]] = [
    ("RxPY, synchronous", peers.rx_synchronous, 100_000, 3),
    ("RxPY, synchronous, its own range", peers.rx_range, 2_000, None),
    ("RxPY, observe_on(ThreadPoolScheduler)", peers.rx_pool, 10_000, 100),
    ("queue.Queue, three threads", peers.queue_threads, 50_000, 20),
    ("pykka, one tell per element", peers.pykka_tells, 20_000, 60),
]
"""Name, function, elements (fewer for the slow: rates are compared), ratio to reach if any."""


def measure(scale: float) -> list[Figure]:
    n = count(scale, 1_000_000)
    blueprint = graph(n)
    sizes = [count(scale, most) for _, _, most, _ in PEERS]
    for (name, peer, _, _), size in zip(PEERS, sizes, strict=True):
        if peer(size) != plain(size):
            raise RuntimeError(f"{name} gives another sum")
    with ActorSystem() as system:
        contestants: list[Contestant] = [(lambda: system.start(blueprint).result(), n)]
        for (_, peer, _, _), size in zip(PEERS, sizes, strict=True):
            contestants.append((partial(peer, size), size))
        ours, *others = in_turn(5, contestants)
    what = "range → map → filter → sum, four actors"
    return [
        Figure(
            what,
            name,
            rate(ours),
            rate(theirs),
            ratio(ours, theirs),
            goal=at_least(goal) if goal else None,
        )
        for (name, _, _, goal), theirs in zip(PEERS, others, strict=True)
    ]
