"""The types of loops, awaits, ways in and out, times, and sums by key.

mypy and pyright check this file; running it checks nothing more. ``assert_type`` fails the type
check where a type is not exactly the given one.
"""

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Never, assert_type

from actors_rs import (
    ActorSystem,
    Backoff,
    Flow,
    Graph,
    PooledActor,
    Run,
    Sink,
    Source,
    SourceQueue,
    operator,
)
from actors_rs.engine.loops.iteration import Iteration
from actors_rs.engine.loops.sink_queue import SinkQueue
from actors_rs.language.flow import GraphOrSink
from actors_rs.runtime.actors.actor_ref import PooledActorRef
from actors_rs.stages.sinks.files.writing import WriteReport

if TYPE_CHECKING:
    from actors_rs.stages.windows.results import WindowResult

    numbers = Source.range(0, 3)
    words = Source.of("a", "b")

    def rows() -> Iterator[int]:
        raise NotImplementedError

    def async_rows() -> AsyncIterator[int]:
        raise NotImplementedError

    async def fetch(number: int) -> bytes:
        raise NotImplementedError

    def look_up(number: int) -> str:
        raise NotImplementedError

    def key_of(word: str) -> int:
        raise NotImplementedError

    def add(total: float, word: str) -> float:
        raise NotImplementedError

    def seconds_of(word: str) -> float:
        raise NotImplementedError

    @operator
    def halves(elements: Iterator[int]) -> Iterator[float]:
        raise NotImplementedError

    @operator
    def shifted(elements: Iterator[int], by: int) -> Iterator[str]:
        raise NotImplementedError

    class Prices(PooledActor):
        async def on_receive(self, message: str) -> float:
            raise NotImplementedError

    def out_of_a_stream(run: Run[int]) -> None:
        for n in numbers:
            assert_type(n, int)
        assert_type(iter(words), Iteration[str])
        assert_type(words.iterate(window=4), Iteration[str])
        with words.open() as opened:
            assert_type(next(opened), str)
        assert_type(numbers.to(Sink.queue(3)), GraphOrSink[Never, int])
        assert_type(run.result(), int)
        assert_type(run.sink_queue(), SinkQueue[Any])
        assert_type(run.drain(), bool)

    async def in_a_coroutine(
        graph: Graph[int], out: SinkQueue[str], queue: SourceQueue[str]
    ) -> None:
        async for n in numbers:
            assert_type(n, int)
        async with words.open() as opened:
            assert_type(await anext(opened), str)
        async with ActorSystem() as system:
            assert_type(system, ActorSystem)
            run = system.start(graph)
            assert_type(run, Run[int])
            assert_type(await run, int)
            assert_type(await run.cancelled(), None)
            assert_type(await run.drain_async(2.0), bool)
        assert_type(await graph.run_async(timeout=2.0), int)
        assert_type(await words.run_async(Sink.first()), str)
        assert_type(await out.get_async(), str)
        async for word in out:
            assert_type(word, str)
        assert_type(await queue.put_async("a"), None)

    def into_a_stream(queue: SourceQueue[str]) -> None:
        assert_type(Source.from_iterable(rows), Flow[Never, int])
        assert_type(Source.from_iterable(async_rows), Flow[Never, int])
        assert_type(Source.from_iterable(async_rows()), Flow[Never, int])
        assert_type(numbers.flat_map(lambda _: async_rows()), Flow[Never, int])
        assert_type(queue.put("a"), None)
        assert_type(queue.offer("a"), bool)

    def composed() -> None:
        open_sink: Sink[str, int] = Flow[str]().map(key_of).to(Sink.count())
        assert_type(Sink.count().after(Flow[str]().map(key_of)), Sink[str, int])
        assert_type(Sink.count().contramap(key_of), Sink[str, int])
        assert_type(words.run(open_sink), int)
        assert_type(numbers.to(Sink.list()).result_type, type[list[int]])
        assert_type(numbers.via(halves()), Flow[Never, float])
        assert_type(numbers.via(shifted(3)), Flow[Never, str])

    def in_time(graph: Graph[int]) -> None:
        assert_type(numbers.map_async(fetch, 2, timeout=2.0), Flow[Never, bytes])
        assert_type(numbers.map_async(look_up, 2, timeout=2.0, max_abandoned=3), Flow[Never, str])
        retry = Backoff(0.1, 1.0)
        assert_type(
            numbers.map_async(fetch, 2, retry=retry, retry_on=(OSError,)), Flow[Never, bytes]
        )
        assert_type(graph.run(timeout=2.0), int)

    def or_else(number: int, error: Exception) -> float:
        raise NotImplementedError

    def falling_back() -> None:
        given = numbers.map_async(fetch, 2, timeout=2.0, fallback=or_else)
        assert_type(given, Flow[Never, bytes | float])
        assert_type(numbers.map_async(look_up, fallback=or_else), Flow[Never, str | float])
        same = numbers.map_async(look_up, fallback=lambda number, error: f"{number}: {error}")
        assert_type(same, Flow[Never, str])
        assert_type(
            numbers.map_async(look_up, fallback=lambda number, error: (number, error)),
            Flow[Never, str | tuple[int, Exception]],
        )
        assert_type(numbers.map_async(look_up, fallback=None), Flow[Never, str])
        assert_type(numbers.map_processes(look_up, fallback=or_else), Flow[Never, str | float])

    def by_key() -> None:
        whole = words.aggregate_by(key_of, 0.0, add)
        assert_type(whole, Flow[Never, tuple[int, float]])
        assert_type(
            words.aggregate_by(key_of, 0.0, add, every=60.0),
            Flow[Never, WindowResult[int, float, float]],
        )
        assert_type(
            words.aggregate_by(
                key_of, 0.0, add, sliding=(60.0, 10.0), event_time=seconds_of, lateness=5.0
            ),
            Flow[Never, WindowResult[int, float, float]],
        )
        assert_type(
            words.join(numbers, key=key_of, right_key=int, within=5.0),
            Flow[Never, tuple[str, int]],
        )

    def files() -> None:
        assert_type(Source.lines("*.log"), Flow[Never, str])
        assert_type(Source.bytes("a.bin"), Flow[Never, bytes])
        assert_type(Source.csv("a.csv"), Flow[Never, dict[str, str]])
        assert_type(words.to(Sink.lines("a.gz")), GraphOrSink[Never, WriteReport])

    async def of_actors(system: ActorSystem) -> None:
        prices = system.spawn(Prices)
        assert_type(prices, PooledActorRef[Prices])
        assert_type(await prices.ask_async("a", timeout=2.0), Any)
        assert_type(prices.ask("a", timeout=2.0), Any)


def test_the_types_of_this_file_are_checked_by_mypy_and_pyright():
    """Both fail ``make types`` where one is wrong."""
