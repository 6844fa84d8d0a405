# mypy: disable-error-code="var-annotated"
"""Loops: what goes in comes out, however often it comes round; and the loop ends by itself."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Backoff, Feedback, Flow, Graph, KillSwitch, Sink, Source, merge
from actors_rs.engine.layout import windows_of
from actors_rs.errors import GraphError, InvalidArgumentError, RunCancelled, StageError, Stalled
from actors_rs.graph.blueprint import in_order
from tests.graph.helpers import SECONDS, Book, wait_until
from tests.graph.models import Upstream, check_cancel, check_demand, check_list, quick, trials


def collatz(x):
    return x // 2 if x % 2 == 0 else 3 * x + 1


def rounds(pair):
    start, x = pair
    return start, collatz(x)


def goes_on(pair):
    return pair[1] > 1


def circling(numbers, buffer, body=lambda flow: flow.map(rounds)):
    """Each number goes round until it has come to 1."""
    return looped(Source.from_iterable(list(numbers)), buffer, body)


def looped(source, buffer, body=lambda flow: flow.map(rounds)):
    loop = Feedback(buffer)
    pairs = source.map(lambda x: (x, x))
    return body(loop.source.merge_preferred(pairs)).divert_to(loop.sink, goes_on)


def finished(system, flow):
    return sorted(x for x, _ in system.start(flow.to(Sink.list())).result(SECONDS))


@quick
@given(st.lists(st.integers(1, 60), max_size=40), st.integers(1, 40))
def test_every_element_leaves_the_loop_once_whatever_the_buffer(shared, numbers, buffer):
    flow = circling(numbers, buffer)
    for _ in range(2):
        assert finished(shared, flow) == sorted(numbers)


starts = trials(st.lists(st.integers(1, 60), max_size=30))


@quick
@given(trial=starts, buffer=st.integers(1, 40))
def test_a_loop_keeps_to_every_window_and_demand_and_can_be_cancelled(shared, trial, buffer):
    def operator(source):
        return looped(source, buffer).map(lambda pair: pair[0])

    check_list(shared, operator, list, trial, view=sorted)
    check_demand(shared, operator, list, trial, view=sorted)
    check_cancel(shared, operator, trial)


@quick
@given(trial=starts, buffer=st.integers(1, 40))
def test_a_loop_whose_source_fails_gives_nothing_twice_and_names_it(shared, trial, buffer):
    before = trial.xs[: trial.fails_behind]
    upstream, seen = Upstream(before, KeyError("the source fails")), []
    flow = looped(upstream.source().named("broken"), buffer)
    flow = flow.with_attributes(window=trial.window)
    run = shared.start(flow.to(Sink.for_each(seen.append).with_attributes(window=trial.last)))
    with pytest.raises(StageError) as caught:
        run.result(SECONDS)
    assert (caught.value.stage, caught.value.__cause__) == ("broken", upstream.error)
    assert Counter(start for start, _ in seen) <= Counter(before)
    assert all(end == 1 for _, end in seen)
    upstream.wait_until_released()


BODIES = {
    "map_async": lambda flow: flow.map_async(rounds, 3, ordered=False),
    "delay": lambda flow: flow.map(rounds).delay(0.001),
    "batch": lambda flow: flow.map(rounds).batch(5, within=0.002).flat_map(list),
    "throttle": lambda flow: flow.map(rounds).throttle(5000),
    "section": lambda flow: flow.via(Flow().map(rounds).restart(Backoff(0.01), max_restarts=3)),
    "groups": lambda flow: (
        flow.map(rounds).group_by(lambda pair: pair[0] % 5, 5).flat_map(lambda g: g, breadth=5)
    ),
    "branches": lambda flow: merge(*(branch.map(rounds) for branch in flow.balance(2))),
}


@pytest.mark.parametrize("buffer", [1, 2, 8])
def test_a_loop_closed_by_a_plain_merge_lets_nothing_in_that_it_has_no_room_for(shared, buffer):
    loop = Feedback(buffer)
    pairs = Source.range(1, 100).map(lambda x: (x, x))
    flow = loop.source.merge(pairs).map(rounds).divert_to(loop.sink, goes_on)
    assert finished(shared, flow) == list(range(1, 101))


def test_a_loop_that_keeps_elements_back_for_ever_is_reported(shared):
    loop = Feedback(8)
    batched = loop.source.merge_preferred(Source.range(1, 3)).batch(4).flat_map(list)
    graph = batched.divert_to(loop.sink, lambda _: True).to(Sink.list())
    with pytest.raises(Stalled, match="run 'run' has stood still"):
        shared.start(graph).result(SECONDS)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_loop_waits_for_what_its_stages_hold(shared, body):
    assert finished(shared, circling(range(1, 25), 64, body)) == list(range(1, 25))


def test_a_loop_waits_for_what_is_held_for_longer_than_it_looks(shared):
    flow = circling([3], 8, lambda flow: flow.map(rounds).batch(5, within=0.06).flat_map(list))
    assert finished(shared, flow) == [3]


def test_what_the_stages_of_a_loop_hold_fits_where_it_comes_back():
    for buffer in (1, 8, 1000):
        specs = in_order([circling([1], buffer).to(Sink.list())._sinks[0]])
        windows = windows_of(specs, 4096)
        room = next(windows[spec] for spec in specs if spec.kind == "merge_preferred")
        held = [
            min(windows[s] for s in specs if s.kind == k) for k in ("feedback", "map", "divert_to")
        ]
        assert room >= max(buffer, sum(held) + 1)


def test_a_loop_with_nothing_in_it_completes(shared):
    assert finished(shared, circling([], 8)) == []


def test_a_loop_holds_on_while_more_may_come_from_outside(shared):
    switch, loop, seen = KillSwitch(), Feedback(8), []
    open_ended = merge(Source.of((3, 3)), Source.never().kill_switch(switch))
    flow = loop.source.merge_preferred(open_ended).map(rounds).divert_to(loop.sink, goes_on)
    run = shared.start(flow.to(Sink.for_each(seen.append)))
    wait_until(lambda: seen == [(3, 1)])
    assert finished(shared, circling([9], 8)) == [9], "a loop that is looked at as often"
    assert not run.done()
    switch.shutdown()
    assert run.result(SECONDS) == 1


def test_a_failure_in_the_loop_ends_it(shared):
    def f(x):
        if x == 16:
            raise ValueError(x)
        return collatz(x)

    loop = Feedback(8)
    flow = loop.source.merge_preferred(Source.of(3)).map(f).divert_to(loop.sink, lambda x: x > 1)
    with pytest.raises(StageError, match="ValueError: 16"):
        shared.start(flow.to(Sink.list())).result(SECONDS)


def test_a_loop_can_be_left_for_good_and_cancelled(shared):
    loop = Feedback(8)
    endless = loop.source.merge_preferred(Source.of(1)).map(lambda x: x + 1)
    one, other = endless.broadcast(2)
    graph = Graph(one.take(5).to(Sink.list()), other.take(9).to(loop.sink))
    assert shared.start(graph).result(SECONDS) == ([2, 3, 4, 5, 6],)
    run = shared.start(
        loop.source.merge_preferred(Source.of(1)).divert_to(loop.sink, bool).to(Sink.list())
    )
    run.cancel()
    with pytest.raises(RunCancelled):
        run.result(SECONDS)


def test_a_loop_that_no_cancellation_of_a_sink_reaches_ends_with_its_run(shared):
    loop, seen = Feedback(8), []
    endless = loop.source.merge_preferred(Source.of(1)).map(lambda x: x + 1)
    one, other = endless.broadcast(2)
    run = shared.start(Graph(one.to(Sink.for_each(seen.append)), other.to(loop.sink)))
    wait_until(lambda: len(seen) > 20)
    run.cancel()
    with pytest.raises(RunCancelled):
        run.result(SECONDS)


def test_a_loop_stands_behind_a_publisher_too(shared):
    book = Book(first=100)
    shared.publisher(circling(range(1, 9), 8)).subscribe(book)
    assert book.wait() == "complete"
    assert sorted(x for x, _ in book.elements) == list(range(1, 9))


# Blueprints


def test_a_cycle_without_a_buffer_is_an_error_that_names_the_cycle(shared):
    flow = circling([1], 0)
    with pytest.raises(GraphError) as caught:
        flow.to(Sink.list()).start_on(shared)
    assert "feedback -> merge_preferred -> map -> divert_to -> feedback" in str(caught.value)
    assert "test_feedback.py:" in str(caught.value)


def test_both_ends_of_a_loop_belong_into_the_graph_once(shared):
    loop = Feedback(3)
    with pytest.raises(GraphError, match="must be used once in the graph, got 0 times"):
        loop.source.to(Sink.list()).start_on(shared)
    with pytest.raises(GraphError, match="not part of the graph"):
        Source.of(1).to(loop.sink).start_on(shared)
    one, other = loop.source.merge(Source.of(1)).broadcast(2)
    with pytest.raises(GraphError, match="got 2 times"):
        Graph(one.to(loop.sink), other.to(loop.sink))
    closed = loop.source.merge(Source.of(1)).filter(bool).to(loop.sink)
    with pytest.raises(GraphError, match="feeds exactly one inlet"):
        Graph(closed, loop.source.to(Sink.list()))


def test_a_buffer_is_a_number_of_elements():
    with pytest.raises(InvalidArgumentError, match="Feedback: buffer"):
        Feedback(-1)
    with pytest.raises(TypeError, match="Feedback: buffer"):
        Feedback("8")  # type: ignore[arg-type]
    assert repr(Feedback(8)) == "<Feedback buffer=8>"


def test_a_loop_is_part_of_a_processor_whichever_inlet_is_the_open_one(shared):
    loop, book = Feedback(8), Book(first=100)
    flow = loop.source.merge_preferred(Flow()).map(rounds).divert_to(loop.sink, goes_on)
    processor = shared.processor(flow)
    shared.publisher(Source.of((3, 3), (5, 5))).subscribe(processor)
    processor.subscribe(book)
    assert book.wait() == "complete"
    assert sorted(book.elements) == [(3, 1), (5, 1)]
