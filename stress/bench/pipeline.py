"""range -> map -> filter -> sum, each stage its own actor, against one plain generator."""

from __future__ import annotations

from collections.abc import Callable

from actors_rs import ActorSystem, Graph, Sink, Source
from stress.bench.harness import Figure, at_least, count, in_turn, rate, ratio

__all__ = ["add_one", "graph", "is_even", "measure", "plain"]

WIDE_WINDOW = 8192


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


def graph(n: int) -> Graph[int]:
    return Source.range(0, n).map(add_one).filter(is_even).to(Sink.sum())


def measure(scale: float) -> list[Figure]:
    """The goal is for the default window and the same two functions; the rest is information."""
    n = count(scale, 1_000_000)
    blueprint = graph(n)
    with ActorSystem() as system, ActorSystem(window=WIDE_WINDOW) as wide:
        runs: list[Callable[[], int]] = [
            lambda: system.start(blueprint).result(),
            lambda: plain(n),
            lambda: plain_nested(n),
            lambda: plain_inlined(n),
            lambda: wide.start(blueprint).result(),
        ]
        assert len({run() for run in runs}) == 1, "the contestants disagree"
        ours, one, nested, inlined, ours_wide = in_turn(11, [(run, n) for run in runs])
    what = "range → map → filter → sum, four actors"
    wide_what = f"{what}, window {WIDE_WINDOW}"
    goal = at_least(1.0)
    return [
        Figure(what, "one generator", rate(ours), rate(one), ratio(ours, one), goal=goal),
        Figure(wide_what, "one generator", rate(ours_wide), rate(one), ratio(ours_wide, one)),
        Figure(what, "a generator per step", rate(ours), rate(nested), ratio(ours, nested)),
        Figure(
            what,
            "one generator, functions inlined",
            rate(ours),
            rate(inlined),
            ratio(ours, inlined),
        ),
    ]
