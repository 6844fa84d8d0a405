# mypy: disable-error-code="no-untyped-call"
"""Failure policies under random faults: 500 seeds of 512 elements, 2 % of the calls fail."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from stress.settings import Settings
from stress.yields import Flight, injected
from tests.faults.policies import (
    FATAL,
    POLICIES,
    check_fatal,
    check_many,
    check_supervised,
    retry,
    section,
)

SEEDS = 500
PART = 100
"""Of policies that wait between attempts, a round takes so many seeds."""


def seeds_of(policy: Any, settings: Settings) -> range:
    if policy not in (retry, section) or settings.whole:
        return range(SEEDS)
    first = settings.seed * PART % SEEDS
    return range(first, first + PART)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("window", [1, 16, 1024])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.__name__)
def test_nothing_is_lost_or_doubled_beyond_what_the_policy_says(
    policy: Any, window: int, settings: Settings
) -> None:
    if policy in (retry, section) and window != 16:
        pytest.skip("takes long, and its waits have nothing to do with the window")
    with injected(settings.yield_p / 10, settings.seed, Flight()):
        check_many(policy, seeds_of(policy, settings), window=window)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", FATAL)
def test_what_no_policy_cures_ends_its_run_and_no_other(kind: str, settings: Settings) -> None:
    with injected(settings.yield_p / 10, settings.seed, Flight()):
        check_many(partial(check_fatal, kind=kind), range(SEEDS))


@pytest.mark.timeout(900)
@pytest.mark.parametrize("failed_message", ["dead_letter", "retry"])
def test_a_restarted_child_handles_each_message_once(
    failed_message: str, settings: Settings
) -> None:
    with injected(settings.yield_p / 10, settings.seed, Flight()):
        check_supervised(range(SEEDS), failed_message)
