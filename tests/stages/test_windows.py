"""Windows, watermarks and sessions as values: no streams, no clock."""

from datetime import UTC, datetime, timedelta, timezone
from itertools import permutations
from math import inf
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs.errors import TooManyKeysError
from actors_rs.stages.windows.event_times import EventTimes
from actors_rs.stages.windows.fixed import FixedWindows
from actors_rs.stages.windows.sessions import Sessions
from actors_rs.stages.windows.spans import Session, Sliding
from actors_rs.stages.windows.watermarks import Watermarks

event_times = st.floats(-1e9, 1e9) | st.integers(-100, 100).map(float)
sizes = st.sampled_from([0.1, 0.3, 1.0, 7.0, 60.0, 86_400.0])


def appended(values, element):
    return [*values, element]


def fixed(size, step=None, offset=0.0, most=99, policy="fail"):
    return FixedWindows(Sliding(size, step or size, offset), list, appended, most, policy)


def sessions(gap, most=99, policy="fail", merge=None):
    return Sessions(Session(gap), list, appended, most, policy, merge)


@given(moment=event_times, size=sizes, offset=st.sampled_from([0.0, 0.1, 5.0, -3.0]))
def test_each_moment_is_in_one_fixed_window_and_windows_have_no_gap(moment, size, offset):
    span = Sliding(size, size, offset)
    (number,) = span.numbers(moment)
    assert span.start(number) <= moment < span.end(number)
    assert span.end(number) == span.start(number + 1)


@given(moment=st.integers(-500, 500), size=st.integers(1, 20), step=st.integers(1, 20))
def test_a_moment_is_in_the_sliding_windows_that_hold_it_and_no_others(moment, size, step):
    span = Sliding(float(size), float(step))
    around = range(-600, 601)
    expected = [n for n in around if n * step <= moment < n * step + size]
    assert list(span.numbers(float(moment))) == expected


# The examples that Flink tests its window assigners with, in milliseconds.
FLINK = [
    (Sliding(5000, 5000), 0, [(0, 5000)]),
    (Sliding(5000, 5000), 4999, [(0, 5000)]),
    (Sliding(5000, 5000), 5000, [(5000, 10000)]),
    (Sliding(5000, 5000, 100), 100, [(100, 5100)]),
    (Sliding(5000, 5000, 100), 5099, [(100, 5100)]),
    (Sliding(5000, 5000, 100), 5100, [(5100, 10100)]),
    (Sliding(5000, 1000), 0, [(n, n + 5000) for n in range(-4000, 1000, 1000)]),
    (Sliding(5000, 1000), 4999, [(n, n + 5000) for n in range(0, 5000, 1000)]),
    (Sliding(5000, 1000), 5000, [(n, n + 5000) for n in range(1000, 6000, 1000)]),
]


@pytest.mark.parametrize(("span", "moment", "expected"), FLINK)
def test_windows_are_those_of_flink(span, moment, expected):
    assert [(span.start(n), span.end(n)) for n in span.numbers(moment)] == expected


def in_sessions(gap, times):
    """What sessions there are, by sorting: those whose distance is below ``gap`` belong together"""
    found = list[list[float]]()
    for time in sorted(times):
        if found and time < found[-1][-1] + gap:
            found[-1].append(time)
        else:
            found.append([time])
    return [(one[0], one[-1] + gap, sorted(one)) for one in found]


@given(times=st.lists(st.integers(0, 60), max_size=20), gap=st.integers(1, 9), merges=st.booleans())
def test_sessions_do_not_depend_on_the_order_in_which_elements_come(times, gap, merges):
    kept = sessions(gap, merge=(lambda a, b: a + b) if merges else None)
    for time in times:
        assert kept.add("k", time, time, -inf) is None
    closed = [(one.start, one.end, sorted(one.value)) for one in kept.close(inf)]
    assert closed == in_sessions(gap, times)
    assert kept.open == 0


def test_an_element_that_joins_sessions_has_them_folded_in_the_order_in_which_they_came():
    for times in permutations((0, 8, 4, 20)):
        kept = sessions(5)
        for time in times:
            kept.add("k", time, time, -inf)
        first = kept.close(inf)[0]
        assert (first.start, first.end) == (0, 13)
        assert first.value == [time for time in times if time != 20]


def test_a_session_that_grows_closes_at_its_new_end():
    kept = sessions(10)
    kept.add("a", 0, "x", -inf)
    kept.add("a", 8, "y", -inf)
    assert kept.close(17.9) == []
    assert [one.value for one in kept.close(18)] == [["x", "y"]]
    assert kept.add("a", 5, "z", 18) == "late"
    assert kept.add("a", 9, "z", 18) is None, "its session would last beyond the watermark"


@pytest.mark.parametrize("make", [lambda *a: fixed(10, None, 0.0, *a), lambda *a: sessions(10, *a)])
def test_there_are_no_more_values_than_allowed(make):
    windows = make(2, "fail")
    windows.add("a", 1, 1, -inf)
    windows.add("b", 2, 2, -inf)
    windows.add("a", 3, 3, -inf)
    with pytest.raises(TooManyKeysError, match=r"max_keys=2.*key 'c'"):
        windows.add("c", 4, 4, -inf)
    windows = make(2, "drop")
    results = [windows.add(key, 1, n, -inf) for n, key in enumerate("abcac")]
    assert results == [None, None, "dropped", None, "dropped"]
    windows = make(2, "emit_oldest")
    for n, key in enumerate("abcb"):
        assert windows.add(key, n, n, -inf) is None
    assert [(one.key, one.value) for one in windows.early] == [("a", [0])]
    assert {one.key: one.value for one in windows.close(inf)} == {"b": [1, 3], "c": [2]}
    assert windows.open == 0


def test_a_fold_that_raises_changes_nothing():
    def picky(values, element):
        if element < 0:
            raise ValueError(element)
        return [*values, element]

    for windows in (
        FixedWindows(Sliding(10, 5), list, picky, 99, "fail"),
        Sessions(Session(10), list, picky, 99, "fail", None),
    ):
        windows.add("k", 1, 1, -inf)
        with pytest.raises(ValueError, match="-1"):
            windows.add("k", 2, -1, -inf)
        with pytest.raises(ValueError, match="-1"):
            windows.add("new", 2, -1, -inf)
        assert {one.key for one in windows.close(inf)} == {"k"}


def test_the_watermark_of_several_inputs_is_the_least_and_never_goes_back():
    marks = Watermarks(2, lateness=1)
    assert not marks.saw(0, 29)
    assert marks.value == -inf, "nothing is known of the other input"
    assert marks.saw(1, 14)
    assert marks.value == 13
    assert not marks.saw(0, 40)
    assert marks.saw(1, 20)
    assert marks.value == 19
    assert not marks.saw(1, 3)
    assert marks.idle(1)
    assert marks.value == 39
    marks.saw(1, 25)
    assert marks.value == 39, "it does not go back for an input that was idle"
    assert not marks.saw(0, 45)
    assert marks.ended(1)
    assert marks.value == 44
    assert marks.ended(0)
    assert marks.value == inf


def test_time_stands_still_while_all_inputs_are_idle():
    marks = Watermarks(2, lateness=0)
    assert not marks.idle(0)
    assert not marks.idle(1)
    assert marks.value == -inf


@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)))
def test_datetimes_come_back_as_they_were(naive):
    read = EventTimes()
    assert read.moment(read.seconds(naive)) == naive
    zone = ZoneInfo("Europe/Berlin")
    aware, read = naive.replace(tzinfo=UTC).astimezone(zone), EventTimes()
    back = read.moment(read.seconds(aware))
    assert back == aware
    assert back.tzinfo is zone


def test_windows_of_datetimes_begin_at_full_hours_of_utc():
    read = EventTimes()
    at = datetime(2026, 5, 1, 12, 34, tzinfo=timezone(timedelta(hours=2)))
    (number,) = (span := Sliding(3600, 3600)).numbers(read.seconds(at))
    assert read.moment(span.start(number)) == at.replace(minute=0)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1.0, datetime(2026, 1, 1)),
        (datetime(2026, 1, 1), 1.0),
        (datetime(2026, 1, 1), datetime(2026, 1, 1, tzinfo=UTC)),
        (1.0, "12:00"),
        (1.0, float("nan")),
        (1.0, inf),
        (1.0, None),
    ],
)
def test_times_of_another_kind_than_the_first_are_refused(first, second):
    read = EventTimes()
    read.seconds(first)
    with pytest.raises((TypeError, ValueError), match="event_time must give"):
        read.seconds(second)
