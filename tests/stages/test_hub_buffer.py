"""The hub's buffer by itself: who gets what, when to ask upstream, what is missed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs import UNBOUNDED
from actors_rs.stages.hubs.hub_buffer import HubBuffer

POLICIES = ["backpressure", "drop", "fail"]


def step(buffer, *elements):
    """Elements come; what each reader got, and how many it missed, by its number."""
    buffer.add(elements)
    got = [list(buffer.read(reader)) for reader in buffer._readers]
    missed = [(buffer._readers.index(reader), lost) for reader, lost in buffer.trim()]
    return got, missed


def joined(buffer, demand):
    reader = buffer.join()
    reader.asks(demand)
    return reader


@pytest.mark.parametrize("on_slow", POLICIES)
@pytest.mark.parametrize("replay", [0, 3])
def test_nothing_is_wanted_before_somebody_asks(replay, on_slow):
    buffer = HubBuffer(replay, on_slow)
    assert buffer.wanted() == 0
    reader = buffer.join()
    assert buffer.wanted() == 0
    reader.asks(2)
    assert buffer.wanted() == 2


def test_no_more_is_wanted_than_the_one_that_asks_for_most_asks_for():
    buffer = HubBuffer(10)
    joined(buffer, 3), joined(buffer, 5)
    assert buffer.wanted() == 5


@pytest.mark.parametrize("replay", [0, 1, 4])
def test_the_slowest_lets_the_others_get_ahead_by_the_replay_bound(replay):
    buffer = HubBuffer(replay)
    joined(buffer, 2), joined(buffer, UNBOUNDED)
    assert buffer.wanted() == 2 + replay
    step(buffer, *range(2 + replay))
    assert buffer.wanted() == 0
    assert not buffer.mark_late()


def test_without_a_replay_bound_an_element_needs_the_demand_of_all():
    buffer = HubBuffer(0)
    first, second = joined(buffer, 5), joined(buffer, 0)
    assert buffer.wanted() == 0
    second.asks(1)
    assert buffer.wanted() == 1
    assert step(buffer, "a") == ([["a"], ["a"]], [])
    buffer.leave(second)
    assert buffer.wanted() == 4
    assert first.demand == 4


def test_a_newcomer_begins_with_the_oldest_element_held():
    buffer = HubBuffer(2)
    joined(buffer, UNBOUNDED)
    step(buffer, 1, 2, 3)
    step(buffer, 4)
    assert buffer.held() == [3, 4]
    late = joined(buffer, 1)
    assert buffer.read(late) == [3]
    late.asks(5)
    assert buffer.read(late) == [4]


def test_what_is_held_stays_within_the_bound_however_much_flows():
    buffer = HubBuffer(5)
    reader = joined(buffer, UNBOUNDED)
    for first in range(0, 1000, 7):
        step(buffer, *range(first, first + 7))
        reader.asks(UNBOUNDED)
        assert len(buffer._slots) <= 2 * (5 + 7)
        assert sum(slot is not None for slot in buffer._slots) <= 5


def test_an_element_that_is_no_longer_held_is_no_longer_referred_to():
    buffer = HubBuffer(1)
    joined(buffer, UNBOUNDED)
    element = object()
    step(buffer, element)
    step(buffer, object())
    assert not any(slot is element for slot in buffer._slots)
    buffer.clear()
    assert buffer.held() == []
    assert not any(buffer._slots)


@pytest.mark.parametrize("on_slow", ["drop", "fail"])
def test_a_slow_reader_is_given_one_pause_before_it_misses_anything(on_slow):
    buffer = HubBuffer(1, on_slow)
    joined(buffer, 9), joined(buffer, 1)
    assert buffer.wanted() == 2
    assert step(buffer, 1, 2) == ([[1, 2], [1]], [])
    assert buffer.wanted() == 0
    assert buffer.mark_late()
    assert buffer.wanted() == 7
    assert not buffer.mark_late()
    assert step(buffer, 3, 4, 5) == ([[3, 4, 5], []], [(1, 3)])
    assert buffer.dropped == 3


def test_a_slow_reader_that_asks_within_the_pause_misses_nothing():
    buffer = HubBuffer(1, "drop")
    fast, slow = joined(buffer, UNBOUNDED), joined(buffer, 1)
    for first in range(0, 100, 2):
        assert buffer.wanted() == 2
        got, missed = step(buffer, first, first + 1)
        assert got[0] == [first, first + 1]
        assert missed == []
        assert buffer.mark_late()
        slow.asks(1)
        assert buffer.read(slow) == [first + 1]
        slow.asks(1)
        fast.asks(UNBOUNDED)
    assert buffer.dropped == 0


def test_a_reader_whose_demand_is_granted_in_portions_is_not_slow():
    buffer = HubBuffer(1, "drop")
    joined(buffer, 9)
    buffer.join().asks(1, foreseen=8)
    step(buffer, 1, 2)
    buffer._readers[1].asks(0, foreseen=8)
    assert not buffer.mark_late()
    assert buffer.wanted() == 0


@pytest.mark.parametrize("on_slow", ["drop", "fail"])
def test_a_reader_that_has_never_asked_misses_nothing_and_begins_when_it_asks(on_slow):
    buffer = HubBuffer(2, on_slow)
    joined(buffer, 4)
    silent = buffer.join()
    assert buffer.wanted() == 4
    assert step(buffer, 1, 2, 3, 4) == ([[1, 2, 3, 4], []], [])
    silent.asks(9)
    assert buffer.read(silent) == [3, 4]
    assert buffer.dropped == 0


def test_a_dropped_reader_goes_on_with_the_oldest_held():
    buffer = HubBuffer(2, "drop")
    joined(buffer, UNBOUNDED)
    slow = joined(buffer, 1)
    step(buffer, 1, 2, 3)
    assert buffer.mark_late()
    assert step(buffer, 4, 5, 6)[1] == [(1, 3)]
    slow.asks(1)
    assert buffer.read(slow) == [5]


OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("join"), st.integers(0, 3)),
        st.tuples(st.just("ask"), st.integers(0, 5), st.integers(1, 6)),
        st.tuples(st.just("leave"), st.integers(0, 5)),
        st.tuples(st.just("flow"), st.integers(1, 5)),
    ),
    max_size=60,
)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 5), st.sampled_from(POLICIES), OPERATIONS)
def test_each_reader_gets_a_gapless_run_but_for_what_it_was_said_to_miss(replay, on_slow, ops):
    buffer, next_element = HubBuffer(replay, on_slow), 0
    seen: dict[Any, list[int]] = {}

    def serve():
        for reader, elements in seen.items():
            demand = reader.demand
            frame = buffer.read(reader)
            assert len(frame) <= demand
            elements.extend(frame)

    for name, *numbers in ops:
        readers = list(seen)
        if name == "join":
            reader = joined(buffer, numbers[0])
            seen[reader] = []
        elif name == "flow":
            most = min(buffer.wanted(), numbers[0])
            if not most:
                buffer.mark_late()
            buffer.add(range(next_element, next_element + most))
            next_element += most
        elif numbers[0] < len(readers):
            reader = readers[numbers[0]]
            if name == "ask":
                reader.asks(reader.demand + numbers[1])
            else:
                buffer.leave(reader)
                del seen[reader]
        serve()
        for reader, lost in buffer.trim():
            assert on_slow != "backpressure"
            seen[reader].extend(range(reader.position - lost, reader.position))
        assert buffer.held() == list(range(max(0, next_element - replay), next_element))
        for elements in seen.values():
            assert elements == list(range(elements[0], elements[-1] + 1)) if elements else True
