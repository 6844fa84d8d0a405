"""The cost of the stages' accounts of their time, in processor time.

By the wall clock two equal runs differ by more than the goal on a machine that others share.
"""

from __future__ import annotations

from statistics import median
from time import process_time

from actors_rs import ActorSystem
from stress.bench.measuring.harness import Figure, at_most, count, in_turn, rate
from stress.bench.pipeline import graph

__all__ = ["measure"]


def measure(scale: float) -> list[Figure]:
    """The pipeline of the first benchmark, whose functions are as short as functions get."""
    n = count(scale, 500_000)
    blueprint = graph(n)
    with ActorSystem(metrics=True) as with_metrics, ActorSystem(metrics=False) as without:
        on, off = in_turn(
            21,
            [
                (lambda: with_metrics.start(blueprint).result(), n),
                (lambda: without.start(blueprint).result(), n),
            ],
            process_time,
        )
    value = median(on) / median(off)
    return [
        Figure(
            "cost of metrics, processor time",
            "metrics off",
            rate(on),
            rate(off),
            value,
            goal=at_most(1.05),
        )
    ]
