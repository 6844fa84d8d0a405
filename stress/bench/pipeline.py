"""range -> map -> filter -> sum, an actor each, against a generator."""

from __future__ import annotations

from collections.abc import Callable

from actors_rs import ActorSystem, Graph, Sink, Source
from stress.bench.measuring.harness import Figure, at_least, count, in_turn, rate, ratio

__all__ = ["add_one", "graph", "is_even", "measure", "plain"]

ADD_ONE = (1).__add__
IS_ODD = (1).__and__
"""Functions in C: what the stages cost where the user's functions cost little."""


def add_one(x: int) -> int:
    return x + 1


def is_even(x: int) -> bool:
    return x % 2 == 0


def plain(n: int) -> int:
    return sum(y for x in range(n) if is_even(y := add_one(x)))


def plain_nested(n: int) -> int:
    return sum(y for y in (add_one(x) for x in range(n)) if is_even(y))


def plain_inlined(n: int) -> int:
    return sum(y for x in range(n) if (y := x + 1) % 2 == 0)


def plain_built_in(n: int) -> int:
    return sum(y for x in range(n) if IS_ODD(y := ADD_ONE(x)))


def graph(n: int) -> Graph[int]:
    return Source.range(0, n).map(add_one).filter(is_even).to(Sink.sum())


def graph_built_in(n: int) -> Graph[int]:
    return Source.range(0, n).map(ADD_ONE).filter(IS_ODD).to(Sink.sum())


def measure(scale: float) -> list[Figure]:
    """The goal is for the default window and the same two functions; the rest is information."""
    n = count(scale, 1_000_000)
    blueprint, built_in = graph(n), graph_built_in(n)
    with ActorSystem() as system:
        runs: list[Callable[[], int]] = [
            lambda: system.start(blueprint).result(),
            lambda: plain(n),
            lambda: plain_nested(n),
            lambda: plain_inlined(n),
            lambda: system.start(built_in).result(),
            lambda: plain_built_in(n),
        ]
        if len({run() for run in runs[:4]}) > 1 or runs[4]() != runs[5]():
            raise RuntimeError("the contestants give different sums")
        times = in_turn(11, [(run, n) for run in runs])
    ours, one, nested, inlined, ours_c, one_c = times
    what, one_is = "range → map → filter → sum, four actors", "one generator"
    what_c = f"{what}, functions in C"
    return [
        Figure(what, one_is, rate(ours), rate(one), ratio(ours, one), goal=at_least(0.7)),
        Figure(what_c, one_is, rate(ours_c), rate(one_c), ratio(ours_c, one_c)),
        Figure(what, "a generator per step", rate(ours), rate(nested), ratio(ours, nested)),
        Figure(
            what,
            "one generator, functions inlined",
            rate(ours),
            rate(inlined),
            ratio(ours, inlined),
        ),
    ]
