# mypy: disable-error-code="no-untyped-call"
"""Failure policies under random faults: 500 seeds of 512 elements, 2 % of the calls fail."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from stress.settings import Settings
from stress.stalls import written_down
from stress.yields import injected
from tests.faults.policies import (
    FATAL,
    POLICIES,
    check_fatal,
    check_many,
    check_supervised,
)

SEEDS = 500
PART = 25
"""So many seeds a round takes, beginning where the one before ended."""


def seeds_of(settings: Settings) -> range:
    first = settings.seed * PART % SEEDS
    return range(SEEDS) if settings.whole else range(first, first + PART)


@pytest.mark.rotated(3)
@pytest.mark.timeout(900)
@pytest.mark.parametrize("window", [1, 16, 1024])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.__name__)
def test_nothing_is_lost_or_doubled_beyond_what_the_policy_says(
    policy: Any, window: int, settings: Settings
) -> None:
    with injected(settings.yield_p / 10, settings.seed) as flight:
        failing = partial(written_down, flight=flight)
        check_many(policy, seeds_of(settings), failing, window=window)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", FATAL)
def test_what_no_policy_cures_ends_its_system_as_it_is(kind: str, settings: Settings) -> None:
    with injected(settings.yield_p / 10, settings.seed) as flight:
        failing = partial(written_down, flight=flight)
        for seed in seeds_of(settings):
            check_fatal(kind, seed, failing)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("failed_message", ["dead_letter", "retry"])
def test_a_restarted_child_handles_each_message_once(
    failed_message: str, settings: Settings
) -> None:
    with injected(settings.yield_p / 10, settings.seed) as flight:
        failing = partial(written_down, flight=flight)
        check_supervised(seeds_of(settings), failed_message, failing)
