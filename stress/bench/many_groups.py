"""The cost of a group of ``group_by`` where there are many: time, and memory while it lives.

Two elements come for each key, the second ones when all groups are open, and each group is summed
up: by an actor of its own, or fused, within the actor of ``flat_map``. Each size has a process of
its own. Time is processor time, with the cyclic garbage collector on, as in any program.

``python -m stress.bench.many_groups 1000 100000`` prints the rows of the curve for these sizes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import count as numbers
from time import process_time, sleep
from typing import Any

from actors_rs import ActorSystem, Group, Sink, Source
from stress.bench.measuring.fresh import in_fresh_process, most_resident_bytes, resident_bytes
from stress.bench.measuring.harness import Figure, at_most, count

__all__ = ["fused", "measure", "with_actors"]

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


def _run(system: ActorSystem, groups: int, fused: bool) -> None:
    system.start(_graph(Source.range(0, 2 * groups), groups, fused, add)).result()


def _cost(groups: int, fused: bool) -> dict[str, float]:
    """Seconds of a group, and bytes: when each has its first element, and at the most."""
    taken, alive = numbers(), [0]

    def added(total: int, x: int) -> int:
        if not total and next(taken) == groups - 1:  # the first one of the last group
            alive[0] = resident_bytes()
        return total + x

    def elements() -> Iterator[int]:
        yield from range(1, groups + 1)
        while not alive[0]:
            sleep(0.001)
        yield from range(1, groups + 1)

    with ActorSystem() as system:
        _run(system, WARM_UP, fused)
        before, began = resident_bytes(), process_time()
        system.start(_graph(Source.from_iterable(elements()), groups, fused, added)).result()
        seconds = process_time() - began
    grown = {"alive": alive[0] - before, "most": most_resident_bytes() - before, "seconds": seconds}
    return {what: figure / groups for what, figure in grown.items()}


def with_actors(groups: int) -> dict[str, float]:
    """The cost of a group that an actor of its own sums up."""
    return _cost(groups, False)


def fused(groups: int) -> dict[str, float]:
    """The cost of a group that is summed up within ``flat_map``."""
    return _cost(groups, True)


WAYS = {"an actor each": "with_actors", "fused": "fused"}


def measure(scale: float) -> list[Figure]:
    figures = []
    for way, function in WAYS.items():
        taken: dict[int, float] = {}
        for size in dict.fromkeys(count(scale, size) for size in SIZES):
            cost = in_fresh_process(__name__, function, size)
            taken[size] = seconds = cost["seconds"]
            what = f"group_by, {size:,} groups of 2 elements, {way}"
            figures.append(Figure(what, "", "", "", seconds * 1e6, "us a group"))
            if size >= LEAST:
                memory = f"memory of a group that is alive, of {size:,}, {way}"
                used = cost["alive"] / 1024
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


def _print_rows(sizes: list[int]) -> None:
    print("| groups | | µs a group | KiB alive | KiB at the most |\n|---|---|---|---|---|")
    for size in sizes:
        for way, function in WAYS.items():
            cost = in_fresh_process("stress.bench.many_groups", function, size)
            alive, most = (cost[what] / 1024 for what in ("alive", "most"))
            row = f"{size:,} | {way} | {cost['seconds'] * 1e6:.0f} | {alive:.1f} | {most:.1f}"
            print(f"| {row} |", flush=True)


if __name__ == "__main__":
    _print_rows([int(size) for size in sys.argv[1:]] or list(SIZES))
