"""A dozen of the random plans of `repeating`; stress/test_repeating.py has two hundred."""

from pathlib import Path

import pytest

from tests.spark.repeating import killed_and_gone_on_with

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

FIRST, COUNT = 100, 12


def test_a_dozen_random_plans_that_are_killed_are_exact_afterwards_or_refused(
    tmp_path: Path,
) -> None:
    outcomes = killed_and_gone_on_with(tmp_path, FIRST, COUNT)
    assert outcomes["FAULT"] == 0
    assert outcomes["exact"] >= 4
    assert outcomes["resumed"] >= 4
    assert outcomes["refused"] >= 1
