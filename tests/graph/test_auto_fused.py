# mypy: disable-error-code="arg-type, func-returns-value, union-attr, var-annotated"
"""Rows that nobody asked for: who shares an actor, and that nobody notices."""

import threading
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import ActorSystem, Feedback, Flow, Graph, Sink, Source, merge
from actors_rs.delivery import acknowledged
from actors_rs.errors import InvalidArgumentError, StageError
from actors_rs.graph.blueprint import in_order
from actors_rs.graph.layout import Layout
from actors_rs.stages.operators.map import Map
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import quick

System = partial(ActorSystem, workers=2, shutdown_timeout=SECONDS)
APART = {"apart": {"auto_fuse": False}, "in rows": {}}
either_way = pytest.mark.parametrize("options", APART.values(), ids=APART)


def same(x):
    return x


def three():
    return Source.range(0, 3)


def rows(*sinks):
    """The stages of a graph actor by actor."""
    specs = in_order(sink for graph in sinks for sink in graph._sinks)
    return [" ".join(stage.spec.label for stage in row) for row in Layout(specs).rows(False)]


def branches():
    one, other = three().skip(1).broadcast(2)
    return one.skip(1).to(Sink.list()), other.to(Sink.count())


SHARED = {
    "nobody waits": (three().skip(1).count().to(Sink.list()), ["range skip count list"]),
    "one waits": (three().map(same).to(Sink.list()), ["range map list"]),
    "two wait": (three().map(same).map(same).to(Sink.list()), ["range map", "map list"]),
    "three wait": (
        three().map(same).filter(same).to(Sink.for_each(same)),
        ["range map", "filter", "for_each"],
    ),
    "the sink waits": (three().skip(1).to(Sink.for_each(same)), ["range skip for_each"]),
    "what waits is heard by what waits": (
        three().map(same).take(2).to(Sink.for_each(same)),
        ["range map", "take", "for_each"],
    ),
    "behind a junction": (
        merge(three(), three()).skip(1).take(2).map(same).take(1).to(Sink.list()),
        ["range", "range", "merge", "skip take", "map take list"],
    ),
    "what is behind it is heard by nobody": (
        three().map(same).take(2).batch(2).to(Sink.list()),
        ["range map take batch list"],
    ),
    "a source that may wait": (
        Source.from_iterable(lambda: range(3)).skip(1).to(Sink.list()),
        ["from_iterable", "skip list"],
    ),
    "values, and functions that give them": (
        three().start_with(0).start_with_get(int).end_with(1).to(Sink.list()),
        ["range start_with", "start_with_get", "end_with list"],
    ),
    "a key": (three().max().max(key=same).map(same).to(Sink.list()), ["range max max", "map list"]),
    "a time": (three().batch(2, within=9).to(Sink.list()), ["range", "batch", "list"]),
    "a weight": (
        three().batch(weight=same, max_weight=2).to(Sink.list()),
        ["range", "batch", "list"],
    ),
    "a thread of its own": (
        three().map(same).to(Sink.list().with_attributes(dispatcher="pinned")),
        ["range map", "list"],
    ),
    "a window of its own": (
        three().with_attributes(window=3).skip(1).to(Sink.list()),
        ["range", "skip list"],
    ),
    "a policy of its own": (
        three().map(same).on_failure("resume").to(Sink.list()),
        ["range", "map", "list"],
    ),
    "a boundary": (
        three().skip(1).async_boundary().take(2).to(Sink.list()),
        ["range skip", "take list"],
    ),
    "a boundary behind what waits": (
        three().map(same).skip(1).async_boundary().to(Sink.list()),
        ["range map", "skip", "list"],
    ),
    "fused operators": (
        three().skip(1).map(same).map(same).fuse().to(Sink.list()),
        ["range skip + map + map list"],
    ),
    "a fused graph": (three().skip(1).to(Sink.list()).fuse(), ["range + skip + list"]),
    "several sinks in one": (
        three().map(same).to(Sink.fan(Sink.list(), Sink.for_each(same))),
        ["range map", "fan"],
    ),
    "a junction": (
        merge(three().skip(1), Source.empty().map(same)).skip(1).to(Sink.list()),
        ["range skip", "empty map", "merge", "skip list"],
    ),
    "a section": (
        three().via(Flow().skip(1).restart()).skip(1).to(Sink.list()),
        ["range", "section", "skip list"],
    ),
    "what deals with failures, and what they come from": (
        three().skip(1).sum().recover(same).skip(1).to(Sink.list()),
        ["range", "skip", "sum", "recover", "skip list"],
    ),
    "elements that carry something": (
        acknowledged(three().skip(1), print).map(same).to(Sink.list()),
        ["range skip", "acknowledged", "map", "list"],
    ),
}


@pytest.mark.parametrize(("graph", "expected"), SHARED.values(), ids=SHARED)
def test_of_those_that_share_an_actor_one_at_most_may_wait(graph, expected):
    assert rows(graph) == expected


def test_branches_share_actors_up_to_their_junction():
    assert rows(*branches()) == ["range skip", "broadcast", "skip list", "count"]


def actors(graph, **options):
    """How many there are in a run of ``graph``, which does not end by itself."""
    with System(**options) as system:
        run = system.start(graph)
        count = system.statistics().actors
        run.cancel()
    return count


def waiting():
    return Source.never().skip(1).take(2).to(Sink.list())


def test_who_wants_each_stage_to_be_an_actor_gets_that():
    assert actors(waiting()) == 1
    assert actors(waiting(), auto_fuse=False) == 4


def test_the_links_of_a_run_that_is_monitored_are_all_there():
    assert actors(waiting(), monitor=True) == 4
    assert actors(waiting().monitored()) == 4


def test_a_graph_with_a_loop_has_an_actor_for_each_stage():
    loop = Feedback(8)
    flow = loop.source.merge_preferred(Source.never().skip(1)).take(9)
    graph = flow.divert_to(loop.sink, bool).to(Sink.list())
    assert actors(graph) == 7


def test_auto_fuse_takes_nothing_but_true_and_false():
    with pytest.raises(InvalidArgumentError, match="auto_fuse must be True or False, got 'no'"):
        ActorSystem(auto_fuse="no")


# That nobody notices.


def figures(snapshot):
    stages = [
        (stage.name, stage.kind, stage.state, stage.elements_in, stage.elements_out, stage.details)
        for stage in snapshot.stages
    ]
    links = [
        (link.upstream, link.outlet, link.downstream, link.inlet, link.elements, link.dropped)
        for link in snapshot.links
    ]
    return stages, links


def both(graph):
    """How ``graph`` ends, and its figures then, apart and in rows."""
    seen = []
    for options in APART.values():
        with System(**options) as system:
            run = system.start(graph)
            run.wait(SECONDS)
            seen.append((run.state, *figures(run.snapshot()), run.draw()))
    return seen


def test_a_stage_in_a_row_has_figures_and_a_box_of_its_own():
    flow = Source.range(0, 5000).skip(10).named("late").map(same).batch(3)
    apart, in_rows = both(flow.to(Sink.list()))
    assert in_rows == apart
    assert [stage[0] for stage in in_rows[1]] == ["range", "late", "map", "batch", "list"]
    assert "late<br/>in 5,000, out 4,990<br/>ended" in in_rows[-1]


def test_stages_of_one_name_are_told_apart_in_a_row_too():
    apart, in_rows = both(three().skip(1).skip(0).to(Sink.list()))
    assert in_rows == apart
    assert [stage[0] for stage in in_rows[1]] == ["range", "skip", "skip-2", "list"]


def test_of_a_row_the_stage_that_failed_is_shown_as_failed():
    apart, in_rows = both(three().skip(1).map(lambda x: 1 // (x - 2)).count().to(Sink.list()))
    assert in_rows == apart
    assert in_rows[0] == "failed"
    assert [stage[2] for stage in in_rows[1]] == ["ended", "ended", "failed", "ended", "ended"]


def test_the_time_of_a_row_is_that_of_the_stage_that_runs_code_of_the_users():
    go_on = threading.Event()
    with System() as system:
        flow = Source.range(0, 20_000).skip(1).map(lambda _: go_on.wait(SECONDS)).count()
        run = system.start(flow.to(Sink.list()))
        wait_until(lambda: stage_of(run, "map").busy > 0)
        stages = {stage.name: stage for stage in run.snapshot().stages}
        go_on.set()
        run.result(SECONDS)
    assert stages["map"].busy > 0
    for name in ("range", "skip"):  # they wait for it with what they have
        assert (stages[name].busy, stages[name].back_pressured) == (0, stages["map"].busy)
    for name in ("count", "list"):
        assert stages[name].busy == 0
        assert stages[name].idle >= stages["map"].busy


def stage_of(run, name):
    return next(stage for stage in run.snapshot().stages if stage.name == name)


@either_way
def test_a_stage_that_has_ended_is_shown_so_while_those_behind_it_work(options):
    go_on = threading.Event()
    with System(**options) as system:
        flow = Source.range(0, 10).skip(1).map(lambda _: go_on.wait(SECONDS)).take(1)
        run = system.start(flow.to(Sink.list()))
        wait_until(lambda: stage_of(run, "skip").state == "ended")
        assert [stage.state for stage in run.snapshot().stages[2:]] == ["running"] * 3
        wait_until(lambda: stage_of(run, "range").idle > 0.5)
        go_on.set()
        assert run.result(SECONDS) == [True]


@either_way
def test_a_row_that_holds_what_nobody_asks_for_is_held_back(options):
    go_on = threading.Event()
    numbers = Source.from_iterable(lambda: iter(range(60)))
    sink = Sink.for_each(lambda _: go_on.wait(SECONDS)).with_attributes(window=4)
    with System(window=100, **options) as system:
        run = system.start(numbers.skip(0).map(same).async_boundary().to(sink))
        wait_until(lambda: stage_of(run, "map").buffered > 20)
        wait_until(lambda: stage_of(run, "map").back_pressured > 0.5)
        assert stage_of(run, "map").idle < 0.5
        go_on.set()
        run.result(SECONDS)


class Reporting(Map):
    """Makes a dead letter of each element that it gives."""

    runs_code = False

    def collect(self, elements, out):
        for element in elements:
            self.context.report(element, "just so")
            out.append(element)


@either_way
def test_a_dead_letter_of_a_part_is_said_to_be_of_that_stage(options):
    reporting = partial(Reporting, same)
    flow = three().then("noting", reporting, fusable=True).map(same)
    with System(**options) as system:
        assert system.start(flow.to(Sink.list())).result(SECONDS) == [0, 1, 2]
        letters = system.dead_letters.recent()
    assert [(one.what, one.where) for one in letters] == [(x, "stage 'noting'") for x in range(3)]


@either_way
@pytest.mark.parametrize("sink", [Sink.list, Sink.sum])
def test_a_failure_is_that_of_the_stage_with_its_element_and_line(options, sink):
    flow = Source.of(1, 2, "x").skip(1).named("late").sum().named("total")
    with System(**options) as system, pytest.raises(StageError) as failed:
        system.start(flow.to(sink())).result(SECONDS)
    assert (failed.value.stage, failed.value.position) == ("total", 1)
    assert "test_auto_fused.py:" in failed.value.site
    assert isinstance(failed.value.__cause__, TypeError)


@either_way
@quick
@given(window=st.integers(1, 64))
def test_a_function_in_a_row_is_called_for_no_more_than_is_asked_for(options, window):
    calls, go_on = [], threading.Event()

    def wait(_):
        assert go_on.wait(SECONDS)

    with System(window=window, **options) as system:
        run = system.start(Source.range(0, 5000).map(calls.append).to(Sink.for_each(wait)))
        wait_until(lambda: len(calls) >= window)
        most = len(calls)
        go_on.set()
        run.result(SECONDS)
    assert most <= 2 * window


@either_way
@pytest.mark.parametrize("window", [1, 2, 7])
def test_a_sink_that_waits_has_no_more_than_its_window_in_front_of_it(options, window):
    go_on = threading.Event()
    with System(window=window, **options) as system:
        sink = Sink.for_each(lambda _: go_on.wait(SECONDS))
        run = system.start(Source.range(0, 1000).skip(0).to(sink))
        wait_until(lambda: stage_of(run, "for_each").elements_in == 1)
        seen = run.snapshot()
        go_on.set()
        run.result(SECONDS)
    assert [link.window for link in seen.links] == [window] * 2
    assert all(link.buffered <= window for link in seen.links)


@either_way
def test_a_failure_that_nobody_wants_any_more_is_none(options):
    flow = Source.failed(KeyError()).start_with(0, 1, 2).recover(lambda _: 9).take(1)
    with System(window=1, **options) as system:
        assert system.start(flow.to(Sink.list())).result(SECONDS) == [0]


@either_way
def test_a_group_can_be_run_in_a_graph_of_its_own(options):
    with System(**options) as system:
        groups = Source.range(0, 10).group_by(lambda x: x % 2, 2)
        runs = groups.map(lambda group: system.start(group.skip(1).to(Sink.list())))
        results = [
            run.result(SECONDS) for run in system.start(runs.to(Sink.list())).result(SECONDS)
        ]
    assert results == [[2, 4, 6, 8], [3, 5, 7, 9]]


@either_way
def test_what_waits_holds_up_nobody_who_shows_what_came(options):
    seen, go_on = [], threading.Event()

    def late(x):
        assert x < 2 or go_on.wait(SECONDS)
        return x

    with System(**options) as system:
        run = system.start(three().skip(0).map(late).take(3).to(Sink.for_each(seen.append)))
        wait_until(lambda: seen == [0, 1])
        go_on.set()
        run.result(SECONDS)
    assert seen == [0, 1, 2]


@either_way
def test_graphs_of_branches_give_the_same(options):
    with System(**options) as system:
        assert system.start(Graph(*branches())).result(SECONDS) == ([2], 2)
