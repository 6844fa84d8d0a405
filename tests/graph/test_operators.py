# mypy: disable-error-code="operator, var-annotated"
"""Linear operators against a list, under random windows, demand and failures."""

import itertools
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Sink, Source
from actors_rs.errors import EmptyStreamError
from tests.graph.helpers import SECONDS
from tests.graph.models import check_function, check_operator, quick, trials

small = st.integers(0, 12)


def odd(x):
    return x % 2 == 1


def times(x):
    return [x] * (x % 4)


def add(a, x):
    return a + x


def seen_lately(xs, window):
    """The elements that are not among the last ``window`` different ones."""
    recent, given = [], []
    for x in xs:
        if x in recent:
            recent.remove(x)
        else:
            given.append(x)
        recent = [*recent, x][-window:]
    return given


def sorted_within(xs, count):
    held, given = [], []
    for x in xs:
        held = sorted([*held, x])
        if len(held) > count:
            given.append(held.pop(0))
    return given + held


def nothing(_):
    return []


# Each entry: the operator with a parameter, the same on a list.
OPERATORS = {
    "map": (lambda s, k: s.map(lambda x: (x, k)), lambda xs, k: [(x, k) for x in xs]),
    "filter": (lambda s, k: s.filter(odd), lambda xs, k: [x for x in xs if odd(x)]),
    "filter_builtin": (lambda s, k: s.filter((1).__and__), lambda xs, k: [x for x in xs if odd(x)]),
    "flat_map": (
        lambda s, k: s.flat_map(times),
        lambda xs, k: [y for x in xs for y in times(x)],
    ),
    "starmap": (
        lambda s, k: s.map(lambda x: (x, k)).starmap(add),
        lambda xs, k: [x + k for x in xs],
    ),
    "map_not_none": (
        lambda s, k: s.map_not_none(lambda x: None if x == k else x + 1),
        lambda xs, k: [x + 1 for x in xs if x != k],
    ),
    "skip": (lambda s, k: s.skip(k), lambda xs, k: xs[k:]),
    "skip_while": (
        lambda s, k: s.skip_while(lambda x: x != k),
        lambda xs, k: list(itertools.dropwhile(lambda x: x != k, xs)),
    ),
    "scan": (
        lambda s, k: s.scan(k, add),
        lambda xs, k: list(itertools.accumulate(xs, add, initial=k))[1:],
    ),
    "with_index": (lambda s, k: s.with_index(k), lambda xs, k: list(enumerate(xs, k))),
    "sliding": (
        lambda s, k: s.sliding(k + 1),
        lambda xs, k: [tuple(xs[i : i + k + 1]) for i in range(len(xs) - k)],
    ),
    "sliding_steps": (
        lambda s, k: s.sliding(3, k + 1),
        lambda xs, k: [tuple(xs[i : i + 3]) for i in range(0, len(xs) - 2, k + 1)],
    ),
    "pairwise": (lambda s, k: s.pairwise(), lambda xs, k: list(itertools.pairwise(xs))),
    "distinct": (lambda s, k: s.distinct(), lambda xs, k: list(dict.fromkeys(xs))),
    "distinct_key": (
        lambda s, k: s.distinct(lambda x: x % (k + 1)),
        lambda xs, k: [
            x for i, x in enumerate(xs) if x % (k + 1) not in {y % (k + 1) for y in xs[:i]}
        ],
    ),
    "distinct_window": (
        lambda s, k: s.distinct(window=k + 1),
        lambda xs, k: seen_lately(xs, k + 1),
    ),
    "distinct_until_changed": (
        lambda s, k: s.distinct_until_changed(lambda x: x > k),
        lambda xs, k: [next(group) for _, group in itertools.groupby(xs, lambda x: x > k)],
    ),
    "stateful_map": (
        lambda s, k: s.stateful_map(lambda: k, lambda a, x: (a + x, (a, x))),
        lambda xs, k: list(zip(itertools.accumulate(xs, initial=k), xs, strict=False)),
    ),
    "start_with": (lambda s, k: s.start_with(*range(k)), lambda xs, k: [*range(k), *xs]),
    "start_with_get": (
        lambda s, k: s.start_with_get(*[lambda: k] * k),
        lambda xs, k: [k] * k + xs,
    ),
}


@pytest.mark.parametrize("name", OPERATORS)
@quick
@given(k=small, trial=trials())
def test_an_operator_gives_what_its_list_model_gives(shared, name, k, trial):
    operator, model = OPERATORS[name]
    check_operator(shared, lambda s: operator(s, k), lambda xs: model(xs, k), trial)


# Operators whose end is their own: also, what comes of the elements before a failure.
ENDING = {
    "sort_within": (
        lambda s, k: s.sort_within(k + 1),
        lambda xs, k: sorted_within(xs, k + 1),
        lambda xs, k: sorted_within(xs, k + 1),
    ),
    "end_with": (
        lambda s, k: s.end_with(*range(k)),
        lambda xs, k: [*xs, *range(k)],
        lambda xs, k: xs,
    ),
    "end_with_get": (
        lambda s, k: s.end_with_get(*[lambda: k] * k),
        lambda xs, k: xs + [k] * k,
        lambda xs, k: xs,
    ),
    "default_if_empty": (
        lambda s, k: s.default_if_empty(*range(k)),
        lambda xs, k: xs or list(range(k)),
        lambda xs, k: xs,
    ),
    "stateful_map_at_its_end": (
        lambda s, k: s.stateful_map(lambda: k, lambda a, x: (a + x, x), lambda a: a),
        lambda xs, k: [*xs, k + sum(xs)],
        lambda xs, k: xs,
    ),
}


@pytest.mark.parametrize("name", ENDING)
@quick
@given(k=small, trial=trials())
def test_an_operator_with_an_end_of_its_own_gives_it_only_on_completion(shared, name, k, trial):
    operator, model, failed = ENDING[name]
    check_operator(
        shared,
        lambda s: operator(s, k),
        lambda xs: model(xs, k),
        trial,
        failed=lambda xs: failed(xs, k),
    )


# Folds: one element of the whole stream, none if it fails.
FOLDS = {
    "reduce": (lambda s, k: s.reduce(k, add), lambda xs, k: k + sum(xs)),
    "reduce_get": (
        lambda s, k: s.reduce_get(lambda: [k], lambda a, x: [*a, x]),
        lambda xs, k: [k, *xs],
    ),
    "sum": (lambda s, k: s.sum(), lambda xs, k: sum(xs)),
    "count": (lambda s, k: s.count(), lambda xs, k: len(xs)),
    "default_of_fold": (lambda s, k: s.count().start_with(k).sum(), lambda xs, k: k + len(xs)),
}


@pytest.mark.parametrize("name", FOLDS)
@quick
@given(k=small, trial=trials())
def test_a_fold_gives_one_element_and_none_of_a_stream_that_fails(shared, name, k, trial):
    operator, model = FOLDS[name]
    check_operator(
        shared,
        lambda s: operator(s, k),
        lambda xs: [model(xs, k)],
        trial,
        failed=nothing,
    )


# Folds that need an element.
NEEDING = {
    "reduce_without_initial": (lambda s: s.reduce_without_initial(add), sum),
    "average": (lambda s: s.average(), lambda xs: sum(xs) / len(xs)),
    "min": (lambda s: s.min(), min),
    "max": (lambda s: s.max(), max),
    "min_by_key": (lambda s: s.min(key=abs), lambda xs: min(xs, key=abs)),
    "max_by_key": (lambda s: s.max(key=abs), lambda xs: max(xs, key=abs)),
    "last": (lambda s: s.last(), operator.itemgetter(-1)),
}
some_numbers = st.lists(st.integers(-20, 20), min_size=1, max_size=60)


@pytest.mark.parametrize("name", NEEDING)
@quick
@given(trial=trials(some_numbers))
def test_a_fold_of_at_least_one_element_gives_one(shared, name, trial):
    operator, model = NEEDING[name]
    check_operator(shared, operator, lambda xs: [model(xs)], trial, failed=nothing)


@pytest.mark.parametrize("name", [*NEEDING, "first", "element_at"])
def test_a_fold_that_needs_an_element_says_so_when_none_came(shared, name):
    operators = {name: entry[0] for name, entry in NEEDING.items()}
    operators |= {"first": lambda s: s.first(), "element_at": lambda s: s.element_at(0)}
    flow = operators[name](Source.empty())
    with pytest.raises(EmptyStreamError, match=rf"{name.partition('_by')[0]}.* needs"):
        shared.start(flow.to(Sink.ignore())).result(SECONDS)


# Operators that have had enough before the end: also, of which elements that is so.
SHORT = {
    "take": (lambda s, k: s.take(k), lambda xs, k: xs[:k], lambda xs, k: len(xs) >= k, None),
    "take_while": (
        lambda s, k: s.take_while(lambda x: x != k),
        lambda xs, k: list(itertools.takewhile(lambda x: x != k, xs)),
        lambda xs, k: k in xs,
        None,
    ),
    "first_of_default": (
        lambda s, k: s.default_if_empty(k).first(),
        lambda xs, k: xs[:1] or [k],
        lambda xs, k: bool(xs),
        lambda xs, k: xs[:1],
    ),
    "first_that": (
        lambda s, k: s.end_with(k).first(lambda x: x == k),
        lambda xs, k: [k],
        lambda xs, k: k in xs,
        lambda xs, k: [k] if k in xs else [],
    ),
    "element_at": (
        lambda s, k: s.end_with(*range(99)).element_at(k),
        lambda xs, k: [[*xs, *range(99)][k]],
        lambda xs, k: len(xs) > k,
        lambda xs, k: xs[k : k + 1],
    ),
    "some": (
        lambda s, k: s.some(lambda x: x == k),
        lambda xs, k: [k in xs],
        lambda xs, k: k in xs,
        lambda xs, k: [True] if k in xs else [],
    ),
    "all": (
        lambda s, k: s.all(lambda x: x != k),
        lambda xs, k: [k not in xs],
        lambda xs, k: k in xs,
        lambda xs, k: [False] if k in xs else [],
    ),
    "contains": (
        lambda s, k: s.contains(k),
        lambda xs, k: [k in xs],
        lambda xs, k: k in xs,
        lambda xs, k: [True] if k in xs else [],
    ),
    "contains_by": (
        lambda s, k: s.contains(k, lambda value, x: x == 2 * value),
        lambda xs, k: [2 * k in xs],
        lambda xs, k: 2 * k in xs,
        lambda xs, k: [True] if 2 * k in xs else [],
    ),
    "is_empty": (
        lambda s, k: s.is_empty(),
        lambda xs, k: [not xs],
        lambda xs, k: bool(xs),
        lambda xs, k: [False] if xs else [],
    ),
}


@pytest.mark.parametrize("name", SHORT)
@quick
@given(k=small, trial=trials())
def test_an_operator_that_has_had_enough_completes_and_cancels(shared, name, k, trial):
    operator, model, enough, failed = SHORT[name]
    check_operator(
        shared,
        lambda s: operator(s, k),
        lambda xs: model(xs, k),
        trial,
        enough=lambda xs: enough(xs, k),
        failed=failed and (lambda xs: failed(xs, k)),
    )


# Operators with a function of the user: what comes of the numbers before the one it fails at.
WITH_A_FUNCTION = {
    "map": (lambda s, f: s.map(f), list),
    "filter": (lambda s, f: s.filter(lambda x: f(x) or True), list),
    "flat_map": (
        lambda s, f: s.flat_map(lambda x: [f(x)] * 2),
        lambda xs: [x for x in xs for _ in range(2)],
    ),
    "starmap": (lambda s, f: s.map(lambda x: (x,)).starmap(f), list),
    "map_not_none": (lambda s, f: s.map_not_none(f), list),
    "take_while": (lambda s, f: s.take_while(lambda x: f(x) >= 0), list),
    "skip_while": (lambda s, f: s.skip_while(lambda x: f(x) >= 0), nothing),
    "scan": (
        lambda s, f: s.scan(0, lambda a, x: a + f(x)),
        lambda xs: list(itertools.accumulate(xs)),
    ),
    "stateful_map": (lambda s, f: s.stateful_map(int, lambda a, x: (a, f(x))), list),
    "distinct": (lambda s, f: s.distinct(f), list),
    "distinct_window": (lambda s, f: s.distinct(f, window=2), list),
    "distinct_until_changed": (lambda s, f: s.distinct_until_changed(f), list),
    "sort_within": (lambda s, f: s.sort_within(3, f), lambda xs: xs[:-3]),
    "reduce": (lambda s, f: s.reduce(0, lambda a, x: a + f(x)), nothing),
    "reduce_without_initial": (
        lambda s, f: s.start_with(0).reduce_without_initial(lambda a, x: a + f(x)),
        nothing,
    ),
    "min": (lambda s, f: s.min(f), nothing),
    "all": (lambda s, f: s.all(lambda x: f(x) >= 0), nothing),
    "first": (lambda s, f: s.end_with(99).first(lambda x: f(x) > 90), nothing),
}


@pytest.mark.parametrize("name", WITH_A_FUNCTION)
@quick
@given(trial=trials(some_numbers))
def test_all_before_a_failing_call_is_delivered_and_the_failure_names_it(shared, name, trial):
    operator, model = WITH_A_FUNCTION[name]
    ahead = 1 if name == "reduce_without_initial" else 0  # of its elements before the first call
    check_function(shared, operator, model, trial, ahead=ahead)
