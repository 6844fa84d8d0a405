"""Demand saturates, refuses and never goes below zero."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs.errors import DefectError, InvalidArgumentError
from actors_rs.protocol.demand import UNBOUNDED, Demand, check_request


@given(st.lists(st.integers(1, 2**64), max_size=20))
def test_demand_adds_up_and_saturates_at_unbounded(requests):
    demand = Demand()
    for n in requests:
        demand.add(n)
    assert demand.outstanding == min(sum(requests), UNBOUNDED)


@given(st.integers(0, 100), st.integers(0, 100))
def test_no_more_can_be_delivered_than_was_requested(requested, delivered):
    demand = Demand(requested)
    if delivered > requested:
        with pytest.raises(DefectError, match=r"rule 1\.1"):
            demand.take(delivered)
    else:
        demand.take(delivered)
        assert demand.outstanding == requested - delivered


def test_unbounded_demand_is_never_used_up():
    demand = Demand()
    demand.add(UNBOUNDED)
    demand.take(10**9)
    assert demand.outstanding == UNBOUNDED
    assert repr(demand) == "Demand(UNBOUNDED)"


@pytest.mark.parametrize("n", [0, -1, -(2**70)])
def test_a_request_below_one_names_rule_3_9_and_the_link(n):
    with pytest.raises(InvalidArgumentError, match=rf"rule 3\.9.*got {n} \(sink 'x'\)"):
        check_request(n, "sink 'x'")


@pytest.mark.parametrize("n", [None, "1", 1.0, True])
def test_a_request_of_no_integer_is_a_type_error(n):
    with pytest.raises(TypeError, match=r"rule 3\.9"):
        check_request(n, "sink 'x'")
