"""Many operators in a row: streams put behind each other one by one are one stage."""

import pytest

from actors_rs import Flow, Graph, Sink, Source, concat
from actors_rs.errors import GraphError, StageError
from actors_rs.graph.blueprint import in_order
from tests.graph.helpers import SECONDS


def kinds(flow):
    return [spec.kind for spec in in_order([flow._out.spec])]


def collected(system, flow):
    return system.start(flow.to(Sink.list())).result(SECONDS)


def in_a_row(count, how):
    flow = Source.of(0)
    for number in range(1, count):
        flow = getattr(flow, how)(Source.of(number))
    return flow


@pytest.mark.parametrize("how", ["append", "concat", "prepend"])
def test_streams_that_are_added_one_by_one_are_one_stage_and_keep_their_order(shared, how):
    flow = in_a_row(1500, how)
    assert kinds(flow) == ["of", how]
    numbers = list(range(1500))
    assert collected(shared, flow) == (numbers[::-1] if how == "prepend" else numbers)


@pytest.mark.parametrize("first", [True, False])
def test_streams_that_concat_puts_together_one_by_one_start_one_after_the_other(shared, first):
    flow = concat(Source.of(0))
    for number in range(1, 1000):
        flow = concat(flow, Source.of(number)) if first else concat(Source.of(number), flow)
    run = shared.start(flow.to(Sink.list()))
    assert run.result(SECONDS) == (list(range(1000)) if first else list(range(999, -1, -1)))
    assert [stage.name for stage in run.snapshot().stages] == ["concat", "list", "of (ended)"]


def test_a_concat_with_a_name_stays_a_stage_of_its_own(shared):
    inner = concat(Source.of(1), Source.of(2)).named("inner")
    run = shared.start(concat(inner, Source.of(3)).to(Sink.list()))
    assert run.result(SECONDS) == [1, 2, 3]
    assert "concat (ended)" in [stage.name for stage in run.snapshot().stages]


def test_streams_on_both_sides_keep_their_order(shared):
    flow = Source.of(3).append(Source.of(4), Source.of(5)).append(Source.of(6))
    flow = flow.prepend(Source.of(2)).prepend(Source.of(0), Source.of(1)).append(Source.of(7))
    assert collected(shared, flow) == list(range(8))
    assert kinds(flow) == ["of", "append", "prepend", "append"]


def test_a_flow_that_is_put_together_with_open_input_is_one_stage_too(shared):
    tail = Flow[int, int]().append(Source.of(8)).append(Source.of(9))
    assert kinds(tail) == ["append"]
    assert collected(shared, Source.of(7).via(tail).append(Source.of(10))) == [7, 8, 9, 10]


@pytest.mark.parametrize(
    "own",
    [
        lambda flow: flow.named("mine"),
        lambda flow: flow.with_attributes(window=3),
        lambda flow: flow.async_boundary(),
    ],
)
def test_a_stage_that_was_told_something_keeps_it(shared, own):
    first = own(Source.of(1).append(Source.of(2)))
    flow = first.append(Source.of(3))
    assert kinds(flow) == ["of", "append", "append"]
    assert collected(shared, flow) == [1, 2, 3]


def test_what_is_put_behind_if_empty_or_behind_the_function_concat_is_a_stage_of_its_own(shared):
    spare = Source.of(1).if_empty(Source.of(2)).append(Source.of(3))
    assert collected(shared, spare) == [1, 3]
    both = concat(Source.of(1), Source.of(2)).concat(Source.of(3))
    assert kinds(both) == ["concat", "concat"]
    assert collected(shared, both) == [1, 2, 3]


def test_an_outlet_that_is_used_before_and_behind_another_stream_is_still_refused():
    first = Source.of(1).append(Source.of(2))
    with pytest.raises(GraphError, match="feeds exactly one inlet, got two"):
        Graph(first.to(Sink.list()), first.append(Source.of(3)).to(Sink.list()))
    behind = first.append(Source.of(4))
    assert kinds(first.append(Source.of(3))) == kinds(behind) == ["of", "append"]


def test_a_stream_that_fails_in_a_row_ends_it_behind_what_came_before(shared):
    got: list[int] = []
    broken = Source.of(1, 0).map(lambda n: 1 // n)
    flow = Source.of(5).append(broken).append(Source.of(6))
    with pytest.raises(StageError, match=r"'map#\d+' failed at element 1"):
        shared.start(flow.to(Sink.for_each(got.append))).result(SECONDS)
    assert got == [5, 1]


@pytest.mark.parametrize(
    "step",
    [
        lambda flow: flow.map(abs),
        lambda flow: flow.flat_map(lambda n: [n]),
        lambda flow: flow.zip(Source.of(1)).map(lambda pair: pair[0]),
        lambda flow: flow.also_to(Sink.ignore()),
        lambda flow: flow.catch(lambda _: [0]),
        lambda flow: flow.via(Flow().map(abs)),
    ],
)
def test_a_thousand_stages_in_a_row_are_no_recursion(shared, step):
    flow = Source.of(1)
    for _ in range(1000):
        flow = step(flow)
    assert collected(shared, flow) == [1]


@pytest.mark.parametrize("breadth", [None, 2])
def test_a_thousand_streams_within_each_other_are_no_recursion(shared, breadth):
    def inner(depth):
        return lambda n: Source.of(n).flat_map(inner(depth - 1), breadth) if depth else [n]

    assert collected(shared, Source.of(1).flat_map(inner(1000), breadth)) == [1]
