"""Every pair of calls that two peers may make at the same moment."""

from __future__ import annotations

from itertools import combinations_with_replacement

import pytest

from actors_rs import ActorSystem
from actors_rs.testing.leaks import no_leaks
from stress.races import LOOPS, race
from stress.running import quiet
from stress.scene import CALLS, Scene
from stress.settings import Settings
from stress.stalls import written_down
from stress.yields import injected

PAIRS = list(combinations_with_replacement(CALLS, 2))


@pytest.mark.rotated(9)
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("one", "other"), PAIRS, ids=["-".join(pair) for pair in PAIRS])
def test_two_calls_at_the_same_moment_do_no_harm(one: str, other: str, settings: Settings) -> None:
    scenes: list[Scene] = []
    with injected(settings.yield_p, settings.seed) as flight, quiet(), no_leaks():
        with ActorSystem(workers=2, window=4) as system:
            with written_down(system, f"race-{one}-{other}", flight):
                race(
                    lambda: scenes[-1].call(one, 0),
                    lambda: scenes[-1].call(other, 1),
                    LOOPS,
                    before=lambda: scenes.append(Scene(system, settings)),
                    after=lambda: scenes.pop().finish(),
                    seed=settings.seed,
                )
