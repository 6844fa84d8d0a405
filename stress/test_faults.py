# mypy: disable-error-code="no-untyped-call"
"""Failure policies under random faults: for each kind 500 seeds of 512 elements, 2 % fail."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from stress.settings import Settings
from stress.stalls import written_down
from stress.yields import injected
from tests.faults.policies import (
    FATAL,
    PASSED_OVER,
    POLICIES,
    RESTARTED,
    check_fatal,
    check_many,
    check_supervised,
    uncured,
)

SEEDS = 500
PART = 25
"""So many seeds a round takes, beginning where the one before ended."""


def seeds_of(settings: Settings) -> range:
    first = settings.seed * PART % SEEDS
    return range(SEEDS) if settings.whole else range(first, first + PART)


@pytest.mark.rotated(7)  # has no divisor in common with the seeds' parts, the kinds, the windows
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", PASSED_OVER)
@pytest.mark.parametrize("window", [1, 16, 1024])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.__name__)
def test_nothing_is_lost_or_doubled_beyond_what_the_policy_says(
    policy: Any, window: int, kind: str, settings: Settings
) -> None:
    with injected(settings.yield_p / 10, settings.seed) as flight:
        failing = partial(written_down, flight=flight)
        check_many(policy, seeds_of(settings), [kind], failing, window=window)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("window", [1, 16, 1024])
def test_a_cancellation_that_a_function_raises_ends_its_run_alone(
    window: int, settings: Settings
) -> None:
    with injected(settings.yield_p / 10, settings.seed) as flight:
        failing = partial(written_down, flight=flight)
        check_many(uncured, seeds_of(settings), ["CancelledError"], failing, window=window)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", FATAL)
def test_what_no_policy_cures_ends_its_system_as_it_is(kind: str, settings: Settings) -> None:
    with injected(settings.yield_p / 10, settings.seed) as flight:
        failing = partial(written_down, flight=flight)
        for seed in seeds_of(settings):
            check_fatal(kind, seed, failing)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", RESTARTED)
@pytest.mark.parametrize("failed_message", ["dead_letter", "retry"])
def test_a_restarted_child_handles_each_message_once(
    failed_message: str, kind: str, settings: Settings
) -> None:
    with injected(settings.yield_p / 10, settings.seed) as flight:
        failing = partial(written_down, flight=flight)
        seeds = seeds_of(settings)
        for first in range(0, len(seeds), PART):
            check_supervised(kind, seeds[first : first + PART], failed_message, failing)
