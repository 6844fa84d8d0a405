"""What the type checker makes of chains: mypy checks this file, running it checks nothing more.

``assert_type`` fails the type check where a chain's type is not exactly the given one.
"""

from concurrent.futures import Future
from typing import Any, Never, assert_type, get_type_hints

from actors_rs import (
    ActorSystem,
    Flow,
    Graph,
    Processor,
    Publisher,
    Sink,
    Source,
    SourceQueue,
    Subscriber,
    pipe,
)
from actors_rs.language.flow import GraphOrSink
from actors_rs.runtime.dead_letters.dead_letters import DeadLetter


def length(text: str) -> int:
    return len(text)


async def fetch(number: int) -> bytes:
    return bytes(number)


def add(total: float, number: int) -> float:
    return total + number


def double(pair: int, factor: int) -> str:
    return str(pair * factor)


def number_or_none(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def test_chains_have_the_types_of_their_elements():
    words = Source.of("a", "b")
    assert_type(words, Flow[Never, str])
    assert_type(words.map(length), Flow[Never, int])
    assert_type(words.map(length).filter(bool).scan(0.5, add), Flow[Never, float])
    assert_type(words.flat_map(list).with_index(), Flow[Never, tuple[int, str]])
    assert_type(words.map_not_none(number_or_none), Flow[Never, int])
    assert_type(words.pairwise(), Flow[Never, tuple[str, str]])
    assert_type(words.sliding(3).take(2), Flow[Never, tuple[str, ...]])
    assert_type(words.batch(2, within=1.0), Flow[Never, list[str]])
    assert_type(words.map(length).with_index().starmap(double), Flow[Never, str])
    assert_type(words.distinct(length).sort_within(3).fuse().async_boundary(), Flow[Never, str])
    assert_type(Source.range(0, 3).map_async(fetch, 2), Flow[Never, bytes])
    assert_type(Source.range(0, 3).map_async(double_it, 2, key=bool), Flow[Never, int])
    assert_type(Source.range(0, 3).map_processes(str, 2), Flow[Never, str])
    assert_type(Source.of("a b").flat_map_processes(str.split, 2), Flow[Never, str])


def double_it(number: int) -> int:
    return 2 * number


def test_folds_and_tests_have_the_types_of_their_results():
    numbers = Source.range(0, 3)
    assert_type(numbers.sum(), Flow[Never, int])
    assert_type(numbers.map(float).sum(), Flow[Never, float])
    assert_type(numbers.average(), Flow[Never, float])
    assert_type(numbers.reduce(0.5, add), Flow[Never, float])
    assert_type(numbers.map(str).max(length), Flow[Never, str])
    assert_type(numbers.map(str).first(), Flow[Never, str])
    assert_type(numbers.all(bool), Flow[Never, bool])
    assert_type(numbers.contains(3), Flow[Never, bool])
    assert_type(numbers.map(str).end_with(1), Flow[Never, str | int])
    assert_type(numbers.map(str).default_if_empty("none"), Flow[Never, str])


def test_a_state_of_its_own_has_a_type():
    def count(state: int, text: str) -> tuple[int, tuple[int, str]]:
        return state + 1, (state, text)

    assert_type(Source.of("a").stateful_map(int, count), Flow[Never, tuple[int, str]])


def test_flows_fit_where_their_types_fit():
    parse = Flow[str, str]().map(int)
    assert_type(parse, Flow[str, int])
    assert_type(pipe(Source.of("1"), parse, parse_again()), Flow[Never, float])
    assert_type(Source.of("1").via(parse).to(Sink.list()), GraphOrSink[Never, list[int]])


def parse_again() -> Flow[int, float]:
    return Flow[int, int]().map(float)


def test_a_flow_without_types_takes_anything_and_gives_what_its_last_function_gives():
    clean = Flow().map(str.strip).filter(bool)
    assert_type(Flow(), Flow[Any, Any])
    assert_type(clean, Flow[Any, str])
    assert_type(pipe(Source.of(" a "), clean, Flow().map(length)), Flow[Never, int])
    assert_type(Source.of(" a ").via(clean).to(Sink.count()), GraphOrSink[Never, int])
    assert_type(Source.of(1).via(Flow().map(number_or_none)), Flow[Never, int | None])
    assert_type(Source.of(1).also_to(clean.into(Sink.list())), Flow[Never, int])
    wrong: Flow[str, str] = Flow().map(length)  # type: ignore[arg-type]
    assert wrong is not None


def test_a_flow_of_one_type_gives_what_it_takes():
    assert_type(Flow[int](), Flow[int, int])
    assert_type(Flow[int]().map(str), Flow[int, str])
    assert_type(Flow[str]().filter(bool).batch(2), Flow[str, list[str]])
    assert Source.of(1, 2).via(Flow[int]()).run(Sink.list()) == [1, 2]


def test_a_function_that_does_not_fit_a_flow_of_one_type_is_no_step_of_it():
    Flow[int]().map(lambda number: number.strip)  # type: ignore[attr-defined]
    Flow[str]().map(abs)  # type: ignore[arg-type]
    wrong: Flow[int, str] = Flow[int]()  # type: ignore[assignment]
    assert wrong is not None


def test_pieces_of_other_types_do_not_fit_into_a_pipe():
    parse = Flow[str, int]().map(int)
    pipe(Source.of(1), parse)  # type: ignore[misc]
    pipe(Source.of("1"), parse, parse)  # type: ignore[misc]
    assert_type(pipe(Source.of("1"), parse, Flow(), Flow()), Flow[Never, Any])


class Numbers:
    """A Publisher of ints that knows nothing of this library but its interfaces."""

    def subscribe(self, subscriber: Subscriber[int], /) -> None:
        raise NotImplementedError


def as_objects(publisher: Publisher[object]) -> Publisher[object]:
    return publisher


def as_floats(processor: Processor[str, float]) -> Processor[str, float]:
    return processor


def test_publishers_have_the_types_of_their_elements():
    with ActorSystem(workers=1) as system:
        hub = Source.range(0, 3).hub(system)
        parse = system.processor(Flow[str, int]().map(int))
        assert_type(Source.from_publisher(hub), Flow[Never, int])
        assert_type(Source.from_publisher(as_objects(hub)), Flow[Never, object])
        assert_type(Source.from_publisher(parse), Flow[Never, int])
        assert_type(Source.from_publisher(as_floats(parse)), Flow[Never, float])
        assert_type(Source.from_publisher(system.dead_letters), Flow[Never, DeadLetter])
        texts: Publisher[str] = hub  # type: ignore[assignment]
        assert_type(Source.from_publisher(texts), Flow[Never, str])
    assert_type(Source.from_publisher(Numbers()), Flow[Never, int])
    Source.from_publisher(Numbers()).map(str.strip)  # type: ignore[arg-type]


def test_sinks_have_the_types_of_their_results_with_names_and_attributes_too():
    numbers = Source.range(0, 3)
    assert_type(numbers.run(Sink.list()), list[int])
    assert_type(numbers.to(Sink.list().named("all")), GraphOrSink[Never, list[Any]])
    assert_type(numbers.to(Sink.first().with_attributes(window=1)), GraphOrSink[Never, Any])
    assert_type(
        numbers.to(Sink.fan(Sink.count(), Sink.list())), GraphOrSink[Never, tuple[int, list[int]]]
    )
    assert_type(numbers.to(Sink.fold(0.0, add)), GraphOrSink[Never, float])


def test_a_fused_graph_has_the_type_of_the_graph():
    numbers = Source.range(0, 3)
    assert_type(numbers.map(str).to(Sink.list()).fuse(), GraphOrSink[Never, list[str]])
    assert_type(
        numbers.to(Sink.fold(0.0, add)).fuse().monitored().fuse(), GraphOrSink[Never, float]
    )
    both = Graph(numbers.to(Sink.list()), Source.of("a").to(Sink.count())).fuse()
    assert_type(both, Graph[tuple[Any, ...]])
    assert_type(numbers.to(Sink.first()).fuse().run(), int)


def test_sources_have_the_types_of_what_they_read():
    future: Future[bytes] = Future()
    assert_type(Source.from_future(future), Flow[Never, bytes])
    assert_type(Source.from_future(lambda: future), Flow[Never, bytes])
    assert_type(Source.from_future(fetch_slowly), Flow[Never, bytes])
    assert_type(Source.csv("x"), Flow[Never, dict[str, str]])
    assert_type(Source.csv("x", header=False), Flow[Never, list[str]])
    assert_type(Source.sqlite("x", "SELECT 1"), Flow[Never, tuple[Any, ...]])
    assert_type(Source.sqlite("x", "SELECT 1", dicts=True), Flow[Never, dict[str, Any]])
    assert_type(Source.defer(fetch_now), Flow[Never, bytes])
    assert_type(Source.unfold_resource(resource, read, close), Flow[Never, str])
    queue: SourceQueue[int] = SourceQueue(3, "fail")
    assert_type(queue.offer(3), bool)


def fetch_now() -> bytes:
    return b""


async def fetch_slowly() -> bytes:
    return b""


def resource() -> list[str]:
    return ["a"]


def read(lines: list[str]) -> str | None:
    return lines.pop() if lines else None


def close(lines: list[str]) -> None:
    lines.clear()


def test_what_to_gives_is_a_graph_of_a_source_and_a_sink_of_an_open_flow():
    words = Source.of("a", "bc")
    lengths = Flow[str]().map(length).to(Sink.list())
    assert_type(lengths, GraphOrSink[str, list[int]])
    sink: Sink[str, list[int]] = lengths
    graph: Graph[list[int]] = words.to(sink)
    assert_type(graph.run(), list[int])
    assert_type(words.run(sink), list[int])
    bare: Sink[str, list[int]] = Flow().map(length).to(Sink.list())
    assert_type(words.run(bare), list[int])
    words.map(length).to(sink)  # type: ignore[arg-type]
    no_sink: Sink[str, list[str]] = words.to(Sink.list())  # type: ignore[assignment]
    assert isinstance(no_sink, Graph)
    assert isinstance(sink, Sink)


def test_type_parameters_of_what_to_gives_exist_at_run_time():
    assert get_type_hints(Flow.to)["return"].__origin__ is GraphOrSink
