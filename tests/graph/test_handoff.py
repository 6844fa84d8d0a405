# mypy: disable-error-code="arg-type, attr-defined, union-attr, var-annotated"
"""An outlet that was handed over: who claims it too late hears how its stage has ended."""

import pytest

from actors_rs.engine.inner.handoff import Handoff, PendingHandoff, _Claimed
from actors_rs.errors import DefectError, StreamError
from actors_rs.stages.ports import Outlet
from tests.stages.harness import Downstream


class Owner:
    def __init__(self):
        self.told = []

    def name_of(self, outlet):
        return "group 7"

    def claimed(self, outlet):
        self.told.append(("claimed", outlet))

    def lost(self, outlet):
        self.told.append(("lost", outlet))


class Stage:
    """The stage of an outlet: actions that are posted to it run at once."""

    name = "stage"

    def post(self, action):
        action()


def pending_handoff(owner=None):
    outlet = Outlet()
    handoff = PendingHandoff(outlet, owner or Owner())
    outlet.connect(handoff)
    return outlet, handoff


def test_a_claim_that_the_stage_did_not_read_any_more_hears_the_end():
    outlet, handoff = pending_handoff()
    outlet.complete()
    down = Downstream()
    _Claimed(handoff, down).dropped()
    assert down.completed


def test_a_claim_behind_a_failure_hears_it():
    outlet, handoff = pending_handoff()
    error = KeyError("first")
    outlet.fail(error)
    down = Downstream()
    handoff.hand_over(down)
    assert down.error is error


def test_a_claim_of_what_was_let_go_fails():
    outlet, handoff = pending_handoff()
    outlet.cancel()
    down = Downstream()
    handoff.hand_over(down)
    assert isinstance(down.error, StreamError)
    assert "group 7 is over" in str(down.error)


def test_a_claim_in_time_takes_the_place_and_the_owner_is_told():
    owner = Owner()
    outlet, handoff = pending_handoff(owner)
    down = Downstream()
    _Claimed(handoff, down).deliver()
    outlet.request(3)
    outlet.emit([1, 2])
    outlet.complete()
    assert (down.elements, down.completed) == ([1, 2], True)
    assert owner.told == [("claimed", outlet)]


def test_elements_for_nobody_are_a_defect():
    outlet, _ = pending_handoff()
    outlet.request(1)
    with pytest.raises(DefectError, match="group 7 was given elements that nobody asked for"):
        outlet.emit([1])


@pytest.mark.parametrize("claimed", [False, True])
def test_the_owner_is_told_when_nobody_can_claim_it_any_more(claimed):
    owner, outlet = Owner(), Outlet()
    handoff = Handoff(Stage(), outlet, owner)
    outlet._downstream.claimed = claimed
    assert owner.told == []
    del handoff
    assert owner.told == ([] if claimed else [("lost", outlet)])
