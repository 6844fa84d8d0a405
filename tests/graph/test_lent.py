# mypy: disable-error-code="arg-type, attr-defined, union-attr, var-annotated"
"""An outlet that was lent: who claims it too late hears how its stage has ended."""

import pytest

from actors_rs.errors import DefectError, StreamError
from actors_rs.graph.lent import Lending, _Claimed
from actors_rs.stages.ports import Outlet
from tests.stages.harness import Downstream


def lending(claims=None):
    outlet = Outlet()
    noted = [] if claims is None else claims
    lent = Lending(outlet, "group 7", lambda: noted.append(1))
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
    claims = []
    outlet, lent = lending(claims)
    down = Downstream()
    _Claimed(lent, down).deliver()
    outlet.request(3)
    outlet.emit([1, 2])
    outlet.complete()
    assert (down.elements, down.completed, claims) == ([1, 2], True, [1])


def test_elements_for_nobody_are_a_defect():
    outlet, _ = lending()
    outlet.request(1)
    with pytest.raises(DefectError, match="group 7 was given elements that nobody asked for"):
        outlet.emit([1])


class Held:
    """Stands for what can be claimed."""


@pytest.mark.parametrize("claimed", [False, True])
def test_the_owner_is_told_when_nobody_can_claim_it_any_more(claimed):
    told = []
    _, lent = lending()
    held = Held()
    lent.await_loss(held, lambda: told.append("lost"))
    lent.claimed = claimed
    assert told == []
    del held
    assert told == ([] if claimed else ["lost"])
