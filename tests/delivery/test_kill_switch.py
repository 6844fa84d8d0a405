# mypy: disable-error-code="arg-type, misc, var-annotated"
"""What a kill switch cuts of a unit is not done; what has passed it as a whole is done as ever."""

import pytest

from actors_rs import KillSwitch
from actors_rs.delivery import Disposition
from actors_rs.delivery.ack import Unit
from actors_rs.delivery.carrying.kill_switch import CarryingKillSwitch
from actors_rs.stages.operators.kill_switch import KillSwitchStage
from tests.stages.harness import Alone

DELIVERED = Disposition.DELIVERED


class Stage(CarryingKillSwitch, KillSwitchStage):
    pass


@pytest.fixture
def switch():
    return KillSwitch()


@pytest.fixture
def alone(switch):
    alone = Alone(Stage(switch))
    alone.request(100)
    return alone


@pytest.fixture
def done():
    return []


def unit_of(done, key, size):
    """A unit, and all of its elements; it is sealed."""
    unit = Unit(key, lambda outcomes: done.append((key, dict(outcomes))))
    elements = [unit.track((key, n)) for n in range(size)]
    unit.seal()
    return unit, elements


def shut_down(alone, switch):
    switch.shutdown()
    alone.turn()


def test_units_that_lie_whole_behind_a_kill_switch_are_done_when_they_are_taken(
    alone, switch, done
):
    units, elements = zip(*[unit_of(done, key, key) for key in (1, 2)], strict=True)
    alone.push(*elements[0], *elements[1])
    shut_down(alone, switch)
    for given in alone.down.elements:
        given.token.settle(DELIVERED)
    assert not any(unit.abandoned for unit in units)
    assert done == [(1, {DELIVERED: 1}), (2, {DELIVERED: 2})]


@pytest.mark.parametrize("taken_before", [False, True])
def test_a_unit_that_a_kill_switch_cuts_in_two_is_abandoned(alone, switch, done, taken_before):
    unit, elements = unit_of(done, "cut", 2)
    alone.push(elements[0])
    (given,) = alone.down.elements
    if taken_before:
        given.token.settle(DELIVERED)
    shut_down(alone, switch)
    assert unit.abandoned
    assert done == []


def test_a_unit_that_was_done_before_a_kill_switch_is_used_stays_so(alone, switch, done):
    unit, elements = unit_of(done, "done", 1)
    alone.push(*elements)
    alone.down.elements[0].token.settle(DELIVERED)
    shut_down(alone, switch)
    assert not unit.abandoned
    assert done == [("done", {DELIVERED: 1})]
