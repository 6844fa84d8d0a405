"""Each operator's cost per element, against plain Python, RxPY and aiostream.

range → operator → a sink that keeps nothing: as a system runs it by itself, at the window that it
has and at windows of 1024, 64 and 1; and fused.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import MissingExtraError
from stress.bench.contestants.operator_rows import ROWS, Operators, Row
from stress.bench.measuring.harness import Contestant, Figure, at_least, count, in_turn, rate, ratio

__all__ = ["measure"]

OWN = None
"""The window that a system has by itself."""
ELEMENTS = {OWN: 500_000, 1024: 500_000, 64: 20_000, 1: 1_000}
"""So many at large windows that the half millisecond of a run's start and end does not count."""
Systems = dict[int | None, ActorSystem]
PEER_ELEMENTS = 4_000
"""Fewer for the slow: rates are compared."""
ROUNDS = 5


def by_hand(row: Row, n: int) -> None:
    deque(row.plain(range(n)), maxlen=0)


def by_rx(operators: Operators, n: int) -> None:
    try:
        import reactivex
        from reactivex import operators as ops
    except ImportError as error:
        raise _missing("reactivex") from error
    reactivex.from_iterable(range(n)).pipe(*operators(ops)).subscribe(lambda _: None)


def by_aiostream(operators: Operators, n: int) -> None:
    try:
        from aiostream import pipe, stream
    except ImportError as error:
        raise _missing("aiostream") from error

    async def run() -> None:
        flow: Any = stream.iterate(range(n))
        for step in operators(pipe):
            flow = flow | step
        async with flow.stream() as elements:
            async for _ in elements:
                pass

    asyncio.run(run())


def _missing(package: str) -> MissingExtraError:
    return MissingExtraError(
        f"comparing operators needs the package '{package}', which is not installed: "
        'run pip install "actors-rs[bench]"'
    )


def by_us(system: ActorSystem, row: Row, n: int) -> Callable[[], object]:
    graph = row.ours(Source.range(0, n)).to(Sink.ignore())
    return lambda: system.start(graph).result()


def by_us_fused(system: ActorSystem, row: Row, n: int) -> Callable[[], object]:
    graph = row.ours(Source.range(0, n)).to(Sink.ignore()).fuse()
    return lambda: system.start(graph).result()


def measure(scale: float) -> list[Figure]:
    with ExitStack() as stack:  # a system for each window: it is that of all stages of a row then
        systems: Systems = {OWN: stack.enter_context(ActorSystem())}
        for window in ELEMENTS:
            if window is not None:
                systems[window] = stack.enter_context(ActorSystem(window=window))
        return [figure for row in ROWS for figure in _measured(systems, row, scale)]


def _measured(systems: Systems, row: Row, scale: float) -> list[Figure]:
    sizes = {window: count(scale, ELEMENTS[window], 20) for window in systems}
    runs: list[Contestant] = [
        (by_us(systems[window], row, size), size) for window, size in sizes.items()
    ]
    plain, peers = sizes[OWN], count(scale, PEER_ELEMENTS, 20)
    runs.append((by_us_fused(systems[OWN], row, plain), plain))
    runs.append((partial(by_hand, row, plain), plain))
    others = [("RxPY", by_rx, row.rx), ("aiostream", by_aiostream, row.aio)]
    there = [(name, run, steps) for name, run, steps in others if steps is not None]
    runs += [(partial(run, steps, peers), peers) for _, run, steps in there]
    goal = at_least(row.goal) if row.goal is not None else None
    ways = [(_way(window), goal if window is OWN else None) for window in sizes]
    ways.append(("fused", None))
    times = in_turn(ROUNDS, runs)
    ours, by_plain, by_others = times[: len(ways)], times[len(ways)], times[len(ways) + 1 :]
    figures = [
        Figure(
            f"{row.name}, {way}",
            "plain Python",
            rate(taken),
            rate(by_plain),
            ratio(taken, by_plain),
            goal=reach,
        )
        for (way, reach), taken in zip(ways, ours, strict=True)
    ]
    for (name, _, _), taken in zip(there, by_others, strict=True):
        what = f"{row.name}, {_way(OWN)}"
        figures.append(Figure(what, name, rate(ours[0]), rate(taken), ratio(ours[0], taken)))
    return figures


def _way(window: int | None) -> str:
    return "the system's window" if window is OWN else f"window {window}"
