"""The size of an automatic window, decided from figures alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs.stages.chunks.window_policy import (
    FIRST_WINDOW,
    MOST_BYTES,
    MOST_ELEMENTS,
    MOST_SECONDS,
    HeldPolicy,
    WindowPolicy,
)

MIB = 2**20


def after_windows(policy: WindowPolicy, windows: int, *, each: float, weight: float = 64.0) -> int:
    for _ in range(windows):
        policy.drained(policy.size, policy.size * each, weight)
    return policy.size


def test_a_window_starts_small():
    assert WindowPolicy().size == FIRST_WINDOW


def test_a_window_never_starts_larger_than_the_most_it_may_be():
    assert WindowPolicy(1).size == 1


def test_a_fast_stage_has_the_whole_window_after_a_few_windows():
    assert after_windows(WindowPolicy(), 5, each=1e-6) == MOST_ELEMENTS


def test_a_window_does_not_grow_before_a_whole_one_was_drained():
    policy = WindowPolicy()
    sizes = [policy.drained(1, 1e-6, 64) for _ in range(FIRST_WINDOW)]
    assert sizes[:-1] == [FIRST_WINDOW] * (FIRST_WINDOW - 1)
    assert sizes[-1] > FIRST_WINDOW


def test_a_window_of_a_stage_that_waits_for_downstream_does_not_grow():
    policy = WindowPolicy()
    for _ in range(5):
        policy.drained(policy.size, 1e-6, 64, asked=FIRST_WINDOW)
    assert policy.size == FIRST_WINDOW
    assert policy.drained(FIRST_WINDOW, 1e-6, 64) > FIRST_WINDOW


def test_a_window_of_a_slow_stage_that_waits_for_downstream_shrinks():
    assert WindowPolicy().drained(FIRST_WINDOW, 10.0, 64, asked=FIRST_WINDOW) == 1


def test_a_window_that_takes_longer_than_five_milliseconds_stays_as_it_is():
    assert after_windows(WindowPolicy(), 50, each=0.002) == FIRST_WINDOW


@pytest.mark.parametrize(("each", "size"), [(0.05, 5), (0.1, 2), (0.25, 1), (10.0, 1)])
def test_a_slow_stage_has_no_more_than_a_quarter_of_a_second_of_work(each, size):
    assert after_windows(WindowPolicy(), 3, each=each) == size


def test_a_stage_that_turns_slow_has_less_before_it_has_worked_through_its_window():
    policy = WindowPolicy()
    after_windows(policy, 5, each=1e-6)
    assert policy.drained(6, 0.3, 64) == 5


def test_a_stage_that_turns_fast_again_has_a_large_window_again():
    policy = WindowPolicy()
    after_windows(policy, 3, each=1.0)
    assert policy.size == 1
    assert after_windows(policy, 6, each=1e-6) == MOST_ELEMENTS


def test_a_stage_that_takes_nothing_for_long_has_one_element():
    assert WindowPolicy().drained(0, 20.0, 64) == 1


def test_heavy_elements_are_held_up_to_sixteen_mebibytes():
    assert after_windows(WindowPolicy(), 5, each=1e-6, weight=MIB) == 16


def test_an_element_that_is_heavier_than_all_may_be_is_held_alone():
    assert WindowPolicy().drained(1, 1e-6, 100 * MIB) == 1


def test_one_heavy_element_among_light_ones_counts_at_once_and_is_forgotten_step_by_step():
    policy = WindowPolicy()
    after_windows(policy, 6, each=1e-6)
    assert policy.drained(1, 1e-6, 4 * MIB) == 4
    assert after_windows(policy, 30, each=1e-6) == MOST_ELEMENTS


def test_a_stage_that_wants_large_windows_has_them_at_any_pace_within_the_bytes():
    assert after_windows(WindowPolicy(any_pace=True), 6, each=1.0) == MOST_ELEMENTS
    assert after_windows(WindowPolicy(any_pace=True), 6, each=1.0, weight=MIB) == 16


def test_elements_that_wait_on_purpose_have_the_most_whatever_they_weigh_and_take():
    policy = HeldPolicy(4096)
    assert policy.drained(1, 3600.0, 100 * MIB) == 4096
    assert policy.weight == 100 * MIB


@given(
    st.integers(1, 10_000),
    st.lists(st.tuples(st.integers(0, 5000), st.floats(0, 100), st.floats(0, 2**34))),
)
def test_a_window_is_never_empty_nor_larger_than_its_bounds(most, drained):
    policy = WindowPolicy(most)
    for elements, seconds, weight in drained:
        size = policy.drained(elements, seconds, weight)
        assert 1 <= size <= most
        assert size == 1 or size * weight <= MOST_BYTES


@given(st.floats(1e-6, 1.0), st.integers(10, 60))
def test_a_steady_stage_settles_within_its_quarter_of_a_second(each, windows):
    size = after_windows(WindowPolicy(), windows, each=each)
    assert size == 1 or size * each <= MOST_SECONDS * 1.001
    assert after_windows(WindowPolicy(), windows + 10, each=each) == size
