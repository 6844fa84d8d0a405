"""Inner streams a second through ``flat_map``, and elements a second through ``group_by``.

An inner stream is made, started, run to its end and forgotten for each element. Beside it stands
the same with what one would write by hand: a loop over what the function returns, for groups a dict
of sums. Goals are absolute: 15,000 inner streams and 400,000 elements a second,
at the system's own window; the small ones are for information.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from itertools import chain
from statistics import median
from typing import Any

from actors_rs import ActorSystem, Graph, Sink, Source
from stress.bench.measuring.harness import Contestant, Figure, Goal, at_least, count, in_turn, rate

__all__ = ["measure"]

ROUNDS = 5
GROUPS = 1_000
STREAMS: dict[str, tuple[Callable[[int], Any], int]] = {
    "Source.of": (Source.of, 1),
    "Source.range": (lambda x: Source.range(x, 1), 1),
    "Source.from_iterable of a generator": (lambda x: Source.from_iterable(y for y in (x,)), 2),
    "Source.repeat": (lambda x: Source.repeat(x, 1), 2),
    "Source.of, map, fused": (lambda x: Source.of(x).map(str).fuse(), 4),
    "Source.of, map, two actors": (lambda x: Source.of(x).map(str), 10),
}
"""What ``f`` returns for each element, and by how much fewer streams will do to measure it."""
MUST_STREAM = ("Source.of", "Source.range")


def add(total: int, x: int) -> int:
    return total + x


CONSUMERS: dict[str, Callable[[Any], Any]] = {
    "reduce": lambda group: group.reduce(0, add),
    "reduce, fused": lambda group: group.reduce(0, add).fuse(),
    "merged as they are": lambda group: group,
}


SMALL = {64: 0.1, 1: 0.005}
"""The part of the elements that will do at a window."""


def measure(scale: float) -> list[Figure]:
    with ActorSystem() as system:
        figures = [*_streams(system, scale), *_groups(system, scale)]
    for window, part in SMALL.items():
        with ActorSystem(window=window) as system:
            figures += _streams(system, scale * part, window)
            figures += _groups(system, scale * part, window)
    return figures


def _streams(system: ActorSystem, scale: float, window: int | None = None) -> list[Figure]:
    """``window`` is that of ``system`` if it is a small one."""
    n = count(scale, 40_000)
    runs: list[Contestant] = [(lambda: sum(1 for x in range(n) for _ in [x]), n)]
    names = []
    for name, (f, fewer) in STREAMS.items():
        for breadth in (None, 16):
            size = max(1, n // fewer)
            graph = Source.range(0, size).flat_map(f, breadth).to(Sink.count())
            runs.append((partial(_run, system, graph), size))
            names.append((name, breadth))
    by_hand, *ours = in_turn(ROUNDS, runs)
    return [
        _figure(
            f"flat_map of {name}" + (f", breadth={breadth}" if breadth else "") + _at(window),
            "a nested loop over lists",
            taken,
            by_hand,
            at_least(15_000) if name in MUST_STREAM and window is None else None,
            "inner streams/s",
        )
        for (name, breadth), taken in zip(names, ours, strict=True)
    ]


def _groups(system: ActorSystem, scale: float, window: int | None = None) -> list[Figure]:
    n = count(scale, 1_000_000, least=GROUPS)
    runs: list[Contestant] = [(partial(_sums, n), n)]
    for consume in CONSUMERS.values():
        groups = Source.range(0, n).group_by(lambda x: x % GROUPS, GROUPS)
        runs.append((partial(_run, system, groups.flat_map(consume, GROUPS).to(Sink.count())), n))
    by_hand, *ours = in_turn(ROUNDS, runs)
    return [
        _figure(
            f"group_by, {GROUPS:,} groups, {name}" + _at(window),
            "a dict of lists",
            taken,
            by_hand,
            at_least(400_000) if window is None else None,
            "elements/s",
        )
        for name, taken in zip(CONSUMERS, ours, strict=True)
    ]


def _at(window: int | None) -> str:
    return "" if window is None else f", window {window}"


def _run(system: ActorSystem, graph: Graph[Any]) -> object:
    return system.start(graph).result()


def _sums(n: int) -> int:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for x in range(n):
        groups[x % GROUPS].append(x)
    return sum(chain.from_iterable(groups.values()))


def _figure(
    what: str,
    against: str,
    ours: list[float],
    theirs: list[float],
    goal: Goal | None,
    unit: str,
) -> Figure:
    return Figure(what, against, rate(ours), rate(theirs), 1 / median(ours), unit, goal)
