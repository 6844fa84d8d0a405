"""Failure policies under random faults; more seeds of them run in ``stress/``."""

import pytest

from tests.faults.policies import (
    FATAL,
    POLICIES,
    RATE,
    RESTARTED,
    check_fatal,
    check_many,
    check_supervised,
    retry,
    section,
    uncured,
)

SEEDS = range(20)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.__name__)
def test_nothing_is_lost_or_doubled_beyond_what_the_policy_says(policy):
    check_many(policy, SEEDS[:7] if policy not in (retry, section) else SEEDS[:2])


def test_a_cancellation_that_a_function_raises_ends_its_run_alone_whatever_the_policy():
    check_many(uncured, SEEDS, ["CancelledError"])


@pytest.mark.parametrize("kind", FATAL)
def test_what_no_policy_cures_ends_its_system_as_it_is(kind):
    for seed in SEEDS:
        check_fatal(kind, seed)


@pytest.mark.parametrize("kind", RESTARTED)
@pytest.mark.parametrize("failed_message", ["dead_letter", "retry"])
def test_a_restarted_child_handles_each_message_once(failed_message, kind):
    check_supervised(kind, SEEDS[:7], failed_message, rate=RATE / 8)
