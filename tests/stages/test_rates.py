# mypy: disable-error-code="var-annotated"
"""Stages between two rates, alone: what they hold, drop and put together."""

from itertools import count, repeat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs.errors import BufferOverflowError, StageError
from actors_rs.stages.operators.buffer import Buffer
from actors_rs.stages.operators.conflate import Conflate
from actors_rs.stages.operators.expand import Expand
from tests.stages.harness import Alone

DROPPING = ("drop_oldest", "drop_newest", "drop_all")


def as_list(x):
    return [x]


def conflating():
    return Conflate(as_list, lambda xs, x: [*xs, x])


# buffer


class Model:
    """A buffer as a sequential program: one element or request at a time."""

    def __init__(self, size, overflow):
        self.size, self.overflow = size, overflow
        self.held, self.given, self.dropped, self.demand = [], [], [], 0

    def push(self, element):
        if self.demand:
            self.demand -= 1
            self.given.append(element)
        elif len(self.held) < self.size:
            self.held.append(element)
        elif self.overflow == "drop_newest":
            self.dropped.append(element)
        else:
            out = 1 if self.overflow == "drop_oldest" else len(self.held)
            self.dropped += self.held[:out]
            self.held = [*self.held[out:], element]

    def request(self, n):
        self.demand += n
        moved = min(self.demand, len(self.held))
        self.given += self.held[:moved]
        del self.held[:moved]
        self.demand -= moved


@pytest.mark.parametrize("overflow", DROPPING)
@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 5),
    st.lists(
        st.integers(1, 7).map(lambda n: ("push", n)) | st.integers(1, 4).map(lambda n: ("ask", n))
    ),
)
def test_a_buffer_does_what_a_sequential_one_does_whatever_comes_in_one_message(
    overflow, size, steps
):
    stage, model, numbers = (
        Alone(Buffer(size, overflow, True), window=64),
        Model(size, overflow),
        count(),
    )
    stage.reports = []
    stage.request(1)
    model.request(1)
    for kind, n in steps:
        if kind == "ask":
            stage.request(n)
            model.request(n)
        else:
            frame = [next(numbers) for _ in range(n)]
            stage.push(*frame)
            for element in frame:
                model.push(element)
        assert stage.down.elements == model.given
        assert stage.logic.details() == {"held": len(model.held), "dropped": len(model.dropped)}
    assert [what for what, _ in stage.reports] == model.dropped
    stage.complete().request(99)
    assert stage.down.elements == [*model.given, *model.held]
    assert stage.down.completed


@pytest.mark.parametrize("overflow", DROPPING)
def test_a_dropping_buffer_takes_all_that_upstream_gives(overflow):
    stage = Alone(Buffer(2, overflow, False), window=4).request(1)
    for n in range(10):
        stage.push(n, n, n, n)
    assert stage.up.requested >= 40
    assert stage.logic.inlet.buffered == 0


def test_a_buffer_that_may_not_overflow_fails_behind_what_it_holds():
    stage = Alone(Buffer(2, "fail", False)).request(1).push(0, 1, 2)
    assert not stage.up.cancelled
    stage.push(3, 4)
    assert stage.up.cancelled
    assert (stage.down.elements, stage.down.ended) == ([0], False)
    stage.request(9)
    assert stage.down.elements == [0, 1, 2]
    error = stage.down.error.__cause__
    assert isinstance(error, BufferOverflowError)
    assert "buffer(2" in str(error)
    assert stage.logic.details()["dropped"] == 2


def test_a_buffer_gives_what_it_holds_before_a_failure_of_upstream():
    stage = Alone(Buffer(2, "drop_newest", False)).request(1).push(0, 1, 2).fail(KeyError(1))
    assert not stage.down.ended
    assert stage.request(5).down.elements == [0, 1, 2]
    assert isinstance(stage.down.error, KeyError)


@pytest.mark.parametrize("make", [lambda: Buffer(2, "fail", False), conflating])
def test_what_is_foreseen_waits_for_its_grant_instead_of_being_dropped_or_put_together(make):
    stage = Alone(make())
    stage.logic.outlet.foreseen = 5
    stage.request(1).push(*range(9))
    assert len(stage.down.elements) == 1
    stage.logic.outlet.foreseen = 2
    stage.request(3)
    assert len(stage.down.elements) == 4
    stage.logic.outlet.foreseen = 0
    stage.request(2)
    assert len(stage.down.elements) == 6
    assert stage.logic.holds, "what nobody asks for is dealt with as ever"
    assert not stage.logic.inlet.buffered


def test_an_element_that_raises_is_dealt_with_while_a_grant_is_awaited():
    stage = Alone(Conflate(lambda x: 1 // x, max))
    stage.logic.outlet.foreseen = 5
    stage.request(2).push(1, 0, 1)
    assert stage.down.elements == [1]
    assert isinstance(stage.down.error, StageError)


@pytest.mark.parametrize("make", [lambda: Buffer(2, "drop_all", False), conflating])
def test_a_stage_whose_subscriber_leaves_while_a_grant_is_awaited_ends(make):
    stage = Alone(make())
    stage.logic.outlet.foreseen = 5
    stage.request(1).push(0, 1, 2).cancel()
    assert stage.logic.finished
    assert stage.up.cancelled


@pytest.mark.parametrize("make", [lambda: Buffer(2, "drop_all", False), conflating])
def test_a_cancelled_stage_ends_though_it_holds_something(make):
    stage = Alone(make()).request(1).push(0, 1, 2).cancel()
    assert stage.logic.finished
    assert stage.up.cancelled


# conflate


def test_conflate_gives_each_element_to_a_downstream_that_asks():
    stage = Alone(conflating()).request(9).push(1, 2).push(3).complete()
    assert (stage.down.elements, stage.down.completed) == ([[1], [2], [3]], True)


def test_conflate_puts_together_what_comes_while_nobody_asks():
    stage = Alone(conflating()).request(1).push(1, 2, 3).push(4).request(1)
    assert stage.down.elements == [[1], [2, 3, 4]]
    assert stage.logic.details() == {"conflated": 2}
    stage.push(5, 6).complete()
    assert not stage.down.ended
    assert stage.request(1).down.elements == [[1], [2, 3, 4], [5, 6]]
    assert stage.down.completed


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 6)))
def test_conflate_loses_nothing_and_keeps_the_order(steps):
    stage, numbers = Alone(conflating(), window=64).request(1), count()
    for n in steps:
        stage.request(1) if n == 0 else stage.push(*[next(numbers) for _ in range(n)])
    stage.complete().request(99)
    assert [x for xs in stage.down.elements for x in xs] == list(range(next(numbers)))


@pytest.mark.parametrize("bad", ["seed", "f"])
def test_conflate_fails_behind_what_it_has_put_together(bad):
    def raising(which, x):
        if which == bad and x == 3:
            raise ValueError(x)
        return [x]

    stage = Alone(Conflate(lambda x: raising("seed", x), lambda xs, x: xs + raising("f", x)))
    stage.request(1).push(1)
    if bad == "f":
        stage.push(2, 3, 4)
        assert not stage.down.ended, "[2] is owed"
        assert stage.request(1).down.elements == [[1], [2]]
    else:
        stage.push(3, 4)
    assert isinstance(stage.down.error, StageError)
    assert stage.down.error.position == (2 if bad == "f" else 1)
    assert stage.up.cancelled


# expand


def test_expand_gives_values_until_a_newer_element_comes():
    stage = Alone(Expand(lambda x: ((x, n) for n in count()))).request(1).push("a").request(2)
    assert stage.down.elements == [("a", 0), ("a", 1), ("a", 2)]
    stage.push("b").request(2)
    assert stage.down.elements[3:] == [("b", 0), ("b", 1)]
    assert stage.logic.details() == {"added": 3}


def test_expand_gives_at_least_one_value_of_each_element():
    stage = Alone(Expand(repeat)).request(1).push(1, 2, 3).complete()
    assert (stage.down.elements, stage.down.ended) == ([1], False)
    stage.request(1)
    assert not stage.down.ended
    stage.request(1)
    assert (stage.down.elements, stage.down.completed) == ([1, 2, 3], True)


def test_expand_gives_one_value_of_an_element_that_comes_with_the_end():
    stage = Alone(Expand(repeat)).request(9)

    def both():
        stage.logic.inlet.push([1, 2])
        stage.logic.inlet.complete()

    stage.turn(both)
    assert (stage.down.elements, stage.down.completed) == ([1, 2], True)


def test_expand_completes_when_an_element_has_no_values():
    stage = Alone(Expand(lambda x: range(x))).request(9).push(0, 2).push(0).complete()
    assert (stage.down.elements, stage.down.completed) == ([0, 1], True)


def test_expand_closes_the_iterator_it_turns_away_from():
    closed = []

    def values(x):
        try:
            yield from repeat(x)
        finally:
            closed.append(x)

    stage = Alone(Expand(values)).request(1).push(1, 2)
    assert closed == []
    stage.request(1)
    assert closed == [1]
    stage.cancel().drop()
    assert closed == [1, 2]


@pytest.mark.parametrize("f", [lambda x: 1 / 0, lambda x: iter([x, *map(int, ["no"])])])
def test_expand_fails_with_the_position_of_the_element(f):
    stage = Alone(Expand(lambda x: f(x) if x == 2 else [x])).request(9).push(1, 2)
    assert stage.down.elements[:1] == [1]
    assert stage.down.error.position == 1


def test_a_cancelled_expand_ends_though_an_element_was_not_given():
    stage = Alone(Expand(repeat)).request(1).push(1, 2).cancel()
    assert stage.logic.finished
