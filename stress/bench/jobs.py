"""Real jobs against what a user would pick, where more than one core is needed.

Lines of JSON are parsed and summed up; blobs of 2 MiB are hashed. Each contestant is what a user
would write, with a pool that is warm, and its number of lines stands beside its name.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from statistics import median
from typing import Any, NamedTuple

from actors_rs import ActorSystem, Sink, Source
from stress.bench.harness import Contestant, Figure, count, in_turn, rate, ratio

__all__ = ["measure"]

WORKERS = 2
ROUNDS = 5


def price(line: str) -> int:
    row = json.loads(line)
    return int(row["price"]) * len(row["tags"])


def digest(blob: bytes) -> int:
    return hashlib.blake2b(blob).digest()[0]


class Pools(NamedTuple):
    """What contestants run on."""

    system: ActorSystem
    executor: ProcessPoolExecutor
    pool: Any


def loop(f: Callable[[Any], int], elements: Sequence[Any], size: int, pools: Pools) -> int:
    return sum(map(f, elements))


def executor(f: Callable[[Any], int], elements: Sequence[Any], size: int, pools: Pools) -> int:
    return sum(pools.executor.map(f, elements, chunksize=size))


def pool(f: Callable[[Any], int], elements: Sequence[Any], size: int, pools: Pools) -> int:
    return sum(pools.pool.imap_unordered(f, elements, chunksize=size))


def ours(f: Callable[[Any], int], elements: Sequence[Any], size: int, pools: Pools) -> int:
    graph = Source.from_iterable(elements).map_processes(f, WORKERS).to(Sink.sum())
    result: int = pools.system.start(graph).result()
    return result


CONTESTANTS = {
    "a plain loop": loop,
    "ProcessPoolExecutor.map": executor,
    "Pool.imap_unordered": pool,
}


def lines_of(f: Callable[..., Any]) -> int:
    """How many lines of code a user writes for it."""
    return len(inspect.getsource(f).splitlines()) - 1


def measure(scale: float) -> list[Figure]:
    lines = [
        json.dumps({"id": n, "price": n, "tags": ["a", "b", "c"], "text": "x" * 100})
        for n in range(count(scale, 100_000))
    ]
    blobs = [os.urandom(2 << 20) for _ in range(count(scale, 60))]
    fork = multiprocessing.get_context("fork")
    with (
        ActorSystem() as system,
        ProcessPoolExecutor(WORKERS, fork) as executor,
        fork.Pool(WORKERS) as pool,
    ):
        pools = Pools(system, executor, pool)
        return [
            *_job("JSON lines parsed and summed up", price, lines, 1000, pools),
            *_job("blobs of 2 MiB hashed", digest, blobs, 1, pools),
        ]


def _job(
    name: str, f: Callable[[Any], int], elements: Sequence[Any], size: int, pools: Pools
) -> list[Figure]:
    n = len(elements)
    expected = loop(f, elements, size, pools)
    runs: list[Contestant] = []
    for contestant in (ours, *CONTESTANTS.values()):
        assert contestant(f, elements, size, pools) == expected
        runs.append((lambda c=contestant: c(f, elements, size, pools), n))  # type: ignore[misc]
    mine, *others = in_turn(ROUNDS, runs)
    return [
        Figure(
            f"{name}, {WORKERS} workers, map_processes ({lines_of(ours)} lines)",
            f"{against} ({lines_of(CONTESTANTS[against])} lines), {median(theirs) * n:.2f} s",
            *(rate(mine), rate(theirs), ratio(mine, theirs)),
        )
        for against, theirs in zip(CONTESTANTS, others, strict=True)
    ]
