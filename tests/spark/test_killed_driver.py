"""kill -9 of the driver: the next start loses no row, doubles none, and repeats little."""

from functools import partial
from pathlib import Path

import pytest

from tests.spark.killing import Night

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]  # three sessions


def has_done(night: Night, partitions: int) -> bool:
    return night.count() >= partitions


def test_a_run_that_is_killed_twice_ends_with_each_row_once(tmp_path: Path) -> None:
    night = Night(tmp_path, partitions=20, rows=50)
    for share in (3, 12):
        night.start()
        assert night.kill_when(partial(has_done, night, share))
        assert share <= len(night.committed) < 20
    night.start()
    printed = night.finish()
    assert len(night.committed) == 20
    assert "20 of 20 partitions committed (100.0%)" in printed
