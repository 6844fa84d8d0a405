# mypy: disable-error-code="var-annotated, arg-type, call-overload, union-attr, attr-defined"
"""``join``: pairs of two streams that have the same key and happened within a time."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Sink, Source
from actors_rs.errors import JoinOverflowError, StageError
from actors_rs.testing.world import World

timed = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 30)), max_size=15)


def name(one):
    return one[0]


def at(one):
    return one[1]


def joined(left, right, **options):
    return Source.of(*left).join(Source.of(*right), key=name, event_time=at, **options)


@given(left=timed, right=timed, within=st.integers(1, 9), window=st.sampled_from([1, 3, 100]))
def test_it_gives_each_pair_of_a_key_within_the_time_once(left, right, within, window):
    expected = [(a, b) for a in left for b in right if a[0] == b[0] and abs(a[1] - b[1]) <= within]
    with World(window=window) as world:
        flow = joined(left, right, within=within, lateness=30)
        got = world.start(flow.to(Sink.list())).result()
        assert world.system.dead_letters.recent() == ()
    assert sorted(got) == sorted(expected)


@given(left=timed, right=timed, within=st.integers(1, 9))
def test_of_sorted_streams_hardly_anything_waits(left, right, within):
    left, right = sorted(left, key=at), sorted(right, key=at)
    expected = [(a, b) for a in left for b in right if a[0] == b[0] and abs(a[1] - b[1]) <= within]
    with World() as world:
        run = world.start(joined(left, right, within=within).to(Sink.list()))
        assert sorted(run.result()) == sorted(expected)


async def after(pair):
    await asyncio.sleep(pair[0])
    return pair


def coming(*pairs):
    """Elements that come one after the other, each so many seconds after the one before."""
    return Source.of(*pairs).map_async(after, 1)


def test_by_the_clock_what_comes_in_time_is_paired():
    with World() as world:
        left = coming((1, "a"), (1, "b"))
        right = coming((4, "a"), (6, "b"))
        got = world.start(left.join(right, key=at, within=5).to(Sink.list())).result()
    assert got == [((1, "a"), (4, "a"))]  # b: at 2 s and at 10 s


def test_the_other_stream_may_have_keys_and_times_of_its_own():
    with World() as world:
        users = Source.of({"id": 1, "t": 10.0}, {"id": 2, "t": 11.0})
        clicks = Source.of((1, 12.0), (2, 30.0))
        flow = users.join(
            clicks,
            key=lambda user: user["id"],
            right_key=name,
            event_time=lambda user: user["t"],
            right_event_time=at,
            within=5,
        )
        got = world.start(flow.to(Sink.list())).result()
    assert got == [({"id": 1, "t": 10.0}, (1, 12.0))]


def test_an_element_that_is_too_late_is_a_dead_letter_and_counted():
    with World() as world:
        run = world.start(joined([("a", 20), ("a", 3)], [("a", 4)], within=5).to(Sink.list()))
        assert run.result() == []
        (letter,) = world.system.dead_letters.recent()
        assert letter.what == ("a", 3)
        details = next(one.details for one in run.snapshot().stages if one.kind == "join")
        assert details["late"] == 1


def test_a_stream_that_is_ahead_is_held_up_when_too_many_elements_wait():
    with World() as world:
        left = Source.range(0, 1000).map(lambda n: ("a", n))
        right = coming(*((1, n) for n in range(0, 1000, 100))).map(lambda pair: ("a", pair[1]))
        run = world.start(
            left.join(right, key=name, event_time=at, within=2, max_held=20).to(Sink.count())
        )
        world.sleep(1.5)
        details = next(one.details for one in run.snapshot().stages if one.kind == "join")
        assert details["waiting"] <= 20
        assert run.result() == 5 * 9 + 3


def test_more_elements_within_the_time_than_may_wait_fail_the_stage():
    same_time = [("a", 1)] * 9
    with World() as world, pytest.raises(StageError) as caught:
        world.start(joined(same_time, same_time, within=5, max_held=4).to(Sink.list())).result()
    assert isinstance(caught.value.__cause__, JoinOverflowError)
    assert "join(..., within=5, max_held=4)" in str(caught.value)


def test_an_element_whose_key_raises_follows_on_failure():
    with World() as world:
        flow = Source.of(("a", 1), None, ("a", 2)).join(
            Source.of(("a", 1)), key=name, within=5, event_time=at
        )
        got = world.start(flow.on_failure("resume").to(Sink.list())).result()
        assert sorted(got) == [(("a", 1), ("a", 1)), (("a", 2), ("a", 1))]
        with pytest.raises(StageError, match="'join' failed at element 1"):
            world.start(flow.to(Sink.list())).result()


REFUSED = {
    "within": ({"key": name, "within": 0}, "join: within"),
    "key": ({"key": 3, "within": 1}, "join: key"),
    "right_key": ({"key": name, "within": 1, "right_key": 3}, "join: right_key"),
    "lateness": ({"key": name, "within": 1, "lateness": 2}, "lateness needs event_time"),
    "right time": ({"key": name, "within": 1, "right_event_time": at}, "right_event_time needs"),
    "max_held": ({"key": name, "within": 1, "max_held": 0}, "join: max_held"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_makes_no_sense_is_refused_where_it_is_written(what):
    options, text = REFUSED[what]
    with pytest.raises(ValueError, match=text):
        Source.of(1).join(Source.of(2), **options)
