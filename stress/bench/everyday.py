"""What a Python program does first: loops over a stream, async sources, sums by key.

Beside each stands what one would write without a library: a loop over a generator, ``async for``
over an async generator, ``group_by`` with a fold in each group.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from statistics import median

from actors_rs import ActorSystem, Sink, Source
from stress.bench.measuring.harness import (
    Contestant,
    Figure,
    Goal,
    at_least,
    count,
    in_turn,
    rate,
    ratio,
)

__all__ = ["measure"]

ROUNDS = 5
KEYS = 1_000


def measure(scale: float) -> list[Figure]:
    with ActorSystem() as system:
        return [*_loops(scale), *_async_source(system, scale), *_by_key(system, scale)]


def _loop(n: int, window: int) -> int:
    return sum(1 for _ in Source.range(0, n).iterate(window=window))


def _async_loop(n: int, window: int) -> int:
    async def counted() -> int:
        return len([1 async for _ in Source.range(0, n).iterate(window=window)])

    return asyncio.run(counted())


def _loops(scale: float) -> list[Figure]:
    n = count(scale, 60_000)
    ways: list[tuple[str, Callable[[int, int], int], int, int]] = [
        ("for x in source", _loop, 16, 50_000),
        ("for x in source", _loop, 64, 0),
        ("async for x in source", _async_loop, 16, 30_000),
        ("async for x in source", _async_loop, 64, 0),
    ]
    runs: list[Contestant] = [(partial(way, n, window), n) for _, way, window, _ in ways]
    runs.append((lambda: sum(1 for _ in (x for x in range(n))), n))
    *ours, plain = in_turn(ROUNDS, runs)
    return [
        _figure(f"{name}, window {window}", "a generator", taken, plain, least)
        for (name, _, window, least), taken in zip(ways, ours, strict=True)
    ]


async def _numbers(n: int) -> AsyncIterator[int]:
    for number in range(n):
        yield number


def _async_source(system: ActorSystem, scale: float) -> list[Figure]:
    n = count(scale, 200_000)

    async def plain() -> int:
        return len([1 async for _ in _numbers(n)])

    graph = Source.from_iterable(partial(_numbers, n)).to(Sink.count())
    ours, by_hand = in_turn(
        ROUNDS, [(lambda: system.start(graph).result(), n), (lambda: asyncio.run(plain()), n)]
    )
    return [_figure("async generator as a source", "async for", ours, by_hand, 0)]


def _add(total: int, x: int) -> int:
    return total + x


def _by_key(system: ActorSystem, scale: float) -> list[Figure]:
    n = count(scale, 300_000, least=KEYS)
    source = Source.range(0, n)
    by_key = source.aggregate_by(lambda x: x % KEYS, 0, _add).to(Sink.count())
    groups = source.group_by(lambda x: x % KEYS, KEYS).flat_map(
        lambda group: group.reduce(0, _add), breadth=KEYS
    )
    grouped = groups.to(Sink.count())
    ours, theirs = in_turn(
        ROUNDS,
        [(lambda: system.start(by_key).result(), n), (lambda: system.start(grouped).result(), n)],
    )
    return [
        Figure(
            "aggregate_by, 1,000 keys",
            "group_by, reduce in each group",
            rate(ours),
            rate(theirs),
            ratio(ours, theirs),
            "of its rate",
            at_least(1.0),
        )
    ]


def _figure(name: str, peer: str, ours: list[float], theirs: list[float], least: int) -> Figure:
    goal: Goal | None = at_least(least) if least else None
    return Figure(name, peer, rate(ours), rate(theirs), 1 / median(ours), "elements/s", goal)
