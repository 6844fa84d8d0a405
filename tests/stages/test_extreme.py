# mypy: disable-error-code="var-annotated"
"""min and max of chunks are min and max of one loop, also of elements without an order."""

import math
from operator import itemgetter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from actors_rs.errors import EmptyStreamError
from actors_rs.stages.operators.extreme import Extreme, ExtremeBy
from tests.stages.harness import Alone


class Shy:
    """Neither less nor greater than anything, as NaN, but of a type nobody knows."""

    def __lt__(self, other):
        return False

    __gt__ = __lt__


numbers = st.one_of(st.integers(-3, 3), st.sampled_from([0.0, -0.0, 1.0, 2.5, math.nan, math.inf]))
mixed = st.one_of(numbers, st.booleans(), st.sampled_from(["a", "b", b"c", frozenset("a"), None]))
chunks = st.lists(st.lists(st.one_of(numbers, mixed), min_size=1, max_size=4), max_size=5)


def one_loop(choose, elements):
    """What ``choose`` chooses of all, or the position of the element that it raises for."""
    rest = iter(elements)
    try:
        return choose(rest)
    except TypeError:
        return "fails at", len(elements) - 1 - len(list(rest))


def by_chunks(choose, frames):
    stage = Alone(Extreme(choose)).request(1)
    stage.push(*frames[0][:1])  # chunks of one element first
    for frame in (frames[0][1:], *frames[1:]):
        if frame and not stage.down.ended:
            stage.push(*frame)
    if stage.down.error is not None:
        return "fails at", stage.down.error.position
    stage.complete()
    return stage.down.elements[0]


@pytest.mark.parametrize("choose", [min, max])
@given(frames=chunks.filter(bool))
@example(frames=[[0.0], [math.nan, -1.0, 1.0]])
@example(frames=[[math.nan], [1.0, 2.0]])
@example(frames=[[0], [Shy(), -1, 1]])
@example(frames=[[5], ["a", 1, 2]])
@example(frames=[[1], [3, 2], [2, 3]])
@example(frames=[[1.0], [1, 0], [True, 2]])
@example(frames=[[1], [2, 3, "a", 4]])
@example(frames=[[5], [1, "a", 2]])
def test_it_is_the_element_that_one_loop_would_choose_or_fails_where_that_would(choose, frames):
    expected = one_loop(choose, [element for frame in frames for element in frame])
    found = by_chunks(choose, frames)
    assert found is expected or found == expected
    assert type(found) is type(expected)


def test_of_nothing_there_is_none():
    stage = Alone(Extreme(max)).request(1).complete()
    assert isinstance(stage.down.error.__cause__ or stage.down.error, EmptyStreamError)


def fold(choose, chunks, key=None):
    """The element that is chosen from ``chunks``, which the stage takes one after the other."""
    stage = Extreme(choose) if key is None else ExtremeBy(choose, key)
    for chunk in chunks:
        stage.consume(iter(chunk), [])
    return stage.result()


@pytest.mark.parametrize("choose", [min, max])
def test_a_key_is_asked_for_once_an_element(choose):
    asked = []

    def key(element):
        asked.append(element)
        return element

    fold(choose, [[5, 4, 6], [7, 8, 1], [0, 2, 9]], key)
    assert asked == [5, 4, 6, 7, 8, 1, 0, 2, 9]


@pytest.mark.parametrize("choose", [min, max])
@given(frames=st.lists(st.lists(numbers, min_size=1, max_size=4), min_size=1, max_size=5))
def test_by_a_key_it_is_the_element_that_one_loop_would_choose(choose, frames):
    tagged = [[(n, at) for n in frame] for at, frame in enumerate(frames)]
    expected = choose((e for frame in tagged for e in frame), key=itemgetter(0))
    assert fold(choose, tagged, itemgetter(0)) is expected


def test_a_key_that_raises_is_the_fault_of_its_element_and_those_before_count():
    stage = ExtremeBy(max, lambda text: len(text))
    with pytest.raises(TypeError):
        stage.consume(iter(["a", "abc", "ab", 1, "abcd"]), [])
    assert stage.result() == "abc"


class Counted(int):
    compared = 0

    def __gt__(self, other):
        Counted.compared += 1
        return int(self) > int(other)


@pytest.mark.parametrize("numbers", [range(40), range(40, 0, -1)], ids=["rising", "falling"])
def test_a_chunk_costs_one_comparison_more_than_one_loop_over_all_at_most(numbers):
    Counted.compared = 0
    elements = [Counted(n) for n in numbers]
    found = fold(max, [elements[at : at + 10] for at in range(0, 40, 10)])
    assert found == max(numbers)
    assert Counted.compared <= 39 + 3


def test_elements_before_one_that_cannot_be_compared_count_also_in_rising_data():
    stage = Extreme(max)
    stage.consume(iter([1]), [])
    with pytest.raises(TypeError):
        stage.consume(iter([3, 2, "a", 9]), [])
    assert stage.result() == 3
