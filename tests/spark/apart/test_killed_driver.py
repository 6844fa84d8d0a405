"""kill -9 of the driver: the next start loses no row, doubles none, and repeats little.

``stress/test_killed_driver.py`` kills it a hundred times."""

from functools import partial
from pathlib import Path

import pytest

from tests.spark.killing import Night

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]  # two sessions


def has_done(night: Night, partitions: int) -> bool:
    return night.count() >= partitions


def test_a_run_that_is_killed_ends_with_each_row_once(tmp_path: Path) -> None:
    night = Night(tmp_path, partitions=24, rows=50, seconds=0.2)
    night.start()
    assert night.kill_when(partial(has_done, night, 10))
    assert 10 <= len(night.committed) < 24
    night.start()
    printed = night.finish()
    assert len(night.committed) == 24
    assert "24 of 24 partitions committed (100.0%)" in printed
