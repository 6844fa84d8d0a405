# mypy: disable-error-code="arg-type, attr-defined, union-attr, var-annotated"
"""An outlet that was lent: who claims it too late hears how its stage has ended."""

import pytest

from actors_rs.engine.inner.handoff import Lending, Lent, _Claimed
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
    """Of an outlet: what is posted to it happens at once."""

    name = "stage"

    def post(self, action):
        action()


def lending(owner=None):
    outlet = Outlet()
    lent = Lending(outlet, owner or Owner())
    outlet.connect(lent)
    return outlet, lent


def test_a_claim_that_the_stage_did_not_read_any_more_hears_the_end():
    outlet, lent = lending()
    outlet.complete()
    down = Downstream()
    _Claimed(lent, down).dropped()
    assert down.completed


def test_a_claim_behind_a_failure_hears_it():
    outlet, lent = lending()
    error = KeyError("first")
    outlet.fail(error)
    down = Downstream()
    lent.hand_over(down)
    assert down.error is error


def test_a_claim_of_what_was_let_go_fails():
    outlet, lent = lending()
    outlet.cancel()
    down = Downstream()
    lent.hand_over(down)
    assert isinstance(down.error, StreamError)
    assert "group 7 is over" in str(down.error)


def test_a_claim_in_time_takes_the_place_and_the_owner_is_told():
    owner = Owner()
    outlet, lent = lending(owner)
    down = Downstream()
    _Claimed(lent, down).deliver()
    outlet.request(3)
    outlet.emit([1, 2])
    outlet.complete()
    assert (down.elements, down.completed) == ([1, 2], True)
    assert owner.told == [("claimed", outlet)]


def test_elements_for_nobody_are_a_defect():
    outlet, _ = lending()
    outlet.request(1)
    with pytest.raises(DefectError, match="group 7 was given elements that nobody asked for"):
        outlet.emit([1])


@pytest.mark.parametrize("claimed", [False, True])
def test_the_owner_is_told_when_nobody_can_claim_it_any_more(claimed):
    owner, outlet = Owner(), Outlet()
    lent = Lent(Stage(), outlet, owner)
    outlet._downstream.claimed = claimed
    assert owner.told == []
    del lent
    assert owner.told == ([] if claimed else [("lost", outlet)])
