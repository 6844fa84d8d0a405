# mypy: disable-error-code="arg-type, var-annotated"
"""The branches of a stream against lists, under all of a trial: whatever is asked, fails or leaves.

What becomes of branches that are put together again is in ``test_fan_out``.
"""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.graph.branches import check_branches, check_leaving
from tests.graph.models import numbers, quick, trials


def to_all(count):
    return lambda s: s.broadcast(count), lambda xs: [xs] * count


def by_number(count):
    def own(xs, n):
        return [x for x in xs if x % count == n]

    return (
        lambda s: s.partition(count, lambda x: x % count),
        lambda xs: [own(xs, n) for n in range(count)],
    )


def taken_apart(count):
    def columns(xs):
        return [[x + n for x in xs] for n in range(count)]

    return lambda s: s.map(lambda x: [x + n for n in range(count)]).unzip(count), columns


# Each entry: the branches made of a source and a number of them, and the same of a list.
DIVIDED = {"broadcast": to_all, "partition": by_number, "unzip": taken_apart}
counts = st.integers(1, 4)


@pytest.mark.parametrize("kind", DIVIDED)
@quick
@given(trial=trials(), count=counts)
def test_each_branch_gives_what_its_list_holds(shared, kind, trial, count):
    divide, model = DIVIDED[kind](count)
    check_branches(shared, count, divide, model, trial)


@pytest.mark.parametrize("kind", DIVIDED)
@quick
@given(trial=trials(), count=counts)
def test_a_branch_that_leaves_takes_nothing_from_the_others(shared, kind, trial, count):
    divide, model = DIVIDED[kind](count)
    check_leaving(shared, count, divide, model, trial)


def in_order(parts):
    assert all(part == sorted(part) for part in parts), "a branch in another order"
    return sorted(chain(*parts))


@quick
@given(trial=trials(numbers.map(sorted)), count=counts)
def test_balance_gives_each_element_to_one_branch_in_order(shared, trial, count):
    check_branches(shared, count, lambda s: s.balance(count), lambda xs: [xs], trial, view=in_order)
