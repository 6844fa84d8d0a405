# mypy: disable-error-code="no-untyped-def"
"""After a source of expensive elements, a stage requests none that has no place downstream."""

import pytest

from actors_rs.stages.operators.filter import Filter
from actors_rs.stages.operators.map import Map
from actors_rs.stages.operators.sliding import Sliding
from actors_rs.stages.operators.take import Take
from tests.stages.harness import Alone


def doubled(n):
    return 2 * n


def is_odd(n):
    return n % 2


def expensive(logic, window=8):
    logic.expect_expensive()
    return Alone(logic, window=window)


ONE_FOR_ONE = [lambda: Map(doubled), lambda: Take(100)]
DROPPING = [lambda: Filter(is_odd)]


@pytest.mark.parametrize("make", ONE_FOR_ONE)
def test_what_is_under_way_and_held_never_exceeds_what_downstream_has_asked_for(make):
    stage = expensive(make())
    asked = pushed = 0
    for request, push in ((1, 1), (3, 2), (1, 2), (2, 2), (5, 5)):
        stage.request(request)
        asked += request
        assert stage.up.requested == asked
        stage.push(*range(pushed, pushed + push))
        pushed += push
        assert stage.up.requested == asked, "it took elements and asked for others in their place"


@pytest.mark.parametrize("make", DROPPING)
def test_for_what_it_drops_it_asks_anew(make):
    stage = expensive(make()).request(2)
    stage.push(0, 2)
    assert stage.up.requested == 4
    stage.push(1, 3)
    assert len(stage.down.elements) == 2
    assert stage.up.requested == 4


@pytest.mark.parametrize("make", [*ONE_FOR_ONE, *DROPPING])
def test_it_asks_for_no_more_than_its_window_whatever_downstream_asks_for(make):
    stage = expensive(make(), window=4).request(1000)
    assert stage.up.requested == 4
    stage.push(1, 3)
    assert stage.up.requested == 6


def test_one_that_needs_several_for_one_keeps_its_window():
    assert expensive(Sliding(3, 1)).request(1).up.requested == 8
