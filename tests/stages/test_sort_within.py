# mypy: disable-error-code="var-annotated"
"""Sorting a stream that is nearly sorted: what is held, and what it costs."""

import weakref
from random import Random

import pytest

from actors_rs.stages.operators.sort_within import SortWithin
from tests.stages.harness import Alone


class Moves(list):
    """A list that counts how many entries had to move up."""

    moved = 0

    def pop(self, index=-1):
        self.moved += len(self) - 1 if index == 0 else 0
        return super().pop(index)

    def __delitem__(self, index):
        super().__delitem__(index)
        self.moved += len(self)


def test_what_an_element_costs_does_not_grow_with_how_many_are_held_back():
    for count in (10, 1_000):
        logic = SortWithin(count, None)
        logic._sorted = moves = Moves()
        Alone(logic, window=10_000).request(10_000).push(*range(10_000))
        assert moves.moved <= 2 * 10_000


@pytest.mark.parametrize("count", [1, 5, 64, 65, 200])
def test_what_is_held_back_are_the_largest_and_equal_ones_keep_their_order(count):
    chance, came = Random(count), []
    stage = Alone(SortWithin(count, lambda pair: pair[0]), window=64).request(2_000)
    for number in range(1_000):
        came.append((number // 3 + chance.randrange(count // 3 + 1), number))
        stage.push(came[-1])
        held = list(stage.logic.held())
        assert len(held) == stage.logic.details()["held"] == min(count, number + 1)
        assert sorted([*stage.down.elements, *held], key=lambda pair: pair[1]) == came
    assert stage.complete().down.elements == sorted(came)
    assert list(stage.logic.held()) == []


def test_what_was_given_is_not_kept():
    stage = Alone(SortWithin(3, None), window=64).request(100).push(*range(40))
    entries = stage.logic._sorted
    assert [entry for entry in entries if entry is not None] == entries[-3:]


def test_a_key_is_asked_once_an_element_in_however_many_chunks():
    asked: list[int] = []

    def key(n: int) -> int:
        asked.append(n)
        return n

    stage = Alone(SortWithin(3, key), window=64).request(64)
    stage.push(*range(40)).complete()
    assert asked == stage.down.elements == list(range(40))


class Number(float):
    """One that a weak reference may refer to."""


def test_no_element_of_a_frame_is_kept_when_its_last_result_was_demanded_exactly():
    stage = Alone(SortWithin(1, None)).request(3)
    stage.logic.chunk.size = 4  # more than is demanded
    given = [Number(number) for number in range(4)]
    left = [weakref.ref(one) for one in given[:3]]
    stage.push(*given)
    del given
    assert [one() for one in left] == stage.down.elements
    stage.down.frames.clear()
    assert [one() for one in left] == [None] * 3
