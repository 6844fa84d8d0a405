"""Demand saturates, refuses and never goes below zero."""

import operator
from typing import Any

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


@pytest.mark.parametrize("change", [Demand.add, Demand.take])
def test_what_is_no_number_of_elements_changes_no_demand(change):
    demand = Demand(3)
    for wrong in (1.5, float("nan"), "x", None, True, Demand(1)):
        with pytest.raises(TypeError, match="a Demand counts in integers, got"):
            change(demand, wrong)
    with pytest.raises(InvalidArgumentError, match="needs a number of elements from 0 on, got -2"):
        change(demand, -2)
    change(demand, 0)
    assert demand == 3


@pytest.mark.parametrize("n", [0, -1, -(2**70)])
def test_a_request_below_one_names_rule_3_9_and_the_link(n):
    with pytest.raises(InvalidArgumentError, match=rf"rule 3\.9.*got {n} \(sink 'x'\)"):
        check_request(n, "sink 'x'")


@pytest.mark.parametrize("n", [None, "1", 1.0, True])
def test_a_request_of_no_integer_is_a_type_error(n):
    with pytest.raises(TypeError, match=r"rule 3\.9"):
        check_request(n, "sink 'x'")


LIMITS = (0, 1, -1, 7, UNBOUNDED, UNBOUNDED - 1, -(2**63))
counts = st.integers(-(2**63), UNBOUNDED) | st.sampled_from(LIMITS)


@given(counts, counts, st.booleans())
def test_unbounded_plus_or_minus_anything_is_unbounded_and_the_rest_adds_up(a, b, as_int):
    other = b if as_int else Demand(b)
    for sign, calculate in ((1, Demand.__add__), (-1, Demand.__sub__)):
        if UNBOUNDED in (a, b):
            assert calculate(Demand(a), other).is_unbounded
        elif a + sign * b < -(2**63):
            with pytest.raises(InvalidArgumentError, match=r"at least -2\*\*63"):
                calculate(Demand(a), other)
        else:
            assert calculate(Demand(a), other).outstanding == min(a + sign * b, UNBOUNDED)


@given(counts, counts)
def test_demands_and_integers_are_compared_by_their_counts(a, b):
    for one, other in ((Demand(a), Demand(b)), (Demand(a), b), (a, Demand(b))):
        assert (one < other, one <= other, one == other) == (a < b, a <= b, a == b)
        assert (one > other, one >= other, one != other) == (a > b, a >= b, a != b)


def test_a_demand_can_be_counted_up_and_down_in_place():
    demand = was = Demand(5)
    demand += 3
    demand -= Demand(10)
    assert demand == -2
    assert was == 5
    assert not demand
    assert 10 - demand == 12 == 14 + demand
    assert range(9)[Demand(3)] == 3


def test_a_demand_is_no_key_and_counts_in_integers():
    with pytest.raises(TypeError, match="unhashable"):
        {Demand(1)}
    wrongs: list[Any] = [1.0, "1", None, True]
    for wrong in wrongs:
        with pytest.raises(TypeError, match="counts in integers"):
            Demand(wrong)
        for calculate in (operator.add, operator.sub, operator.lt):
            with pytest.raises(TypeError):
                calculate(Demand(1), wrong)
        assert Demand(1) != wrong


def test_a_demand_beyond_the_largest_saturates():
    assert Demand(2**70).is_unbounded
    assert Demand(1) + 2**70 == UNBOUNDED
    assert Demand.unbounded() == UNBOUNDED
