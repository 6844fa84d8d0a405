"""Cancelling: how long it takes until the last stage has stopped."""

from __future__ import annotations

import itertools
import random
import time
from statistics import quantiles

import pytest

from actors_rs import ActorSystem, Sink, Source, merge
from actors_rs.testing.leaks import no_leaks
from stress.machine import lateness_of_the_machine
from stress.running import quiet
from stress.settings import Settings
from stress.stalls import written_down
from stress.yields import recorded

RUNS = 300
LONGEST = 0.05
"""Seconds within which 99 of 100 cancelled runs have ended; stretched by the dilation."""
HANDS = 4
"""Stages a cancellation goes through, one after the other: each may find the machine late."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("workers", [1, 2, 8])
@pytest.mark.parametrize("window", [1, 16, 1024])
def test_99_of_100_cancelled_runs_have_ended_within_50_milliseconds(
    workers: int, window: int, settings: Settings
) -> None:
    dice = random.Random(settings.seed)
    with recorded() as flight, quiet(), no_leaks(), lateness_of_the_machine() as machine:
        with (
            ActorSystem(workers=workers, window=window) as system,
            written_down(system, f"cancel-{workers}w-window{window}", flight),
        ):
            took = [cancel_one(system, dice, settings) for _ in range(RUNS)]
    late, most = quantiles(took, n=100)[98], settings.stretched(LONGEST) + HANDS * machine.p99
    said = f"p99 is {late * 1000:.1f} ms; the machine itself is {machine.p99 * 1000:.1f} ms late"
    print(said)
    assert late <= most, said


def cancel_one(system: ActorSystem, dice: random.Random, settings: Settings) -> float:
    """Start a run, cancel it at a random moment, and tell the seconds that it took to end."""
    endless = [Source.from_iterable(itertools.count).map(abs) for _ in range(3)]
    run = system.start(merge(*endless).batch(3).to(Sink.ignore()))
    run.wait(dice.random() ** 4 * 0.02)
    began = time.monotonic()
    run.cancel()
    assert run.wait(settings.stretched(20))
    took = time.monotonic() - began
    assert run.state == "cancelled"
    return took
