"""How many elements go to a worker at a time: a pure value, without processes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs.stages.processes.chunk_size import (
    GROWTH,
    MOST_BYTES,
    QUICK_SECONDS,
    TARGET_SECONDS,
    ChunkSize,
    Measured,
)


def learned(seconds, *, rounds=12, pickling=0.0, packing=0.0, nbytes=10, workers=2, **options):
    """The size after ``rounds`` chunks whose calls take ``seconds`` each."""
    size = ChunkSize(**options)
    for _ in range(rounds):
        n = size.elements
        size = size.after(Measured(n, n * seconds, n * pickling, n * packing, n * nbytes), workers)
    return size


@pytest.mark.parametrize("seconds", [1e-5, 2e-4, 5e-3])
def test_a_chunk_is_made_as_long_as_to_take_its_20_to_50_milliseconds(seconds):
    assert 0.02 <= learned(seconds).elements * seconds <= 0.05


def test_a_call_that_takes_longer_than_a_chunk_travels_alone():
    assert learned(2.0).elements == 1


def test_the_first_chunk_is_one_element_and_each_next_one_at_most_some_times_longer():
    size = ChunkSize()
    assert size.elements == 1
    for _ in range(5):
        before = size.elements
        size = size.after(Measured(before, before * 1e-6, 0, 0, before), 2)
        assert size.elements <= before * GROWTH


def test_time_for_pickling_counts_as_work():
    assert learned(1e-4, pickling=9e-4).elements == int(TARGET_SECONDS / 1e-3)


def test_a_chunk_of_large_elements_is_bounded_by_its_bytes():
    assert learned(1e-6, nbytes=1 << 20).elements == MOST_BYTES >> 20


def test_calls_that_turn_slow_shrink_the_next_chunk():
    size = learned(1e-5)
    n = size.elements
    assert size.after(Measured(n, n * 1e-2, 0, 0, n), 2).elements < n / 100


def test_a_size_that_was_given_stays():
    assert learned(1.0, elements=7, fixed=True).elements == 7
    assert learned(1e-9, elements=7, fixed=True).elements == 7


def test_no_chunk_is_longer_than_a_worker_may_have_calls():
    assert learned(1e-6, most=5).elements == 5


@given(buffered=st.integers(1, 10_000), elements=st.integers(1, 500), free=st.integers(0, 8))
def test_scarce_elements_are_shared_among_idle_workers_and_wait_for_none(buffered, elements, free):
    taken = ChunkSize(elements).take(buffered, free)
    assert 0 <= taken <= min(elements, buffered)
    if free:
        assert taken == min(elements, -(-buffered // free)) > 0
    else:
        assert taken in (0, elements)


def test_calls_that_are_dearer_to_hand_over_than_to_make_stay_in_the_process():
    assert learned(1e-6, packing=2e-6, may_stay=True).here
    assert learned(1e-6, pickling=3e-6, may_stay=True).here
    assert not learned(4e-6, packing=1e-7, may_stay=True).here, "two workers are faster"
    assert not learned(2 * QUICK_SECONDS, packing=1.0, may_stay=True).here, "too slow to block all"


def test_no_call_is_made_in_the_process_unless_it_may():
    assert not learned(1e-6, packing=2e-6).here
    assert not learned(1e-6, packing=2e-6, may_stay=True, fixed=True, elements=100).here


def test_no_call_is_made_in_the_process_before_many_were_quick():
    assert not learned(1e-6, packing=2e-6, rounds=2, may_stay=True).here


def test_calls_in_the_process_that_turn_slow_go_to_workers_again():
    size = learned(1e-6, packing=2e-6, may_stay=True)
    assert size.after_here(1000, 1000 * 1e-6).here
    slow = size.after_here(1000, 1000 * 1e-3)
    assert not slow.here
    assert slow.elements == 1


def test_chunks_are_made_up_in_advance_once_they_no_longer_grow():
    growing, grown = learned(2e-5, rounds=2), learned(2e-5)
    assert growing.ahead
    assert growing.spare == 1
    assert grown.spare > 1
