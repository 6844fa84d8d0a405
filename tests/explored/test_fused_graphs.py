# mypy: disable-error-code="var-annotated"
"""Fused graphs in all orders of their signals, between stages of others and peers of others."""

from itertools import count
from typing import Any

from actors_rs import Graph, Sink, Source, merge
from actors_rs.testing.explore import FreePublisher, explore


def same(x: Any) -> Any:
    return x


@explore(exhaustive=True, window=2)
def test_every_order_of_fused_rows_around_a_junction_gives_the_same_result(world):
    one, other = Source.range(0, 2).map(same).broadcast(2)
    graph = Graph(one.map(same).to(Sink.list()), other.map(same).to(Sink.sum()))
    assert world.start(graph.fuse()).result() == ([0, 1], 1)


@explore(exhaustive=True, window=2)
def test_every_order_of_two_rows_that_meet_gives_all_elements(world):
    meeting = merge(Source.range(0, 2).map(same), Source.range(5, 1).map(same))
    run = world.start(meeting.map(same).to(Sink.list()).fuse())
    assert sorted(run.result()) == [0, 1, 5]


@explore(runs=500)
def test_lists_and_views_within_a_row_have_each_element_once_in_order(world):
    source = Source.from_publisher(FreePublisher(world, range(7)))
    run = world.start(source.map(same).batch(2).with_index().to(Sink.list()).fuse())
    assert run.result() == [(0, [0, 1]), (1, [2, 3]), (2, [4, 5]), (3, [6])]


@explore(runs=3, window=4096)
def test_a_row_whose_lists_nobody_takes_begins_no_more_of_them_than_stages_apart(world):
    taken: list[int] = []
    source = Source.from_iterable(lambda: map(taken.append, count()))
    run = world.start(source.batch(1000).map(same).zip(Source.never()).to(Sink.list()).fuse())
    world.settle()
    assert len(taken) < 50 * 1000
    run.cancel()


@explore(runs=1_000)
def test_a_fused_row_behind_a_free_publisher_takes_each_element_once_in_order(world):
    source = Source.from_publisher(FreePublisher(world, range(6)))
    run = world.start(source.map(same).filter(lambda x: x != 3).to(Sink.list()).fuse())
    assert run.result() == [0, 1, 2, 4, 5]
