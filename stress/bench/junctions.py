"""Junctions: elements a second through each, against one plain generator over as many elements.

The goal is 3 million elements a second where the generator does 10: a ratio of 0.3. An element
counts once, on whichever side of the junction there are fewer of them. Windows are the
system's own, 1024, 64 and 1; RxPY and aiostream do the same where they have it.
"""

from __future__ import annotations

from builtins import zip as zip_
from collections.abc import Callable
from functools import partial
from typing import Any

from actors_rs import ActorSystem, Flow, Graph, Sink, Source, merge, zip
from stress.bench.contestants.junction_peers import PEERS
from stress.bench.measuring.harness import Contestant, Figure, at_least, count, in_turn, rate, ratio

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


SMALL = {1024: 500_000, 64: 20_000, 1: 1_000}
"""Elements at windows at which the goal is not meant."""
PEER_ELEMENTS = 4_000
ROUNDS = 7


def measure(scale: float) -> list[Figure]:
    n = count(scale, 500_000, least=100)
    with ActorSystem() as system:
        figures = _measured(system, n)
        figures += _against_peers(system, n, count(scale, PEER_ELEMENTS, least=100))
    for window, most in SMALL.items():
        with ActorSystem(window=window) as system:
            figures += _measured(system, count(scale, most, least=100), window)
    return figures


def _measured(system: ActorSystem, n: int, window: int | None = None) -> list[Figure]:
    """Against the generator; ``window`` is that of ``system`` if it is a small one."""
    made = graphs(n)
    runs = [(_run(system, graph), n) for graph in made.values()]
    generator, *ours = in_turn(ROUNDS, [(partial(plain, n), n), *runs])
    return [
        Figure(
            name if window is None else f"{name}, window {window}",
            "one generator",
            rate(taken),
            rate(generator),
            ratio(taken, generator),
            goal=at_least(0.3) if window is None and name in MUST else None,
        )
        for name, taken in zip_(made, ours, strict=True)
    ]


def _against_peers(system: ActorSystem, n: int, fewer: int) -> list[Figure]:
    """Ours with ``n`` elements, theirs with ``fewer``: rates are compared."""
    made = graphs(n)
    runs: list[Contestant] = []
    for name, _, run in PEERS:
        runs += [(_run(system, made[name]), n), (partial(run, fewer), fewer)]
    times = in_turn(ROUNDS, runs)
    return [
        Figure(name, peer, rate(ours), rate(theirs), ratio(ours, theirs))
        for (name, peer, _), ours, theirs in zip_(PEERS, times[::2], times[1::2], strict=True)
    ]


def _run(system: ActorSystem, graph: Graph[Any]) -> Callable[[], object]:
    return lambda: system.start(graph).result()
