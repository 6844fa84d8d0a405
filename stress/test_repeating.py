"""Two hundred random plans, killed in one process and gone on with in another."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from tests.spark.repeating import killed_and_gone_on_with

pytestmark = [pytest.mark.spark, pytest.mark.timeout(3600)]

PLANS, AT_ONCE = 200, 40


def test_random_plans_that_are_killed_are_exact_afterwards_or_refused(tmp_path: Path) -> None:
    first = Random().randrange(10**6)
    outcomes: Counter[str] = Counter()
    for start in range(first, first + PLANS, AT_ONCE):
        outcomes += killed_and_gone_on_with(tmp_path, start, AT_ONCE)
        print(f"plans {first} to {start + AT_ONCE - 1}: {dict(outcomes)}", flush=True)
    assert outcomes["FAULT"] == 0
    assert outcomes["exact"] > outcomes["refused"]
    assert outcomes["resumed"] > 0.8 * outcomes["exact"], "the others had ended before the kill"
