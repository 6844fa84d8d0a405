# mypy: disable-error-code="var-annotated"
"""Chains of operators, and sinks, against a list; single operators are in test_operators."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import EmptyStreamError
from tests.graph.helpers import SECONDS
from tests.graph.models import quick, windows

numbers = st.lists(st.integers(-20, 20) | st.none(), max_size=80)
small = st.integers(0, 12)


def odd(x):
    return x is not None and x % 2 == 1


def times(x):
    return [x] * ((x or 0) % 4)


# Each entry: strategy of a parameter, the operator, the same on a list.
OPERATORS = {
    "map": (small, lambda s, k: s.map(lambda x: (x, k)), lambda xs, k: [(x, k) for x in xs]),
    "filter": (small, lambda s, k: s.filter(odd), lambda xs, k: [x for x in xs if odd(x)]),
    "flat_map": (
        small,
        lambda s, k: s.flat_map(times),
        lambda xs, k: [y for x in xs for y in times(x)],
    ),
    "take": (small, lambda s, k: s.take(k), lambda xs, k: xs[:k]),
    "skip": (small, lambda s, k: s.skip(k), lambda xs, k: xs[k:]),
    "take_while": (
        small,
        lambda s, k: s.take_while(lambda x: x != k),
        lambda xs, k: list(itertools.takewhile(lambda x: x != k, xs)),
    ),
    "skip_while": (
        small,
        lambda s, k: s.skip_while(lambda x: x != k),
        lambda xs, k: list(itertools.dropwhile(lambda x: x != k, xs)),
    ),
    "scan": (
        small,
        lambda s, k: s.scan(k, lambda a, x: a + (x or 0)),
        lambda xs, k: list(itertools.accumulate(xs, lambda a, x: a + (x or 0), initial=k))[1:],
    ),
    "batch": (
        st.integers(1, 9),
        lambda s, k: s.batch(k),
        lambda xs, k: [xs[i : i + k] for i in range(0, len(xs), k)],
    ),
    "map_async": (
        st.integers(1, 9),
        lambda s, k: s.map_async(lambda x: (x, k), k),
        lambda xs, k: [(x, k) for x in xs],
    ),
    "broadcast_merge": (
        st.integers(1, 3),
        lambda s, k: _merged(s.broadcast(k)).map(repr).batch(10**6).map(sorted),
        lambda xs, k: [sorted([repr(x) for x in xs] * k)] if xs else [],
    ),
    "partition_merge": (
        st.integers(1, 3),
        lambda s, k: (
            _merged(s.partition(k, lambda x: (x or 0) % k)).map(repr).batch(10**6).map(sorted)
        ),
        lambda xs, k: [sorted(repr(x) for x in xs)] if xs else [],
    ),
}


def _merged(flows):
    return flows[0].merge(*flows[1:])


@st.composite
def chains(draw):
    steps = []
    for name in draw(st.lists(st.sampled_from(sorted(OPERATORS)), max_size=5)):
        parameter, operator, model = OPERATORS[name]
        if steps and steps[-1][0] in (
            "batch",
            "map",
            "map_async",
            "broadcast_merge",
            "partition_merge",
        ):
            break  # what follows needs numbers
        steps.append((name, draw(parameter), draw(windows), operator, model))
    return steps


@pytest.fixture(scope="module", params=[1, 2, 8])
def system(request):
    with ActorSystem(workers=request.param, shutdown_timeout=SECONDS) as system:
        yield system


ours = settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@ours
@given(numbers, chains(), windows, windows)
def test_a_chain_of_operators_gives_what_a_list_gives_each_time_it_is_run(
    system, xs, chain, first, last
):
    flow, expected = Source.from_iterable(lambda: iter(xs)), xs
    flow = flow.with_attributes(window=first)
    for _, k, window, operator, model in chain:
        flow = operator(flow, k).with_attributes(window=window)
        expected = model(expected, k)
    graph = flow.to(Sink.list().with_attributes(window=last))
    assert system.start(graph).result(SECONDS) == expected
    assert system.start(graph).result(SECONDS) == expected, "a second run differs"


SINKS = {
    "list": (Sink.list, list),
    "count": (Sink.count, len),
    "sum": (Sink.sum, sum),
    "fold": (lambda: Sink.fold("", lambda a, x: a + str(x)), lambda xs: "".join(map(str, xs))),
    "for_each": (lambda: Sink.for_each(lambda _: None), len),
    "ignore": (Sink.ignore, lambda _: None),
    "first": (Sink.first, lambda xs: xs[0] if xs else EmptyStreamError),
    "last": (Sink.last, lambda xs: xs[-1] if xs else EmptyStreamError),
}


@pytest.mark.parametrize(("make", "model"), SINKS.values(), ids=SINKS.keys())
@quick
@given(xs=st.lists(st.integers(), max_size=50), window=windows)
def test_a_sink_gives_the_result_of_its_list(system, make, model, xs, window):
    sink, expected = make(), model(xs)
    graph = Source.from_iterable(xs).to(sink.with_attributes(window=window))
    if expected is EmptyStreamError:
        with pytest.raises(EmptyStreamError, match="had none"):
            system.start(graph).result(SECONDS)
    else:
        assert system.start(graph).result(SECONDS) == expected
