"""kill -9 of the driver: the next start loses no row, doubles none, and repeats little."""

from functools import partial
from pathlib import Path

import pytest

from tests.spark.killing import Night

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]  # three sessions


def has_done(night: Night, partitions: int) -> bool:
    return night.count() >= partitions


def test_a_run_that_is_killed_twice_ends_with_each_row_once(tmp_path: Path) -> None:
    night = Night(tmp_path, partitions=40, rows=50, seconds=0.2)
    for share in (3, 20):
        night.start()
        assert night.kill_when(partial(has_done, night, share))
        assert share <= len(night.committed) < 40
    night.start()
    printed = night.finish()
    assert len(night.committed) == 40
    assert "40 of 40 partitions committed (100.0%)" in printed
