"""100,000 actors started, told once and stopped, against 10,000; and the memory of each.

The garbage collector is on, as in any program; what it does on top is a line of its own.
"""

from __future__ import annotations

import gc
from functools import partial
from statistics import median

from actors_rs import ActorSystem, PooledActor
from stress.bench.measuring.fresh import in_fresh_process
from stress.bench.measuring.harness import Figure, at_most, count, in_turn

__all__ = ["Idle", "bytes_per_actor", "measure"]


class Idle(PooledActor):
    """Takes a message and does nothing."""

    def on_receive(self, message: object) -> None:
        pass


def lives(n: int) -> None:
    with ActorSystem() as system:
        refs = [system.spawn(Idle) for _ in range(n)]
        for ref in refs:
            ref.tell(1)


def without_collector(n: int) -> None:
    gc.disable()
    try:
        lives(n)
    finally:
        gc.enable()


def bytes_per_actor(n: int) -> float:
    """Growth of the resident set by ``n`` living actors that were told once, and their refs."""
    from stress.bench.measuring.fresh import resident_bytes

    with ActorSystem() as system:
        system.spawn(Idle).tell(1)
        refs = []
        before = resident_bytes()
        for _ in range(n):
            refs.append(system.spawn(Idle))
        for ref in refs:
            ref.tell(1)
        refs[-1].ask(1)
        return (resident_bytes() - before) / n


def measure(scale: float) -> list[Figure]:
    many, few = count(scale, 100_000), count(scale, 10_000)
    sizes = ((lives, many), (lives, few), (without_collector, many), (without_collector, few))
    times = in_turn(5, [(partial(run, n), 1) for run, n in sizes])
    long, short, long_off, short_off = (median(seconds) for seconds in times)
    per_actor = in_fresh_process("stress.bench.many_actors", "bytes_per_actor", many)
    what = f"{many:,} actors started, told once, stopped"
    against = f"{few:,} actors"
    off = f"{what}, cyclic garbage collector off"
    return [
        Figure(what, against, f"{long:.2f} s", f"{short:.3f} s", long / short, goal=at_most(12)),
        Figure(off, against, f"{long_off:.2f} s", f"{short_off:.3f} s", long_off / short_off),
        Figure(
            "memory of an actor",
            "resident set, fresh process",
            "",
            "",
            per_actor / 1024,
            "KiB",
            at_most(3),
        ),
    ]
