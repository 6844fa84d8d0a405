# mypy: disable-error-code="arg-type, call-arg, var-annotated"
"""``batch(weight=, max_weight=)``: lists no heavier than so much."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Flow, Sink, Source
from actors_rs.errors import InvalidArgumentError, StageError
from actors_rs.stages.operators.batch_by_weight import BatchByWeight
from tests.graph.helpers import SECONDS
from tests.graph.models import check_operator, quick, trials
from tests.stages.harness import Alone, FreeBudget

weights = st.lists(st.integers(0, 9), max_size=60)


def by_hand(xs, most, count=None):
    given, heft = [[]], 0
    for x in xs:
        if given[-1] and heft + x > most:
            given.append([])
            heft = 0
        given[-1].append(x)
        heft += x
        if heft >= most or len(given[-1]) == count:
            given.append([])
            heft = 0
    return [batch for batch in given if batch]


@quick
@given(most=st.integers(1, 12), count=st.none() | st.integers(1, 5), trial=trials(weights))
def test_no_list_is_heavier_than_allowed_unless_one_element_is(shared, most, count, trial):
    check_operator(
        shared,
        lambda s: s.batch(count, weight=lambda x: x, max_weight=most),
        lambda xs: by_hand(xs, most, count),
        trial,
    )


def test_a_list_is_given_when_its_time_is_up():
    alone = Alone(BatchByWeight(None, 5.0, len, 10)).request(2).push("ab", "cd")
    assert alone.down.elements == []
    alone.elapse(5)
    assert alone.down.elements == [["ab", "cd"]]


class Spent(FreeBudget):
    """A turn that has lasted long enough."""

    def spent(self):
        return True


@pytest.mark.parametrize("most", [2, 1_000])
def test_a_slow_weight_holds_up_a_cancellation_for_one_chunk(most):
    weighed = []

    def weight(element):
        weighed.append(element)
        return 1

    alone = Alone(BatchByWeight(None, None, weight, most), window=64).request(1)
    alone.logic.inlet.push(range(64))
    alone.logic.advance(Spent())
    assert weighed == [0]
    alone.cancel()
    assert (weighed, alone.up.cancelled) == ([0], True)


def test_each_element_is_weighed_once_also_one_that_did_not_fit():
    weighed = []

    def weight(text):
        weighed.append(text)
        return len(text)

    alone = Alone(BatchByWeight(None, None, weight, 4)).request(9)
    alone.push("ab", "abc", "a", "abcdef", "ab").push("abcd", "a").complete()
    assert alone.down.elements == [["ab"], ["abc", "a"], ["abcdef"], ["ab"], ["abcd"], ["a"]]
    assert weighed == ["ab", "abc", "a", "abcdef", "ab", "abcd", "a"]


def test_a_weight_that_raises_fails_the_stage_behind_what_came_before(shared):
    seen = []
    flow = Source.of("ab", "c", None, "d").batch(weight=len, max_weight=9)
    with pytest.raises(StageError) as caught:
        shared.start(flow.to(Sink.for_each(seen.append))).result(SECONDS)
    assert (caught.value.stage, caught.value.position) == ("batch", 2)
    assert seen == [["ab", "c"]]


@pytest.mark.parametrize("weight", [-1, math.nan, -math.inf])
def test_a_weight_that_would_let_a_list_grow_for_ever_fails_the_stage(shared, weight):
    weighed = Source.of(3, weight, 3).batch(weight=lambda x: x, max_weight=9)
    says = f"batch: weight must return a number of at least 0, got {weight}"
    with pytest.raises(StageError, match=says) as caught:
        shared.start(weighed.to(Sink.list())).result(SECONDS)
    assert caught.value.position == 1


def test_an_element_that_cannot_be_weighed_can_be_passed_over(shared):
    flow = Source.of("ab", None, "d").batch(weight=len, max_weight=9).on_failure("resume")
    assert shared.start(flow.to(Sink.list())).result(SECONDS) == [["ab", "d"]]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({}, TypeError, "batch: expected count or weight, which says when a list is full"),
        (
            {"within": 1.0},
            TypeError,
            "batch: expected count or weight, which says when a list is full",
        ),
        ({"max_weight": 5}, TypeError, "batch: expected weight, which says when a list is full"),
        ({"count": 0}, InvalidArgumentError, "batch: count must be at least 1, got 0"),
        ({"weight": len}, TypeError, "batch: max_weight must be a number, got None"),
        ({"weight": len, "max_weight": 0}, InvalidArgumentError, "max_weight must be above 0"),
        ({"count": 3, "max_weight": 1}, TypeError, "batch: weight must be callable, got None"),
        ({"count": 0, "weight": len, "max_weight": 1}, InvalidArgumentError, "count must be at"),
        ({"count": 3, "within": 0}, InvalidArgumentError, "within must be above 0 seconds"),
    ],
)
def test_a_wrong_argument_is_refused_when_the_blueprint_is_built(arguments, error, says):
    with pytest.raises(error, match=says):
        Flow().batch(**arguments)
