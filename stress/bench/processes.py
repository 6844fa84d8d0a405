"""``map_processes`` against a plain loop and the pools of the standard library, on two workers.

The pools get the best of several chunk sizes, which is found before the rounds; ``map_processes``
finds its own. All pools are warm. Calls are loops of a known length, so they take processor time
and not time: on a machine that others use too, a call that waits for its time would be no work.
"""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from time import perf_counter, process_time
from typing import Any

from actors_rs import ActorSystem, Flow, Sink, Source
from stress.bench.measuring.harness import Contestant, Figure, at_least, count, in_turn, rate, ratio

__all__ = ["measure"]

WORKERS = 2
ROUNDS = 7
CHUNK_SIZES = (50, 200, 1000, 4000)
_turns = [0]  # of the loop in ``call``; pools are forked once it is set


def call(x: int) -> int:
    for _ in range(_turns[0]):
        pass
    return x


def of_length(turns: int) -> Callable[[int], int]:
    """The same with its own number of turns, to be pickled by value."""

    def call(x: int) -> int:
        for _ in range(turns):
            pass
        return x

    return call


def turns_for(seconds: float) -> int:
    """How many turns of the loop take so long here."""
    best = float("inf")
    for _ in range(5):
        began = process_time()
        of_length(1_000_000)(0)
        best = min(best, process_time() - began)
    return max(1, int(seconds / best * 1_000_000))


def measure(scale: float) -> list[Figure]:
    with ActorSystem() as system:
        return [
            *_against_pools(system, scale),
            *_against_a_loop(system, scale, 200e-6, 5_000),
            _against_an_element_at_a_time(system, scale),
            _against_map(system, scale),
        ]


def _run(system: ActorSystem, flow: Flow[Any, Any]) -> Callable[[], object]:
    graph = flow.to(Sink.count())
    return lambda: system.start(graph).result()


def _against_pools(system: ActorSystem, scale: float) -> list[Figure]:
    n, turns = count(scale, 50_000), turns_for(20e-6)
    _turns[0], f = turns, of_length(turns)
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(WORKERS, fork) as executor, fork.Pool(WORKERS) as pool:

        def in_order(size: int) -> None:
            deque(executor.map(call, range(n), chunksize=size), 0)

        def unordered(size: int) -> None:
            deque(pool.imap_unordered(call, range(n), chunksize=size), 0)

        best, best_unordered = _best_size(in_order), _best_size(unordered)
        source = Source.range(0, n)
        runs: list[Contestant] = [
            (_run(system, source.map_processes(f, WORKERS)), n),
            (partial(in_order, best), n),
            (_run(system, source.map_processes(f, WORKERS, ordered=False)), n),
            (partial(unordered, best_unordered), n),
            (lambda: deque(map(f, range(n)), 0), n),
        ]
        ours, executors, ours_unordered, pools, loop = in_turn(ROUNDS, runs)
    work = "calls of 20 us"
    return [
        _figure(work, f"ProcessPoolExecutor.map, chunksize={best}", ours, executors, 1.0),
        _figure(
            f"{work}, unordered",
            f"Pool.imap_unordered, chunksize={best_unordered}",
            *(ours_unordered, pools, 0.95),
        ),
        _figure(work, "a plain loop", ours, loop, 1.7),
    ]


def _best_size(run: Callable[[int], None]) -> int:
    took = {}
    for size in CHUNK_SIZES:
        run(size)
        began = perf_counter()
        run(size)
        took[size] = perf_counter() - began
    return min(took, key=took.__getitem__)


def _against_a_loop(
    system: ActorSystem, scale: float, seconds: float, elements: int
) -> list[Figure]:
    n, f = count(scale, elements), of_length(turns_for(seconds))
    runs: list[Contestant] = [
        (_run(system, Source.range(0, n).map_processes(f, WORKERS)), n),
        (lambda: deque(map(f, range(n)), 0), n),
    ]
    ours, loop = in_turn(ROUNDS, runs)
    return [_figure(f"calls of {seconds * 1e6:.0f} us", "a plain loop", ours, loop, 1.7)]


def _against_an_element_at_a_time(system: ActorSystem, scale: float) -> Figure:
    n, few = count(scale, 100_000), count(scale, 3_000)
    _turns[0] = turns_for(5e-6)
    f = of_length(_turns[0])
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(WORKERS, fork) as executor:
        one_by_one = Source.range(0, few).map_async(call, 2 * WORKERS, executor=executor)
        runs: list[Contestant] = [
            (_run(system, Source.range(0, n).map_processes(f, WORKERS)), n),
            (_run(system, one_by_one), few),
        ]
        ours, theirs = in_turn(ROUNDS, runs)
    return _figure("calls of 5 us", "map_async(executor=) per element", ours, theirs, 8.0)


def _against_map(system: ActorSystem, scale: float) -> Figure:
    n, f = count(scale, 600_000), of_length(turns_for(1e-6))
    runs: list[Contestant] = [
        (_run(system, Source.range(0, n).map_processes(f, WORKERS)), n),
        (_run(system, Source.range(0, n).map(f)), n),
    ]
    ours, theirs = in_turn(ROUNDS, runs)
    return _figure("calls of 1 us", "map in one process", ours, theirs, 0.9)


def _figure(work: str, against: str, ours: list[float], theirs: list[float], goal: float) -> Figure:
    return Figure(
        f"map_processes, {work}, {WORKERS} workers",
        *(against, rate(ours), rate(theirs), ratio(ours, theirs)),
        goal=at_least(goal),
    )
