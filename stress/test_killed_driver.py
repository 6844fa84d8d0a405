"""A hundred kills of the driver, at random moments of runs over 200 partitions."""

from pathlib import Path
from random import Random
from time import monotonic

import pytest

from tests.spark.killing import Night

pytestmark = [pytest.mark.spark, pytest.mark.timeout(3600)]

KILLS = 100
PARTITIONS = 200
MOST_COMMITS = 4
MOST_SECONDS = 1.0


class Moment:
    """A random time behind a random number of further commits, possibly none.

    By the clock alone a busy machine would be killed before it has done anything, again and again.
    """

    def __init__(self, random: Random, night: Night) -> None:
        self._night = night
        self._commits = night.count() + random.randrange(MOST_COMMITS)
        self._wait = random.uniform(0, MOST_SECONDS)
        self._due: float | None = None

    def __call__(self) -> bool:
        if self._due is None and self._night.count() >= self._commits:
            self._due = monotonic() + self._wait
        return self._due is not None and monotonic() >= self._due


def test_runs_that_are_killed_at_random_moments_lose_and_double_nothing(tmp_path: Path) -> None:
    random = Random()
    kills = nights = starts = 0
    while kills < KILLS:
        night = Night(tmp_path / str(nights), PARTITIONS, rows=100)
        nights += 1
        before = kills
        while len(night.committed) < PARTITIONS:
            night.start()
            starts += 1
            if kills == KILLS:
                night.finish()
                break
            kills += night.kill_when(Moment(random, night))
            print(f"{kills} kills, {len(night.committed)} partitions", flush=True)
        repeated = night.attempts() - PARTITIONS
        print(f"night {nights}: {kills - before} kills, {repeated} repeated attempts", flush=True)
    print(f"{kills} kills, {starts} starts, {nights} nights")
