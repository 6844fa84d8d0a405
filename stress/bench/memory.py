"""Resident memory: of ten million light elements, and of 1 MB elements under a limit."""

from __future__ import annotations

from resource import RUSAGE_SELF, getrusage
from time import sleep

from actors_rs import ActorSystem, Sink, Source
from stress.bench.measuring.fresh import in_fresh_process, resident_bytes
from stress.bench.measuring.harness import Figure, at_most, count

__all__ = ["growth", "measure", "peak"]

STAGES = 5


def growth(n: int) -> float:
    """Bytes by which the resident set exceeds, at any later tenth, what it was after the first."""
    tenth = n // 10
    samples: list[int] = []

    def sample(x: int) -> None:
        if (x + 1) % tenth == 0:
            samples.append(resident_bytes())

    flow = Source.range(0, n)
    for _ in range(STAGES):
        flow = flow.map(abs)
    with ActorSystem() as system:
        system.start(flow.to(Sink.for_each(sample))).result()
    return max(samples) - samples[0]


def peak(n: int) -> float:
    """The peak of the resident set in bytes, as ``n`` elements of 1 MB wait for a slow stage."""

    def load(_: int) -> bytes:
        return b"x" * 1_000_000  # zeros would take no memory until they are written

    def slow(loaded: bytes) -> int:
        sleep(0.0005)
        return len(loaded)

    flow = Source.range(0, n).map(load).map(slow)
    with ActorSystem(memory_limit="64 MiB") as system:
        system.start(flow.to(Sink.sum())).result()
    return getrusage(RUSAGE_SELF).ru_maxrss * 1024


def measure(scale: float) -> list[Figure]:
    n = count(scale, 10_000_000, 1000)
    grown = in_fresh_process("stress.bench.memory", "growth", n) / 2**20
    what = f"{n:,} elements through {STAGES} stages, growth of memory"
    heavy = count(scale, 3000, 100)
    most = in_fresh_process("stress.bench.memory", "peak", heavy) / 2**20
    limited = f"{heavy:,} elements of 1 MB to a slow stage, peak of memory"
    return [
        Figure(what, "after the first tenth", "", "", grown, "MiB", at_most(8)),
        Figure(limited, 'memory_limit="64 MiB"', "", "", most, "MiB", at_most(150)),
    ]
