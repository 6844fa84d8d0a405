"""batch by number: whatever is full goes in one frame, whichever frames its elements came in."""

from hypothesis import given
from hypothesis import strategies as st

from actors_rs.stages.operators.batch import SHORT, Batch, cut_up
from tests.stages.harness import Alone

frames_of = st.lists(st.integers(1, 12), min_size=1, max_size=8)


@given(st.integers(1, 2 * SHORT), st.integers(0, 5), st.sampled_from([list, tuple, range]))
def test_a_frame_is_cut_up_into_lists_of_its_elements_in_order(count, lists, kind):
    numbers = range(7, 7 + count * lists)
    frame = numbers if kind is range else kind(numbers)
    cut = cut_up(frame, count)
    assert cut == [list(numbers[at : at + count]) for at in range(0, len(numbers), count)]
    assert all(type(one) is list and one is not frame for one in cut)


def test_lists_that_a_frame_makes_full_are_given_in_one_frame():
    stage = Alone(Batch(3, within=None), window=32).request(10)
    stage.push(*range(4)).push(*range(4, 11))
    assert stage.down.frames == [[[0, 1, 2]], [[3, 4, 5], [6, 7, 8]]]


def test_a_list_that_waited_for_demand_is_given_with_those_behind_it():
    stage = Alone(Batch(3, within=None), window=32).request(1)
    stage.push(*range(9))
    assert stage.down.frames == [[[0, 1, 2]]]
    stage.request(2)
    assert stage.down.frames[1:] == [[[3, 4, 5], [6, 7, 8]]]
    stage.push(9, 10, 11)
    stage.request(1)  # one that is full, and nothing behind it
    assert stage.down.frames[2:] == [[[9, 10, 11]]]


@given(st.integers(1, 7), frames_of, st.integers(1, 5), st.booleans())
def test_frames_of_any_size_and_any_demand_give_the_same_lists(count, sizes, demand, timed):
    stage = Alone(Batch(count, within=1.0 if timed else None), window=100)
    numbers = iter(range(sum(sizes)))
    for size in sizes:
        stage.request(demand)
        stage.push(*[next(numbers) for _ in range(size)])
        assert len(stage.logic.held()) <= count
    stage.complete()
    stage.request(100)
    everything = range(sum(sizes))
    lists = [list(everything[at : at + count]) for at in range(0, len(everything), count)]
    assert stage.down.elements == lists
    assert stage.down.completed


def test_the_timer_of_a_list_that_a_later_frame_made_full_is_cancelled():
    stage = Alone(Batch(3, within=0.5), window=32).request(10)
    stage.push(0).push(1, 2, 3, 4, 5, 6)
    assert [timer.cancelled for timer in stage.timers] == [True, False]
    assert stage.down.elements == [[0, 1, 2], [3, 4, 5]]
    stage.elapse(0.5)
    assert stage.down.elements[2:] == [[6]]
