# mypy: disable-error-code="var-annotated, func-returns-value"
"""Junctions, calls on threads and hubs in every order the search finds."""

import pytest

from actors_rs import Graph, Sink, Source, merge
from actors_rs import zip as zip_
from actors_rs.errors import StageError
from actors_rs.testing.explore import FreeSubscriber, explore


@explore(runs=6_000)
def test_merge_delivers_each_element_once_in_source_order(world):
    merged = merge(Source.range(0, 4), Source.range(10, 4).map(lambda x: x))
    result = world.start(merged.to(Sink.list())).result()
    assert [x for x in result if x < 10] == [0, 1, 2, 3]
    assert [x for x in result if x >= 10] == [10, 11, 12, 13]


@explore(runs=4_000)
def test_broadcast_gives_all_elements_to_all(world):
    one, other = Source.range(0, 5).broadcast(2)
    graph = Graph(one.to(Sink.list()), other.map(lambda x: -x).to(Sink.list()))
    assert world.start(graph).result() == ([0, 1, 2, 3, 4], [0, -1, -2, -3, -4])


@explore(runs=4_000)
def test_partition_gives_each_element_to_one(world):
    even, odd = Source.range(0, 6).partition(2, lambda x: x % 2)
    graph = Graph(even.to(Sink.list()), odd.to(Sink.list()))
    assert world.start(graph).result() == ([0, 2, 4], [1, 3, 5])


@explore(runs=4_000)
def test_a_diamond_loses_nothing_when_its_branches_are_unequal(world):
    one, other = Source.range(0, 5).broadcast(2)
    joined = merge(one.map(lambda x: x).filter(lambda x: x % 2), other)
    result = world.start(joined.to(Sink.list())).result()
    assert sorted(result) == [0, 1, 1, 2, 3, 3, 4]


@explore(runs=4_000)
def test_zip_pairs_by_position(world):
    pairs = zip_(Source.range(0, 4), Source.range(10, 5))
    assert world.start(pairs.to(Sink.list())).result() == [(0, 10), (1, 11), (2, 12), (3, 13)]


@explore(runs=4_000)
def test_a_failing_branch_ends_the_whole_diamond(world):
    one, other = Source.range(0, 5).broadcast(2)
    graph = Graph(one.map(lambda x: 1 // (2 - x)).to(Sink.list()), other.to(Sink.list()))
    with pytest.raises(StageError, match="ZeroDivisionError"):
        world.start(graph).result()


@explore(runs=4_000)
def test_map_async_keeps_the_order_whatever_call_ends_first(world):
    flow = Source.range(0, 6).map_async(lambda x: x * x, parallelism=3)
    assert world.start(flow.to(Sink.list())).result() == [0, 1, 4, 9, 16, 25]


@explore(runs=4_000)
def test_unordered_map_async_loses_nothing(world):
    flow = Source.range(0, 6).map_async(lambda x: x, parallelism=2, ordered=False)
    assert sorted(world.start(flow.to(Sink.list())).result()) == [0, 1, 2, 3, 4, 5]


@explore(runs=2_000)
def test_coroutines_sleep_in_virtual_time(world):
    import asyncio

    async def slow(x):
        await asyncio.sleep(10 - x)
        return x

    flow = Source.range(0, 4).map_async(slow, parallelism=2)
    assert world.start(flow.to(Sink.list())).result() == [0, 1, 2, 3]
    assert world.now >= 10


@explore(runs=4_000)
def test_a_hub_gives_the_same_elements_to_all_that_came_in_time(world):
    hub = Source.range(0, 4).hub(world.system, replay=4)
    subscribers = [FreeSubscriber(world) for _ in range(2)]
    for subscriber in subscribers:
        hub.subscribe(subscriber)
    world.finish()
    for subscriber in subscribers:
        assert subscriber.elements == list(range(len(subscriber.elements)))
