"""kill -9 of the driver: the next start loses no row, doubles none, and repeats little.

The driver has a night's work under way, and some of the random plans of `repeating`, all of it in
one session. stress/ kills a hundred nights and two hundred plans.
"""

from collections import Counter
from functools import partial
from pathlib import Path

import pytest

from tests.spark.killing import Night
from tests.spark.repeating import outcomes

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]  # two sessions

FIRST, COUNT = 107, 5
PARTITIONS, SHARE = 40, 20
PROGRAM = """
import sys
from pathlib import Path
from stress.overnight_fan_out import main
from tests.spark.repeating import work_on
what, folder, first, count, *night = sys.argv[1:]
work_on(what, Path(folder), int(first), int(count))
sys.exit(main(night))
"""


def has_done(night: Night, partitions: int) -> bool:
    return night.count() >= partitions


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("killed")


def program(what: str, folder: Path) -> list[str]:
    return ["-c", PROGRAM, what, str(folder), str(FIRST), str(COUNT)]


@pytest.fixture(scope="module")
def night(folder: Path) -> Night:
    """A night that was killed."""
    night = Night(folder / "night", PARTITIONS, rows=50, seconds=0.2)
    night.start(program("begin", folder))
    assert night.kill_when(partial(has_done, night, SHARE))
    return night


@pytest.fixture(scope="module")
def committed(night: Night) -> int:
    """How many partitions it had done by then."""
    return len(night.committed)


@pytest.fixture(scope="module")
def printed(night: Night, committed: int, folder: Path) -> str:
    """The output of the next start, which ends by itself."""
    night.start(program("finish", folder))
    return night.finish()


@pytest.fixture(scope="module")
def plans(printed: str, folder: Path) -> Counter[str]:
    begun, finished = (
        (folder / f"{what}-{FIRST}.json").read_text() for what in ("begin", "finish")
    )
    return outcomes(begun, finished)


def test_a_run_that_is_killed_ends_with_each_row_once(
    night: Night, committed: int, printed: str
) -> None:
    assert SHARE <= committed < PARTITIONS
    assert len(night.committed) == PARTITIONS
    assert f"{PARTITIONS} of {PARTITIONS} partitions committed (100.0%)" in printed


def test_random_plans_that_are_killed_are_exact_afterwards_or_refused(
    plans: Counter[str],
) -> None:
    assert plans["FAULT"] == 0
    assert plans["exact"] >= 2
    assert plans["resumed"] >= 2
    assert plans["refused"] >= 1
