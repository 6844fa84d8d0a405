"""The cost of being able to pass over elements that fail, and of counting them.

In processor time: by the wall clock two equal runs differ by more than the goal on a machine that
others share.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

from actors_rs import ActorSystem, Graph, Sink, Source
from stress.bench.measuring.harness import Figure, at_most, count, in_turn, rate
from stress.bench.pipeline import add_one, graph, is_even

__all__ = ["measure"]


def supervised(n: int) -> Graph[int]:
    """The four stages of the first benchmark, each with a policy."""
    flow = Source.range(0, n).map(add_one).filter(is_even).on_failure("resume", section=True)
    return flow.to(Sink.sum().on_failure("resume"))


def measure(scale: float) -> list[Figure]:
    """The graph with policies and statistics, against the same one without either."""
    n = count(scale, 500_000)
    blueprint, plain = supervised(n), graph(n)
    with ActorSystem(metrics=True) as with_metrics, ActorSystem(metrics=False) as without:
        runs: list[Callable[[], int]] = [
            lambda: with_metrics.start(blueprint).result(),
            lambda: without.start(blueprint).result(),
            lambda: without.start(plain).result(),
        ]
        both, policies, neither = in_turn(21, [(run, n) for run in runs], process_time)
    return [
        Figure(
            "cost of supervision and statistics, processor time",
            "neither",
            rate(both),
            rate(neither),
            median(both) / median(neither),
            goal=at_most(1.03),
        ),
        Figure(
            "cost of on_failure='resume', processor time",
            "on_failure='stop'",
            rate(policies),
            rate(neither),
            median(policies) / median(neither),
        ),
    ]
