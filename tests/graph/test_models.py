# mypy: disable-error-code="var-annotated"
"""Every operator against a list, whatever the input, the windows and the place of a failure."""

import itertools

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import EmptyStreamError, StageError
from tests.graph.helpers import SECONDS

numbers = st.lists(st.integers(-20, 20) | st.none(), max_size=80)
windows = st.integers(1, 1024) | st.sampled_from([1, 2, 3, 16])
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
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
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


@ours
@given(
    st.integers(0, 60),
    st.integers(0, 59),
    windows,
    windows,
    st.sampled_from(["map", "filter", "scan", "flat_map", "map_async"]),
)
def test_all_before_a_failing_element_is_delivered_and_the_failure_names_it(
    system, length, bad, window, last, kind
):
    def f(x):
        if x == bad:
            raise KeyError(x)
        return [x] if kind == "flat_map" else x + 1

    source = Source.range(0, length)
    flow = (
        {
            "map": lambda: source.map(f),
            "filter": lambda: source.filter(f),
            "scan": lambda: source.scan(0, lambda _, x: f(x)),
            "flat_map": lambda: source.flat_map(f),
            "map_async": lambda: source.map_async(f, 3),
        }[kind]()
        .named("suspect")
        .with_attributes(window=window)
    )
    seen = []
    graph = flow.to(Sink.for_each(seen.append).with_attributes(window=last))
    run = system.start(graph)
    done = min(bad, length)
    expected = [x if kind in ("filter", "flat_map") else x + 1 for x in range(done)]
    if bad >= length:
        assert run.result(SECONDS) == len(expected)
    else:
        with pytest.raises(StageError) as caught:
            run.result(SECONDS)
        assert (caught.value.stage, caught.value.position) == ("suspect", bad)
        assert isinstance(caught.value.__cause__, KeyError)
        assert "test_models.py:" in caught.value.site
    assert seen == expected


SOURCES = {
    "of": (lambda xs: Source.of(*xs), list),
    "list": (Source.from_iterable, list),
    "tuple": (lambda xs: Source.from_iterable(tuple(xs)), list),
    "set": (lambda xs: Source.from_iterable(set(xs)), lambda xs: list(set(xs))),
    "generator": (lambda xs: Source.from_iterable(lambda: (x for x in xs)), list),
    "range": (lambda xs: Source.range(3, len(xs)), lambda xs: list(range(3, 3 + len(xs)))),
    "repeat": (lambda xs: Source.repeat("x", len(xs)), lambda xs: ["x"] * len(xs)),
    "unfold": (
        lambda xs: Source.unfold(0, lambda i: (xs[i], i + 1) if i < len(xs) else None),
        list,
    ),
}


@pytest.mark.parametrize(("make", "model"), SOURCES.values(), ids=SOURCES.keys())
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(xs=numbers, window=windows, most=st.none() | small)
def test_a_source_gives_its_elements_in_every_run(system, make, model, xs, window, most):
    flow, expected = make(xs), model(xs)
    if most is not None:
        flow, expected = flow.take(most), expected[:most]
    graph = flow.to(Sink.list().with_attributes(window=window))
    assert [system.start(graph).result(SECONDS) for _ in range(2)] == [expected] * 2


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
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(xs=st.lists(st.integers(), max_size=50), window=windows)
def test_a_sink_gives_the_result_of_its_list(system, make, model, xs, window):
    sink, expected = make(), model(xs)
    graph = Source.from_iterable(xs).to(sink.with_attributes(window=window))
    if expected is EmptyStreamError:
        with pytest.raises(EmptyStreamError, match="had none"):
            system.start(graph).result(SECONDS)
    else:
        assert system.start(graph).result(SECONDS) == expected
