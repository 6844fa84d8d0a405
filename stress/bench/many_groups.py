"""The cost of a group of ``group_by`` where there are many: time, and memory while it lives.

Two elements come for each key, the second ones when all groups are open, and each group is summed
up: by an actor of its own, or fused, within the actor of ``flat_map``. Each size has a process of
its own. Time is processor time, with the cyclic garbage collector on, as in any program.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as numbers
from time import process_time
from typing import Any

from actors_rs import ActorSystem, Group, Sink, Source
from stress.bench.fresh import in_fresh_process, resident_bytes
from stress.bench.harness import Figure, at_most, count

__all__ = [
    "bytes_fused",
    "bytes_with_actors",
    "measure",
    "seconds_fused",
    "seconds_with_actors",
]

SIZES = (10, 1_000, 10_000, 100_000, 300_000, 1_000_000)
WARM_UP = 10
LEAST = 1_000
"""Fewer groups do not show what one of them takes."""


def _graph(elements: Source[int], groups: int, fused: bool, add: Any) -> Any:
    def total(group: Group[int, int]) -> Any:
        summed = group.reduce(0, add)
        return summed.fuse() if fused else summed

    return elements.group_by(lambda x: x % groups, groups).flat_map(total, groups).to(Sink.count())


def add(total: int, x: int) -> int:
    return total + x


def _seconds(groups: int, fused: bool) -> float:
    with ActorSystem() as system:
        _run(system, WARM_UP, fused)
        began = process_time()
        _run(system, groups, fused)
        return (process_time() - began) / groups


def _run(system: ActorSystem, groups: int, fused: bool) -> None:
    system.start(_graph(Source.range(0, 2 * groups), groups, fused, add)).result()


def seconds_with_actors(groups: int) -> float:
    """Processor seconds of a group that an actor of its own sums up."""
    return _seconds(groups, False)


def seconds_fused(groups: int) -> float:
    """The same of one that is summed up within ``flat_map``."""
    return _seconds(groups, True)


def _bytes(groups: int, fused: bool) -> float:
    taken, grown = numbers(), [0]

    def added(total: int, x: int) -> int:
        if not total and next(taken) == groups - 1:  # the first one of the last group
            grown[0] = resident_bytes()
        return total + x

    def elements() -> Iterator[int]:
        yield from range(1, groups + 1)
        while not grown[0]:
            yield 1

    with ActorSystem() as system:
        _run(system, WARM_UP, fused)
        before = resident_bytes()
        system.start(_graph(Source.from_iterable(elements()), groups, fused, added)).result()
    return (grown[0] - before) / groups


def bytes_with_actors(groups: int) -> float:
    """Growth of the resident set by a group that is alive, and by its actor."""
    return _bytes(groups, False)


def bytes_fused(groups: int) -> float:
    """Growth of the resident set by a group that is alive within ``flat_map``."""
    return _bytes(groups, True)


WAYS = {"an actor each": "with_actors", "fused": "fused"}


def measure(scale: float) -> list[Figure]:
    figures = []
    for way, name in WAYS.items():
        taken: dict[int, float] = {}
        for size in dict.fromkeys(count(scale, size) for size in SIZES):
            taken[size] = seconds = in_fresh_process(__name__, f"seconds_{name}", size)
            what = f"group_by, {size:,} groups of 2 elements, {way}"
            figures.append(Figure(what, "", "", "", seconds * 1e6, "us a group"))
            if size >= LEAST:
                used = in_fresh_process(__name__, f"bytes_{name}", size) / 1024
                memory = f"memory of a group that is alive, of {size:,}, {way}"
                figures.append(Figure(memory, "resident set", "", "", used, "KiB", at_most(4)))
        least, most = min(taken, key=lambda size: abs(size - max(taken) / 10)), max(taken)
        figures.append(
            Figure(
                f"a group of {most:,}, {way}",
                f"one of {least:,}",
                f"{taken[most] * 1e6:.0f} us",
                f"{taken[least] * 1e6:.0f} us",
                taken[most] / taken[least],
                goal=at_most(1.5),
            )
        )
    return figures
