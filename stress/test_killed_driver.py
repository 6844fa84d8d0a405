"""A hundred kills of the driver, at random moments of runs over 200 partitions."""

from functools import partial
from pathlib import Path
from random import Random
from time import monotonic

import pytest

from tests.spark.killing import Night

pytestmark = [pytest.mark.spark, pytest.mark.timeout(3600)]

KILLS = 100
PARTITIONS = 200
MOST_SECONDS = 6.0  # a kill comes that long after the ledger was opened, at most


def is_past(moment: float) -> bool:
    return monotonic() > moment


def test_runs_that_are_killed_at_random_moments_lose_and_double_nothing(tmp_path: Path) -> None:
    random = Random()
    kills = nights = starts = 0
    while kills < KILLS:
        night = Night(tmp_path / str(nights), PARTITIONS, rows=100)
        nights += 1
        while len(night.committed) < PARTITIONS:
            night.start()
            starts += 1
            if kills == KILLS:
                night.finish()
                break
            kills += night.kill_when(
                partial(is_past, monotonic() + random.uniform(0, MOST_SECONDS))
            )
        attempts = night.attempts()
        print(
            f"{kills} kills, {starts} starts, night {nights}: "
            f"{attempts - PARTITIONS} of {attempts} attempts were repetitions"
        )
