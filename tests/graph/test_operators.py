# mypy: disable-error-code="var-annotated"
"""Linear operators against a list, under random windows, demand and failures."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.graph.models import check_function, check_operator, quick, trials

small = st.integers(0, 12)


def odd(x):
    return x % 2 == 1


def times(x):
    return [x] * (x % 4)


def add(a, x):
    return a + x


# Each entry: strategy of a parameter, the operator, the same on a list.
OPERATORS = {
    "map": (small, lambda s, k: s.map(lambda x: (x, k)), lambda xs, k: [(x, k) for x in xs]),
    "filter": (small, lambda s, k: s.filter(odd), lambda xs, k: [x for x in xs if odd(x)]),
    "flat_map": (
        small,
        lambda s, k: s.flat_map(times),
        lambda xs, k: [y for x in xs for y in times(x)],
    ),
    "skip": (small, lambda s, k: s.skip(k), lambda xs, k: xs[k:]),
    "skip_while": (
        small,
        lambda s, k: s.skip_while(lambda x: x != k),
        lambda xs, k: list(itertools.dropwhile(lambda x: x != k, xs)),
    ),
    "scan": (
        small,
        lambda s, k: s.scan(k, add),
        lambda xs, k: list(itertools.accumulate(xs, add, initial=k))[1:],
    ),
}


@pytest.mark.parametrize("name", OPERATORS)
@quick
@given(data=st.data(), trial=trials())
def test_an_operator_gives_what_its_list_model_gives(shared, name, data, trial):
    parameter, operator, model = OPERATORS[name]
    k = data.draw(parameter)
    check_operator(shared, lambda s: operator(s, k), lambda xs: model(xs, k), trial)


# Operators that have had enough before the end: also, of which elements that is so.
SHORT = {
    "take": (lambda s, k: s.take(k), lambda xs, k: xs[:k], lambda xs, k: len(xs) >= k),
    "take_while": (
        lambda s, k: s.take_while(lambda x: x != k),
        lambda xs, k: list(itertools.takewhile(lambda x: x != k, xs)),
        lambda xs, k: k in xs,
    ),
}


@pytest.mark.parametrize("name", SHORT)
@quick
@given(k=small, trial=trials())
def test_an_operator_that_has_had_enough_completes_and_cancels(shared, name, k, trial):
    operator, model, enough = SHORT[name]
    check_operator(
        shared,
        lambda s: operator(s, k),
        lambda xs: model(xs, k),
        trial,
        enough=lambda xs: enough(xs, k),
    )


# Operators with a function of the user: what comes of the numbers before the one it fails at.
WITH_A_FUNCTION = {
    "map": (lambda s, f: s.map(f), list),
    "filter": (lambda s, f: s.filter(lambda x: f(x) or True), list),
    "flat_map": (
        lambda s, f: s.flat_map(lambda x: [f(x)] * 2),
        lambda xs: [x for x in xs for _ in "12"],
    ),
    "take_while": (lambda s, f: s.take_while(lambda x: f(x) >= 0), list),
    "skip_while": (lambda s, f: s.skip_while(lambda x: f(x) >= 0), lambda xs: []),
    "scan": (
        lambda s, f: s.scan(0, lambda a, x: a + f(x)),
        lambda xs: list(itertools.accumulate(xs)),
    ),
}


@pytest.mark.parametrize("name", WITH_A_FUNCTION)
@quick
@given(trial=trials())
def test_all_before_a_failing_call_is_delivered_and_the_failure_names_it(shared, name, trial):
    operator, model = WITH_A_FUNCTION[name]
    check_function(shared, operator, model, trial)
