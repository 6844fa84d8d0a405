"""Backoff, intensity and strategies as plain values."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime.supervision.backoff import SHORTEST_WAIT, Backoff
from actors_rs.runtime.supervision.intensity import Intensity
from actors_rs.runtime.supervision.strategies import OneForAll, OneForOne, RestForOne, Strategy

SECONDS = st.floats(0, 1e6)


def test_waits_grow_by_the_factor_up_to_the_maximum():
    backoff = Backoff(initial=0.5, maximum=5, factor=3, jitter=0)
    assert [backoff.delay(n) for n in range(5)] == [0.5, 1.5, 4.5, 5, 5]


def test_jitter_makes_a_wait_shorter_or_longer_by_its_share():
    backoff = Backoff(initial=10, maximum=100, factor=2, jitter=0.2)
    assert [backoff.delay(0, chance) for chance in (0, 0.5, 1)] == pytest.approx([8, 10, 12])


@given(
    SECONDS,
    SECONDS,
    st.floats(1, 1e9),
    st.floats(0, 1),
    st.integers(0, 10**6),
    st.floats(0, 1),
)
def test_no_wait_is_above_the_maximum_nor_so_short_that_20_fit_into_a_second(
    initial, more, factor, jitter, restarts, chance
):
    backoff = Backoff(initial, initial + more, factor, jitter)
    wait = backoff.delay(restarts, chance)
    assert SHORTEST_WAIT <= wait <= max(SHORTEST_WAIT, backoff.maximum)
    assert 1 / wait < 20


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"initial": 2, "maximum": 1}, r"maximum must be at least initial \(2 s\), got 1"),
        ({"initial": -1}, "initial must be at least 0 seconds, got -1"),
        ({"factor": 0.5}, "factor must be at least 1, got 0.5"),
        ({"jitter": 1.5}, "jitter must be from 0 to 1, got 1.5"),
        ({"jitter": -0.1}, "jitter must be from 0 to 1, got -0.1"),
        ({"initial": "1"}, "initial must be a number, got '1'"),
        ({"maximum": math.inf}, "maximum must be a number, got inf"),
        ({"factor": math.nan}, "factor must be a number, got nan"),
        ({"maximum": 10**400}, "maximum must be a number, got an int of 1329 bits"),
        ({"jitter": True}, "jitter must be a number, got True"),
    ],
)
def test_a_backoff_that_makes_no_sense_is_refused_in_a_sentence(arguments, sentence):
    with pytest.raises(InvalidArgumentError, match=f"backoff: {sentence}"):
        Backoff(**arguments)


def test_restarts_are_counted_within_their_time():
    intensity = Intensity(max_restarts=3, within=5.0)
    assert [intensity.allows(now) for now in (0, 1, 2, 3, 4.9)] == [True] * 3 + [False] * 2
    assert intensity.allows(5.0)  # the first one is over
    assert not intensity.allows(5.5)
    assert intensity.lately == 2


def test_time_spent_in_waits_does_not_count():
    intensity, now = Intensity(max_restarts=3, within=5.0), 0.0
    for _ in range(3):
        assert intensity.allows(now)
        intensity.waits(60.0)
        now += 60.1
    assert not intensity.allows(now)


def test_a_restart_costs_the_same_however_many_there_were():
    class Within(float):
        """Counts how often a time is compared with it."""

        asked = 0

        def __le__(self, seconds):
            self.asked += 1
            return float.__le__(self, seconds)

        def __gt__(self, seconds):
            return not self <= seconds

    within = Within(1000.0)
    intensity = Intensity(max_restarts=10**9, within=within)
    assert all(intensity.allows(float(now)) for now in range(3000))
    assert intensity.lately == 999
    assert within.asked < 2 * 3000


def test_no_restart_is_allowed_when_none_may_be():
    assert not Intensity(max_restarts=0, within=5.0).allows(0.0)


@pytest.mark.parametrize(
    ("failed", "one", "all_of_them", "rest"),
    [
        ("", "", "", ""),
        ("a", "a", "abcd", "abcd"),
        ("c", "c", "abcd", "cd"),
        ("d", "d", "abcd", "d"),
        ("db", "bd", "abcd", "bcd"),
    ],
)
def test_who_is_affected_by_which_failures(failed, one, all_of_them, rest):
    found = [kind().affected("abcd", set(failed)) for kind in (OneForOne, OneForAll, RestForOne)]
    assert ["".join(names) for names in found] == [one, all_of_them, rest]


def test_the_defaults_are_three_restarts_in_five_seconds():
    assert OneForOne() == OneForOne(3, 5.0, Backoff(), "dead_letter")


@pytest.mark.parametrize("kind", [OneForOne, OneForAll, RestForOne])
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"max_restarts": -1}, "max_restarts must be a whole number from 0 on, got -1"),
        ({"max_restarts": 1.5}, "max_restarts must be a whole number from 0 on, got 1.5"),
        ({"within": 0}, "within must be a number of seconds above 0, got 0"),
        ({"within": math.nan}, "within must be a number of seconds above 0, got nan"),
        ({"within": True}, "within must be a number of seconds above 0, got True"),
        (
            {"within": 10**400},
            "within must be a number of seconds above 0, got an int of 1329 bits",
        ),
        ({"backoff": 1}, "backoff must be a Backoff, got 1"),
        ({"failed_message": "drop"}, "failed_message must be 'dead_letter' or 'retry', got 'drop'"),
    ],
)
def test_a_strategy_that_makes_no_sense_is_refused_in_a_sentence(kind, arguments, sentence):
    with pytest.raises(InvalidArgumentError, match=f"{kind.__name__}: {sentence}"):
        kind(**arguments)


def test_a_strategy_of_ones_own_has_to_say_who_is_affected():
    with pytest.raises(NotImplementedError):
        Strategy().affected("ab", {"a"})
