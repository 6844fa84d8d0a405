# mypy: disable-error-code="arg-type, attr-defined, call-overload, misc, var-annotated, union-attr"
"""Sinks made of flows and sinks, and what comes of their results."""

import pickle
from types import NoneType
from typing import Any, Never, assert_type

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Feedback, Flow, Graph, Sink, Source
from actors_rs.errors import GraphError, StageError
from actors_rs.language.flow import GraphOrSink
from actors_rs.stages.sinks.files.writing import WriteReport
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import quick

words = Source.of("a", "bc", "def")
lengths = Flow[str, str]().map(len)


def length(word: str) -> int:
    return len(word)


def described(count: int, total: int) -> str:
    return f"{count} words, {total} letters"


def spoilt(*_: object) -> str:
    raise OSError("spoilt")


COMPOSED = {
    "to": lambda: lengths.to(Sink.sum()),
    "after": lambda: Sink.sum().after(lengths),
    "contramap": lambda: Sink.sum().contramap(len),
    "into": lambda: lengths.into(Sink.sum()),
    "nothing before": lambda: Flow().to(Sink.sum().contramap(len)),
}


@pytest.mark.parametrize("how", COMPOSED)
def test_a_flow_with_a_sink_is_a_sink(shared, how):
    sink = COMPOSED[how]()
    assert isinstance(sink, Sink)
    assert shared.start(words.to(sink)).result(SECONDS) == 6
    assert shared.start(words.map(str).to(sink)).result(SECONDS) == 6  # once more
    subscriber = shared.subscriber(sink)
    shared.publisher(words).subscribe(subscriber)
    assert subscriber.run.result(SECONDS) == 6


@pytest.mark.parametrize(
    "sink",
    [
        Sink.sum().after(Flow().map(len)),
        Sink.count().map_result(str),
        Sink.fan(Sink.count(), Sink.sum().contramap(len), combine=described),
    ],
)
def test_a_composed_sink_can_be_pickled(shared, sink):
    expected = shared.start(words.to(sink)).result(SECONDS)
    copied = pickle.loads(pickle.dumps(sink))
    assert shared.start(words.to(copied)).result(SECONDS) == expected
    graph = pickle.loads(pickle.dumps(words.to(sink)))
    assert shared.start(graph).result(SECONDS) == expected


def test_a_source_with_a_sink_is_a_graph(shared):
    assert isinstance(words.to(Sink.list()), Graph)
    with pytest.raises(GraphError, match=r"into needs a Flow with one open input, got 0"):
        Sink.list().after(words)
    with pytest.raises(TypeError, match="after needs a Flow, got 7"):
        Sink.list().after(7)
    with pytest.raises(TypeError, match="contramap: f must be callable"):
        Sink.list().contramap(7)


def test_several_are_put_one_before_the_other(shared):
    sink = Sink.list().contramap(str).contramap(length).after(Flow[str]().filter(lambda w: w > "a"))
    assert shared.start(words.to(sink)).result(SECONDS) == ["2", "3"]


def test_it_can_be_used_where_any_sink_can(shared):
    seen = []
    side = Sink.for_each(seen.append).contramap(len)
    assert shared.start(words.also_to(side).to(Sink.count())).result(SECONDS) == 3
    assert seen == [1, 2, 3]


def test_names_and_policies_are_those_of_its_last_stage(shared):
    sink = Sink.for_each(lambda n: 1 // (n - 2)).named("careful").contramap(len)
    with pytest.raises(StageError, match="stage 'careful'"):
        shared.start(words.to(sink)).result(SECONDS)
    assert shared.start(words.to(sink.on_failure("resume"))).result(SECONDS) == 2


def test_a_run_of_a_sink_without_a_source_says_so(shared):
    with pytest.raises(GraphError, match="stage 'map' has no source"):
        shared.start(lengths.to(Sink.list()))
    with pytest.raises(GraphError, match="stage 'map' has no source"):
        lengths.run(Sink.list())
    with pytest.raises(AttributeError, match=r"source.run\(sink\)"):
        lengths.to(Sink.list()).run()


def test_a_fan_has_parts_with_stages_of_their_own(shared):
    fan = Sink.fan(Sink.sum().contramap(len), Sink.count(), Sink.fan(Sink.first(), Sink.last()))
    assert shared.start(words.to(fan)).result(SECONDS) == (6, 3, ("a", "def"))
    both = Graph(words.to(fan), Source.of(1).to(Sink.list()))
    assert shared.start(both).result(SECONDS)[0] == (6, 3, ("a", "def"))
    subscriber = shared.subscriber(fan)
    shared.publisher(words).subscribe(subscriber)
    assert subscriber.run.result(SECONDS) == (6, 3, ("a", "def"))


TOTALS = [Sink.sum().contramap(len), Sink.fold(0, lambda n, w: n + len(w))]


@pytest.mark.parametrize("total", TOTALS)
def test_a_result_of_its_own_is_made_of_those_of_its_parts(shared, total):
    fan = Sink.fan(Sink.count(), total, combine=described)
    assert shared.start(words.to(fan)).result(SECONDS) == "3 words, 6 letters"
    twice = Sink.fan(fan.map_result(str.upper), Sink.first())
    assert shared.start(words.to(twice)).result(SECONDS) == ("3 WORDS, 6 LETTERS", "a")
    assert shared.start(words.to(fan.map_result(len).map_result(str))).result(SECONDS) == "18"


@pytest.mark.parametrize(
    "sink",
    [
        Sink.count().map_result(spoilt),
        Sink.fan(Sink.count(), Sink.list(), combine=spoilt),
        Sink.fan(Sink.count(), Sink.list().contramap(len), combine=spoilt),
    ],
)
def test_what_a_combining_function_raises_is_the_failure_of_the_run(shared, sink):
    with pytest.raises(StageError, match=r"the combined result.*spoilt") as caught:
        shared.start(words.to(sink)).result(SECONDS)
    assert isinstance(caught.value.__cause__, OSError)


def test_a_combining_function_is_not_called_for_a_run_that_failed(shared):
    called = []
    sink = Sink.fan(Sink.count(), Sink.for_each(lambda _: 1 // 0), combine=called.append)
    with pytest.raises(StageError, match="division"):
        shared.start(words.to(sink)).result(SECONDS)
    assert not called


def test_what_has_several_ends_says_what_it_cannot_be():
    several = Sink.fan(Sink.count(), Sink.sum().contramap(len))
    for call in (
        lambda: words.also_to(several),
        lambda: several.named("x"),
        lambda: several.with_attributes(window=1),
        lambda: several.on_failure("resume"),
    ):
        with pytest.raises(GraphError, match="expected a sink that ends in one stage, got one"):
            call()
    with pytest.raises(TypeError, match=r"Sink.fan: combine must be callable"):
        Sink.fan(Sink.count(), combine=7)


def test_a_loop_beside_a_composed_sink_has_no_result(shared):
    loop = Feedback(8)
    flow = loop.source.merge_preferred(Source.of(3)).map(lambda n: n - 1)
    going = flow.divert_to(loop.sink, lambda n: n > 0).to(Sink.list().map_result(len))
    assert shared.start(going).result(SECONDS) == 1


TYPES = [
    (Sink.list(), list),
    (Sink.count(), int),
    (Sink.ignore(), NoneType),
    (Sink.jsonl("x"), WriteReport),
    (Sink.sum(), object),
    (Sink.fan(Sink.count(), Sink.list()), tuple),
    (Sink.fan(Sink.count(), Sink.sum().contramap(len), combine=described), str),
    (Sink.count().map_result(str), str),
    (Sink.count().map_result(lambda n: n), object),
    (Sink.count().contramap(len), int),
]


@pytest.mark.parametrize(("sink", "expected"), TYPES, ids=range(len(TYPES)))
def test_a_graph_tells_the_class_of_its_result(sink, expected):
    assert words.to(sink).result_type is expected
    assert Graph(words.to(sink), Source.of("a").to(sink)).result_type is tuple


def test_type_checkers_know_what_is_a_sink_and_what_a_graph():
    assert_type(Flow().map(length).into(Sink.list()), Sink[Any, list[int]])
    assert_type(Flow[str]().map(length).into(Sink.list()), Sink[str, list[int]])
    assert_type(words.map(length).to(Sink.list()), GraphOrSink[Never, list[int]])
    assert_type(words.map(length).to(Sink.list()).result_type, type[list[int]])
    assert_type(words.to(Flow[str]().map(length).into(Sink.list())), GraphOrSink[Never, list[int]])
    assert_type(Sink.count().after(Flow[str]().map(length)), Sink[str, int])
    assert_type(Sink.count().contramap(length), Sink[str, int])
    assert_type(Sink.count().map_result(str), Sink[Any, str])
    fan = Sink.fan(Sink.count(), Sink.sum(), combine=described)
    assert_type(words.to(fan), GraphOrSink[Never, str])
    assert_type(Flow.from_sink_and_source(Sink.count(), words), Flow[Any, str])


@quick
@given(sent=st.lists(st.integers(), max_size=30), received=st.lists(st.integers(), max_size=30))
def test_what_is_sent_goes_to_the_sink_and_what_is_received_comes_of_the_source(
    shared, sent, received
):
    taken = []
    flow = Flow.from_sink_and_source(Sink.for_each(taken.append), Source.from_iterable(received))
    run = shared.start(Source.from_iterable(sent).via(flow).to(Sink.list()))
    assert run.result(SECONDS) == received
    assert taken == sent


def test_each_side_of_a_flow_of_sink_and_source_ends_by_itself(shared):
    taken = []
    flow = Flow.from_sink_and_source(Sink.for_each(taken.append), Source.queue(3))
    run = shared.start(Source.of(1, 2).via(flow).to(Sink.list()))
    wait_until(lambda: taken == [1, 2])
    run.queue().put(3)
    run.queue().complete()
    assert run.result(SECONDS) == [3]
    enough = Flow.from_sink_and_source(Sink.list(), Source.never())
    run = shared.start(Source.queue(3).via(enough).take(0).to(Sink.list()))
    assert not run.wait(0.01)
    run.queue().complete()
    assert run.result(SECONDS) == []


@pytest.mark.parametrize(
    ("sent", "source"),
    [(Source.of(1), Source.never()), (Source.never(), Source.of(1))],
    ids=["input ends", "source ends"],
)
def test_coupled_sides_end_together(shared, sent, source):
    flow = Flow.from_sink_and_source(Sink.ignore(), source, coupled=True)
    run = shared.start(sent.via(flow).to(Sink.count()))
    assert run.result(SECONDS) in (0, 1)


def test_the_failure_of_either_side_is_that_of_the_run(shared):
    for sink, source in (
        (Sink.for_each(lambda _: 1 // 0), Source.never()),
        (Sink.ignore(), Source.of(1).map(lambda _: 1 // 0)),
    ):
        flow = Flow.from_sink_and_source(sink, source, coupled=True)
        with pytest.raises(StageError, match="division"):
            shared.start(Source.of(1).append(Source.never()).via(flow).to(Sink.list())).result(
                SECONDS
            )


def test_what_is_no_sink_or_no_source_is_refused():
    with pytest.raises(TypeError, match="from_sink_and_source needs a Sink, got 7"):
        Flow.from_sink_and_source(7, words)
    with pytest.raises(TypeError, match="from_sink_and_source needs a Source, got 7"):
        Flow.from_sink_and_source(Sink.list(), 7)
    with pytest.raises(GraphError, match="from_sink_and_source: expected a Source, got"):
        Flow.from_sink_and_source(Sink.list(), Flow().map(str))
