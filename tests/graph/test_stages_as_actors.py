# mypy: disable-error-code="arg-type, func-returns-value, union-attr, var-annotated"
"""A graph whose stages are an actor each: what is seen of each stage, and what none waits for."""

import threading
import time
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import ActorSystem, Graph, Sink, Source
from actors_rs.errors import StageError
from actors_rs.stages.operators.map import Map
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import quick

System = partial(ActorSystem, workers=2, shutdown_timeout=SECONDS)


def same(x):
    return x


def three():
    return Source.range(0, 3)


def branches():
    one, other = three().skip(1).broadcast(2)
    return one.skip(1).to(Sink.list()), other.to(Sink.count())


def ended(graph):
    """A run of ``graph`` that has ended."""
    with System() as system:
        run = system.start(graph)
        run.wait(SECONDS)
    return run


def test_each_stage_has_figures_and_a_box_of_its_own():
    flow = Source.range(0, 5000).skip(10).named("late").map(same).batch(3)
    run = ended(flow.to(Sink.list()))
    names = [stage.name for stage in run.snapshot().stages]
    assert names == ["range", "late", "map", "batch", "list"]
    assert "late<br/>in 5,000, out 4,990<br/>ended" in run.draw()


def test_stages_of_one_name_are_numbered():
    run = ended(three().skip(1).skip(0).to(Sink.list()))
    assert [stage.name for stage in run.snapshot().stages] == ["range", "skip", "skip-2", "list"]


def test_the_stage_that_failed_is_shown_as_failed_and_no_other():
    run = ended(three().skip(1).map(lambda x: 1 // (x - 2)).count().to(Sink.list()))
    assert run.state == "failed"
    states = [stage.state for stage in run.snapshot().stages]
    assert states == ["ended", "ended", "failed", "ended", "ended"]


def stage_of(run, name):
    return next(stage for stage in run.snapshot().stages if stage.name == name)


def test_a_stage_that_has_ended_is_shown_so_while_those_behind_it_work():
    go_on = threading.Event()
    with System() as system:
        flow = Source.range(0, 6).skip(1).map(lambda _: go_on.wait(SECONDS)).take(1)
        run = system.start(flow.to(Sink.list()))
        wait_until(lambda: stage_of(run, "skip").state == "ended")
        assert [stage.state for stage in run.snapshot().stages[2:]] == ["running"] * 3
        wait_until(lambda: stage_of(run, "range").idle > 0.5)
        go_on.set()
        assert run.result(SECONDS) == [True]


def test_a_stage_that_holds_what_nobody_asks_for_is_held_back():
    go_on = threading.Event()
    numbers = Source.from_iterable(lambda: iter(range(60)))
    sink = Sink.for_each(lambda _: go_on.wait(SECONDS)).with_attributes(window=4)
    with System(window=100) as system:
        run = system.start(numbers.skip(0).map(same).async_boundary().to(sink))
        wait_until(lambda: stage_of(run, "map").buffered > 20)
        wait_until(lambda: stage_of(run, "map").back_pressured > 0.5)
        assert stage_of(run, "map").idle < 0.5
        go_on.set()
        run.result(SECONDS)


class Reporting(Map):
    """Makes a dead letter of each element that it gives."""

    def collect(self, elements, out):
        for element in elements:
            self.context.report(element, "just so")
            out.append(element)


def test_a_dead_letter_is_said_to_be_of_the_stage_that_reported_it():
    reporting = partial(Reporting, same)
    flow = three().then("noting", reporting).map(same)
    with System() as system:
        assert system.start(flow.to(Sink.list())).result(SECONDS) == [0, 1, 2]
        letters = system.dead_letters.recent()
    assert [(one.what, one.where) for one in letters] == [(x, "stage 'noting'") for x in range(3)]


@pytest.mark.parametrize("sink", [Sink.list, Sink.sum])
def test_a_failure_is_that_of_the_stage_with_its_element_and_line(sink):
    flow = Source.of(1, 2, "x").skip(1).named("late").sum().named("total")
    with System() as system, pytest.raises(StageError) as failed:
        system.start(flow.to(sink())).result(SECONDS)
    assert (failed.value.stage, failed.value.position) == ("total", 1)
    assert "test_stages_as_actors.py:" in failed.value.site
    assert isinstance(failed.value.__cause__, TypeError)


@quick
@given(window=st.integers(1, 64))
def test_a_function_is_called_for_no_more_than_is_asked_for(window):
    calls, go_on = [], threading.Event()

    def wait(_):
        assert go_on.wait(SECONDS)

    with System(window=window) as system:
        run = system.start(Source.range(0, 5000).map(calls.append).to(Sink.for_each(wait)))
        wait_until(lambda: len(calls) >= window)
        most = len(calls)
        go_on.set()
        run.result(SECONDS)
    assert most <= 2 * window


@pytest.mark.parametrize("window", [1, 2, 7])
def test_a_sink_that_waits_has_no_more_than_its_window_in_front_of_it(window):
    go_on = threading.Event()
    with System(window=window) as system:
        sink = Sink.for_each(lambda _: go_on.wait(SECONDS))
        run = system.start(Source.range(0, 1000).skip(0).to(sink))
        wait_until(lambda: stage_of(run, "for_each").elements_in == 1)
        seen = run.snapshot()
        go_on.set()
        run.result(SECONDS)
    assert [link.window for link in seen.links] == [window] * 2
    assert all(link.buffered <= window for link in seen.links)


def test_a_failure_that_nobody_wants_any_more_is_none():
    flow = Source.failed(KeyError()).start_with(0, 1, 2).recover(lambda _: 9).take(1)
    with System(window=1) as system:
        assert system.start(flow.to(Sink.list())).result(SECONDS) == [0]


def test_a_group_can_be_run_in_a_graph_of_its_own():
    with System() as system:
        groups = Source.range(0, 10).group_by(lambda x: x % 2, 2)
        runs = groups.map(lambda group: system.start(group.skip(1).to(Sink.list())))
        results = [
            run.result(SECONDS) for run in system.start(runs.to(Sink.list())).result(SECONDS)
        ]
    assert results == [[2, 4, 6, 8], [3, 5, 7, 9]]


def test_what_waits_holds_up_nobody_who_shows_what_came():
    seen, go_on = [], threading.Event()

    def late(x):
        assert x < 2 or go_on.wait(SECONDS)
        return x

    with System() as system:
        run = system.start(three().skip(0).map(late).take(3).to(Sink.for_each(seen.append)))
        wait_until(lambda: seen == [0, 1])
        go_on.set()
        run.result(SECONDS)
    assert seen == [0, 1, 2]


def test_graphs_of_branches_give_the_same():
    with System() as system:
        assert system.start(Graph(*branches())).result(SECONDS) == ([2], 2)


@pytest.mark.parametrize(("skipped", "window"), [(3, 1), (7, 2), (14_000, 4096)])
def test_the_links_of_a_branch_hold_what_a_diamond_needs(skipped, window):
    """Else the branches of a diamond that one of them delays wait for each other for ever."""
    one, other = Source.range(0, 4 * skipped).broadcast(2)
    delayed = other.with_index().with_index().with_index()
    with System(window=window) as system:
        run = system.start(one.skip(skipped).zip(delayed).to(Sink.count()))
        assert run.result(SECONDS) == 3 * skipped


@pytest.mark.parametrize("end", ["for_each", "map", "reduce"])
def test_a_run_that_is_drained_calls_for_a_few_windows_more(end):
    calls = []

    def f(x):
        calls.append(x)
        return x

    window, source = 3, Source.range(0, 10**9)
    graph = {
        "for_each": source.to(Sink.for_each(f)),
        "map": source.map(f).count().to(Sink.list()),
        "reduce": source.reduce(0, lambda _, x: f(x)).to(Sink.list()),
    }[end]
    with System(window=window) as system:
        run = system.start(graph)
        wait_until(lambda: len(calls) > 100)
        run.drain(0)
        drained = len(calls)
        run.result(SECONDS)
    assert len(calls) - drained < 10**6, "the source went on"


def test_an_error_beside_one_that_was_recovered_from_goes_with_it():
    flow = Source.failed(ValueError("first")).start_with(1, "a").sum().recover(lambda _: "well")
    with System() as system:
        assert system.start(flow.to(Sink.list())).result(SECONDS) == ["well"]
        (letter,) = system.dead_letters.recent()
    assert letter.where == "stage 'recover'"
    assert "together with an error that was recovered" in letter.why


def test_of_two_that_fail_in_one_frame_the_one_that_raised_first_is_told_first():
    def f(x):
        if x == 4:
            raise ValueError(x)
        return "no number" if x == 3 else x

    with System(workers=1) as system, pytest.raises(StageError) as failed:
        system.start(Source.range(0, 10).map(f).to(Sink.sum())).result(SECONDS)
    assert (failed.value.stage, failed.value.position) == ("map", 4)
    assert [str(error).partition(":")[0] for error in failed.value.others] == [
        "stage 'sum' failed at element 3"
    ]


@pytest.mark.parametrize(("window", "beyond"), [(64, 200), (4096, 10_000)])
def test_a_function_that_waits_holds_up_no_other_branch(window, beyond):
    seen = threading.Event()
    one, other = Source.range(0, 20_000).broadcast(2)
    waiting = one.with_index().with_index().with_index().map(lambda _: seen.wait(SECONDS))
    graph = Graph(
        waiting.first().to(Sink.first()),
        other.to(Sink.for_each(lambda x: seen.set() if x == beyond else None)),
    )
    with System(window=window) as system:
        assert system.start(graph).result(SECONDS)[0], "the other branch got nothing meanwhile"


class Slow:
    """An element that takes long to be added."""

    def __radd__(self, other):
        time.sleep(0.02)
        return other + 1


def test_the_stage_that_adds_slow_elements_is_the_bottleneck():
    with System() as system:
        run = system.start(Source.of(*[Slow()] * 5).sum().to(Sink.list()))
        assert run.result(SECONDS) == [5]
        assert run.snapshot().bottleneck.name == "sum"
