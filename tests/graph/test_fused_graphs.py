# mypy: disable-error-code="arg-type, func-returns-value, union-attr, var-annotated"
"""Rows of stages as one actor each, with the results and errors of many.

Of stages that never wait, which share one unasked, and of all that ``Graph.fuse()`` puts together.
"""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from actors_rs.stages.sinks.files.writing import WriteReport
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import numbers, quick
from tests.graph.random_graphs import Maker
from tests.graph.test_fuse import OPERATORS, apply, model_of
from tests.graph.test_monitored_run import GRAPHS
from tests.graph.test_stop_iteration import FLOWS, SINKS, WAYS, failures, is_told, ten

thorough = settings(quick, max_examples=60)
chains = st.lists(
    st.tuples(st.sampled_from(sorted(OPERATORS)), st.integers(0, 5)), min_size=0, max_size=4
)
positions = st.integers(0, 60)
narrow = st.integers(1, 1024)
SOURCES = {
    "of": lambda xs: Source.of(*xs),
    "range": lambda xs: Source.range(0, len(xs)),
    "a list": lambda xs: Source.from_iterable(list(xs)),
    "a function": lambda xs: Source.from_iterable(lambda: iter(xs)),
}
ENDS = {
    "list": Sink.list,
    "fold": lambda: Sink.fold(7, lambda total, x: 31 * total + x),
    "sum": Sink.sum,
    "count": Sink.count,
    "first": Sink.first,
    "last": Sink.last,
    "for_each": lambda: Sink.for_each(str),
    "fan": lambda: Sink.fan(Sink.list(), Sink.first(), Sink.count()),
}


def given_by(source, xs):
    return list(range(len(xs))) if source == "range" else list(xs)


NUMBER = re.compile(r"(?<=[a-z])-\d+")
"""Behind the name of the second stage of one name, where each has an actor of its own."""


def told(error):
    """What somebody is told of ``error``, its cause included."""
    stage, position, site = (getattr(error, name, None) for name in ("stage", "position", "site"))
    text, stage = NUMBER.sub("", str(error)), stage and NUMBER.sub("", stage)
    return type(error), text, [stage, position, site], repr(error.__cause__)


def came_of(system, graph):
    """The result of ``graph``, or what is told of its failure."""
    try:
        result = system.start(graph).result(SECONDS)
    except Exception as error:
        return told(error)
    return result.rows if isinstance(result, WriteReport) else result


def outcomes(graph, window):
    """What comes of ``graph`` in two runs, and in two when it is fused."""
    with ActorSystem(workers=2, window=window, shutdown_timeout=SECONDS) as system:
        return [came_of(system, one) for one in (graph, graph.fuse()) for _ in "ab"]


@thorough
@given(
    source=st.sampled_from(sorted(SOURCES)),
    sink=st.sampled_from(sorted(ENDS)),
    xs=numbers,
    chain=chains,
    window=narrow,
)
def test_a_row_gives_what_it_gives_apart_in_each_of_its_runs(source, sink, xs, chain, window):
    graph = apply(SOURCES[source](xs), chain).to(ENDS[sink]())
    apart, *others = outcomes(graph, window)
    assert others == [apart] * 3
    if sink == "list":
        assert apart == model_of(given_by(source, xs), True, chain)[0]


class Picky:
    """Notes what it gets, and raises for the element at ``bad``; keeps no count between runs."""

    def __init__(self, bad):
        self.bad, self.seen = bad, []

    def __call__(self, x):
        if len(self.seen) == self.bad:
            raise KeyError(x)
        self.seen.append(x)
        return x


def failing(source, before, bad, after, fuse):
    """A graph in whose middle a function fails, and what its sink sees."""
    seen = []
    flow = apply(source, before).map(Picky(bad)).named("picky")
    graph = apply(flow, after).to(Sink.for_each(seen.append))
    return (graph.fuse() if fuse else graph), seen


@thorough
@given(
    source=st.sampled_from(sorted(SOURCES)),
    xs=numbers,
    before=chains,
    bad=positions,
    after=chains,
    window=narrow,
)
def test_a_sink_has_seen_all_that_came_before_a_failure_and_nothing_else(
    source, xs, before, bad, after, window
):
    reach, whole = model_of(given_by(source, xs), True, before)
    fails = bad < len(reach)
    expected, enough = model_of(reach[:bad], whole and not fails, after)
    ends = []
    with ActorSystem(workers=2, window=window, shutdown_timeout=SECONDS) as system:
        for fuse in (False, True):
            graph, seen = failing(SOURCES[source](xs), before, bad, after, fuse)
            ends.append(came_of(system, graph))
            assert seen == expected
    if not fails:
        assert ends == [len(expected)] * 2
    elif not enough:  # else the failure may come first, or the cancellation
        assert ends == [ends[0]] * 2
        kind, _, (stage, position, site), cause = ends[0]
        assert (kind, stage, position) == (StageError, "picky", bad)
        assert cause.startswith("KeyError(")
        assert "test_fused_graphs.py:" in site


@quick
@given(xs=numbers, chain=chains, bad=positions, window=narrow)
def test_a_sink_that_fails_is_named_with_its_element_and_has_seen_those_before(
    xs, chain, bad, window
):
    reach = model_of(xs, True, chain)[0]
    ends = []
    with ActorSystem(workers=2, window=window, shutdown_timeout=SECONDS) as system:
        for fuse in (False, True):
            picky = Picky(bad)
            graph = apply(Source.from_iterable(xs), chain).to(Sink.for_each(picky).named("last"))
            ends.append(came_of(system, graph.fuse() if fuse else graph))
            assert picky.seen == reach[:bad]
    if bad >= len(reach):
        assert ends == [len(reach)] * 2
    else:
        assert ends == [ends[0]] * 2
        assert ends[0][2][:2] == ["last", bad]


ENOUGH = {
    "take": (lambda s: s.take(3000), Sink.count, 3000),
    "take_while": (lambda s: s.take_while(lambda x: x < 5000), Sink.count, 5000),
    "first of the stream": (lambda s: s.filter(lambda x: x > 4096).first(), Sink.list, [4097]),
    "first": (lambda s: s.map(lambda x: x + 1), Sink.first, 1),
    "first without an operator": (lambda s: s, Sink.first, 0),
    "take and a tail": (lambda s: s.take(5000).end_with(*range(9000)), Sink.count, 14_000),
    "some": (lambda s: s.some(lambda x: x == 10_000), Sink.last, True),
    "fan": (lambda s: s, lambda: Sink.fan(Sink.first(), Sink.first()), (0, 0)),
}


@pytest.mark.parametrize("fuse", [False, True])
@pytest.mark.parametrize("window", [1, 7, 4096])
@pytest.mark.parametrize("name", ENOUGH)
def test_who_has_had_enough_ends_a_source_without_end(name, window, fuse):
    row, sink, expected = ENOUGH[name]
    graph = row(Source.range(0, 10**15)).to(sink())
    with ActorSystem(workers=1, window=window, shutdown_timeout=SECONDS) as system:
        for _ in range(2):
            assert system.start(graph.fuse() if fuse else graph).result(SECONDS) == expected
        wait_until(lambda: not system.children())


@pytest.mark.parametrize("seed", range(40))
def test_a_random_graph_gives_the_same_when_it_is_fused(seed, shared):
    made = Maker(seed)
    graph = made.graph().fuse()
    for _ in range(2):
        results = shared.start(graph).result(SECONDS)
        lists = [results] if len(made.sinks) == 1 else results
        assert sorted(n for part in lists for n in part) == sorted(made.expected.elements())


@pytest.mark.parametrize(("workers", "window"), [(1, 1), (4, 3), (2, 4096)])
@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_all_kinds_keep_the_rules_and_their_results_when_fused(
    name, window, workers, tmp_path
):
    graph = GRAPHS[name](tmp_path)
    with ActorSystem(workers=workers, window=window, shutdown_timeout=SECONDS) as system:
        fused, plain = came_of(system, graph.fuse().monitored()), came_of(system, graph)
        monitored = came_of(system, graph.monitored())
    assert fused == plain == monitored


@pytest.mark.parametrize("f", WAYS)
@pytest.mark.parametrize("what", FLOWS)
def test_a_stop_iteration_in_a_fused_graph_is_a_failure_that_names_the_stage(what, f, shared):
    found = failures(shared, FLOWS[what](f).to(Sink.list()).fuse())
    assert any(is_told(error, what.split()[0]) for error in found)


@pytest.mark.parametrize("f", WAYS)
@pytest.mark.parametrize("what", SINKS)
def test_a_stop_iteration_in_a_fused_sink_names_the_sink(what, f, shared):
    for flow in (ten, ten.map(str), ten.flat_map(lambda x: [x]).map(str)):
        found = failures(shared, flow.to(SINKS[what](f)).fuse())
        assert any(is_told(error, what.split()[0]) for error in found)
