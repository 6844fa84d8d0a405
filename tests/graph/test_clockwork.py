"""Where the time of a stage went, by a clock that the test reads out itself."""

import pytest

from actors_rs.engine.timing import StageClock


@pytest.fixture
def clock():
    """One second of a turn, then a pause from second 11 on."""
    clock = StageClock()
    clock.began = 10.0
    clock.end(11.0, held_back=False)
    return clock


def test_a_clock_that_never_ran_shows_zeros():
    assert StageClock().shares(5.0) == (0.0, 0.0, 0.0)


def test_a_first_turn_that_goes_on_is_all_there_is():
    clock = StageClock()
    clock.began = 2.0
    assert clock.shares(3.0) == (1.0, 0.0, 0.0)


def test_turns_and_pauses_add_up(clock):
    clock.began = 12.0
    clock.end(14.0, held_back=True)
    clock.began = 17.0
    clock.end(18.0, held_back=False)
    assert clock.shares() == (4 / 8, 1 / 8, 3 / 8)


def test_a_pause_that_goes_on_counts_as_idle(clock):
    assert clock.shares(14.0) == (0.25, 0.75, 0.0)


def test_a_pause_without_demand_that_goes_on_counts_as_back_pressured(clock):
    clock.began = 11.0
    clock.end(11.0, held_back=True)
    assert clock.shares(14.0) == (0.25, 0.0, 0.75)


def test_a_turn_that_goes_on_counts_as_busy(clock):
    clock.began = 12.0
    assert clock.shares(14.0) == (0.75, 0.25, 0.0)


def test_the_time_after_a_stage_has_stopped_does_not_count(clock):
    assert clock.shares() == (1.0, 0.0, 0.0)
