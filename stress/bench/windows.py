"""Each operator with automatic windows against windows of 4,096 elements, by processor time.

range → operator → a sink that keeps nothing, the same graph on two systems in turn. A run takes
some milliseconds, so the smallest of many is compared: what other programs do only adds to it.
"""

from __future__ import annotations

from statistics import geometric_mean
from time import process_time

from actors_rs import ActorSystem
from stress.bench.contestants.operator_rows import ROWS, Row
from stress.bench.measuring.harness import Figure, at_least, count, in_turn, rate
from stress.bench.operators import by_us

__all__ = ["measure"]

FIXED = 4096
ELEMENTS = 500_000
ROUNDS = 21
GOAL = 0.95


def measure(scale: float) -> list[Figure]:
    n = count(scale, ELEMENTS)
    with ActorSystem() as automatic, ActorSystem(window=FIXED) as fixed:
        figures = [_measured(automatic, fixed, row, n) for row in ROWS]
    mean = geometric_mean(figure.value for figure in figures)
    all_of_them = f"{len(figures)} operators, geometric mean"
    return [*figures, Figure(all_of_them, "windows of 4,096", "", "", mean, "", at_least(GOAL))]


def _measured(automatic: ActorSystem, fixed: ActorSystem, row: Row, n: int) -> Figure:
    runs = [(by_us(system, row, n), n) for system in (automatic, fixed)]
    ours, theirs = ([min(taken)] for taken in in_turn(ROUNDS, runs, process_time))
    value = theirs[0] / ours[0]
    against = "windows of 4,096"
    return Figure(row.name, against, rate(ours), rate(theirs), value, "", at_least(GOAL))
