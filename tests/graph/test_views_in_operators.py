# mypy: disable-error-code="arg-type, func-returns-value, var-annotated"
"""Operators that draw tuples from views: with what each of them was told, and nothing twice."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS
from tests.graph.models import numbers, quick, windows
from tests.graph.test_turning_slow import FAST, Turning
from tests.graph.test_views import ROWS, picky_of, started

# Each entry: an operator that calls ``f`` with a tuple, and gives it on if ``f`` returns it.
OPERATORS = {
    "map": lambda s, f: s.map(lambda pair: f(pair)),
    "map of a callable": lambda s, f: s.map(partial(f)),
    "starmap": lambda s, f: s.starmap(lambda *pair: f(pair)),
    "starmap of a callable": lambda s, f: s.map(lambda pair: (pair,)).starmap(partial(f)),
    "filter": lambda s, f: s.filter(lambda pair: f(pair)),
    "map_not_none": lambda s, f: s.map_not_none(lambda pair: f(pair)),
}
every_row = pytest.mark.parametrize(("row", "model"), ROWS.values(), ids=ROWS)
every_operator = pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
every_demand = pytest.mark.parametrize("demand", [None, 3])
every_way = pytest.mark.parametrize("fused", [False, True], ids=["apart", "fused"])


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def noting(seen):
    """Notes the tuples, and returns them."""
    picky = picky_of(seen)

    def f(pair):
        picky(pair)
        return pair

    return f


@every_row
@every_operator
@every_way
def test_each_tuple_is_given_to_the_function_once(system, row, model, operator, fused):
    seen, expected = [], model(3000)
    flow = operator(row(Source.range(0, 3000)), lambda pair: seen.append(pair) or pair)
    assert started(system, flow.to(Sink.list()), fused).result(SECONDS) == expected
    assert seen == expected


@every_operator
@quick
@given(xs=numbers, window=windows, width=st.integers(1, 5))
def test_tuples_come_in_all_windows(operator, xs, window, width):
    expected = [tuple(xs[begin : begin + width]) for begin in range(len(xs) - width + 1)]
    flow = operator(Source.from_iterable(xs).sliding(width), lambda pair: pair)
    with ActorSystem(workers=1, window=window, shutdown_timeout=SECONDS) as system:
        assert system.start(flow.to(Sink.list())).result(SECONDS) == expected
        assert system.start(flow.to(Sink.list()).fuse()).result(SECONDS) == expected


@every_row
@every_operator
@every_way
@every_demand
def test_a_function_that_raises_is_told_with_the_place_of_its_tuple(
    system, row, model, operator, fused, demand
):
    seen, given_on = [], []
    sink = Sink.for_each(given_on.append).with_attributes(window=demand)
    flow = operator(row(Source.range(0, 200)), noting(seen))
    with pytest.raises(StageError) as failed:
        started(system, flow.to(sink), fused).result(SECONDS)
    position = next(place for place, pair in enumerate(model(200)) if pair[0] % 10 == 7)
    assert failed.value.position == position
    assert isinstance(failed.value.__cause__, ValueError)
    assert seen == given_on == model(200)[:position]


@every_row
@every_operator
@every_way
@every_demand
@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_who_goes_on_behind_a_tuple_misses_no_other(
    system, row, model, operator, fused, demand, policy
):
    seen, sink = [], Sink.list().with_attributes(window=demand)
    flow = operator(row(Source.range(0, 200)), noting(seen)).on_failure(policy)
    given_on = started(system, flow.to(sink), fused).result(SECONDS)
    assert seen == given_on == [pair for pair in model(200) if pair[0] % 10 != 7]
    passed_over = [letter.what for letter in system.dead_letters.recent()]
    assert len(passed_over) == len(model(200)) - len(seen)


@every_operator
@every_way
def test_a_stop_iteration_of_the_function_is_a_failure(system, operator, fused):
    def stops(pair):
        if pair[0] == 100:
            raise StopIteration
        return pair

    flow = operator(Source.range(0, 200).with_index(), stops).named("stops")
    with pytest.raises(StageError, match="stops"):
        started(system, flow.to(Sink.list()), fused).result(SECONDS)


@every_row
@every_operator
@every_way
def test_a_function_that_turns_slow_gets_each_tuple_once(system, row, model, operator, fused):
    turning, seen = Turning(), []
    flow = operator(row(Source.range(0, 3 * FAST)), lambda pair: seen.append(turning(pair)) or pair)
    run = started(system, flow.to(Sink.list()), fused)
    turning.wait_until_slow()
    turning.go_on.set()
    assert run.result(SECONDS) == seen == model(3 * FAST)
