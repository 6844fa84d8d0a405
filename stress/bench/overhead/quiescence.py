"""The cost of the watch for runs that stand still."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from time import perf_counter, process_time
from typing import Any

from actors_rs import ActorSystem, KillSwitch, Sink, Source
from actors_rs.engine.watching.stall_watch import LOOK_EVERY, StallWatch
from stress.bench.measuring.harness import (
    Contestant,
    Figure,
    at_least,
    at_most,
    count,
    in_turn,
    ratio,
)

__all__ = ["measure"]

ROUNDS = 7
LOOKS = 200
RUNS = (1, 100, 1_000)


def _let_be(_watch: StallWatch, scope: object) -> None:
    """In place of ``StallWatch.enter``."""


@contextmanager
def _unwatched() -> Iterator[None]:
    """No run that starts in here is watched."""
    enter = StallWatch.enter
    StallWatch.enter = _let_be  # type: ignore[assignment, method-assign]
    try:
        yield
    finally:
        StallWatch.enter = enter  # type: ignore[method-assign]


def _numbers(system: ActorSystem, elements: int) -> Any:
    flow = Source.range(0, elements).map(lambda x: x + 1).filter(lambda x: x % 2)
    return system.start(flow.to(Sink.sum())).result()


def _short_runs(system: ActorSystem, runs: int) -> None:
    for _ in range(runs):
        system.start(Source.of(1).to(Sink.first())).result()


def _seconds_of_a_look(runs: int) -> float:
    """Seconds for a look at ``runs`` runs of four stages, which wait for a timer or a source."""
    switch = KillSwitch()
    with ActorSystem() as system:
        waiting = Source.never().kill_switch(switch).map(lambda x: x)
        for _ in range(runs):
            system.start(waiting.to(Sink.ignore()))
        watch, taken = StallWatch.of(system), []
        for _ in range(LOOKS):
            began = perf_counter()
            for scope, known in watch._runs.copy().items():
                watch._look_at(scope, known)
            taken.append(perf_counter() - began)
        switch.shutdown()
    return median(taken)


def measure(scale: float) -> list[Figure]:
    figures = []
    sizes = {
        "a run of {:,} elements, four stages": (_numbers, count(scale, 1_000_000)),
        "{:,} runs of one element": (_short_runs, count(scale, 2_000)),
    }
    for what, (work, size) in sizes.items():
        with ActorSystem() as system:

            def unwatched(work: Any = work, size: int = size, system: Any = system) -> None:
                with _unwatched():
                    work(system, size)

            contestants: list[Contestant] = [(partial(work, system, size), size), (unwatched, size)]
            watched, free = in_turn(ROUNDS, contestants, process_time)
        value = ratio(watched, free)
        figures.append(
            Figure(what.format(size), "the same, not watched", "", "", value, "", at_least(0.97))
        )
    for runs in RUNS:
        seconds = _seconds_of_a_look(runs)
        share = 100 * seconds / LOOK_EVERY
        what = f"a look at {runs:,} runs, {seconds * 1e6:.0f} us: share of a core"
        figures.append(Figure(what, "", "", "", share, "%", at_most(1)))
    return figures
