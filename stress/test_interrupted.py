"""Ctrl-C at all places of long calls, of which the tests take a part."""

from functools import partial
from typing import Any

import pytest

from tests.runtime.interrupting import interrupted_everywhere, interrupted_twice
from tests.runtime.test_interrupted_calling_thread import PART, STEP, starts_interrupted
from tests.runtime.test_interrupted_twice import restarts_interrupted


@pytest.mark.parametrize("first", range(PART))
def test_a_system_goes_on_and_ends_wherever_the_start_of_a_run_was_interrupted(first: int) -> None:
    starts_interrupted(first)


@pytest.mark.parametrize(
    "interrupted",
    [interrupted_everywhere, partial(interrupted_twice, step=11 * STEP)],
    ids=["once", "twice"],
)
@pytest.mark.parametrize("told", ["fail", "stop"])
def test_a_supervisor_restarts_or_ends_a_child_wherever_that_is_interrupted(
    told: str, interrupted: Any
) -> None:
    restarts_interrupted(told, interrupted)
