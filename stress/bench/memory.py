"""Ten million elements through five stages: does the resident memory stay where it is?"""

from __future__ import annotations

from actors_rs import ActorSystem, Sink, Source
from stress.bench.fresh import in_fresh_process, resident_bytes
from stress.bench.harness import Figure, at_most, count

__all__ = ["growth", "measure"]

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


def measure(scale: float) -> list[Figure]:
    n = count(scale, 10_000_000, 1000)
    grown = in_fresh_process("stress.bench.memory", "growth", n) / 2**20
    what = f"{n:,} elements through {STAGES} stages, growth of memory"
    return [Figure(what, "after the first tenth", "", "", grown, "MiB", at_most(8))]
