# mypy: disable-error-code="arg-type, union-attr, var-annotated"
"""Where the stages of an inner stream run: functions that may block hold up their island only."""

import threading
from itertools import count

import pytest

from actors_rs import ActorSystem, Sink, Source
from tests.graph.helpers import SECONDS, Book, wait_until


@pytest.fixture(scope="module")
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def same(x):
    return x


def numbers():
    return Source.from_iterable(count())


ISLANDS = {
    "a source": (lambda: Source.repeat(1), set()),
    "no function": (lambda: Source.repeat(1).skip(1).with_index(), set()),
    "fused": (lambda: Source.repeat(1).map(same).map(same).fuse(), set()),
    "one function": (lambda: Source.repeat(1).map(same), {"repeat#1"}),
    "operators around it": (lambda: Source.repeat(1).skip(1).map(same).skip(1), {"repeat#1"}),
    "two functions": (lambda: Source.repeat(1).map(same).map(same), {"repeat#1", "map-2#1"}),
    "two of them fused": (
        lambda: Source.repeat(1).map(same).map(same).fuse().map(same).skip(1),
        {"repeat#1", "map-3#1"},
    ),
    "apart": (lambda: Source.repeat(1).map(same).skip(1).map(same), {"repeat#1", "map-2#1"}),
    "a source that may wait": (lambda: numbers().skip(1), {"from_iterable#1", "skip#1"}),
    "the same, fused": (lambda: numbers().map(same).map(same).fuse(), {"from_iterable#1", "map#1"}),
    "two that are named alike": (
        lambda: Source.repeat(1).map(same).named("f").map(same).named("f"),
        {"repeat#1", "f-2#1"},
    ),
    "a boundary": (
        lambda: Source.repeat(1).map(same).async_boundary().map(same).fuse(),
        {"repeat#1", "map-2#1"},
    ),
}


@pytest.mark.parametrize(("stream", "islands"), ISLANDS.values(), ids=ISLANDS.keys())
def test_stages_that_never_block_share_an_island_with_a_neighbour_or_the_host(
    system, stream, islands
):
    book = Book(first=1)
    system.publisher(Source.of(1).switch_map(lambda _: stream())).subscribe(book)
    wait_until(lambda: len(book.elements) == 1)
    names = {str(one).removeprefix("stage '").removesuffix("'") for one in system.children()}
    book.subscription.cancel()
    assert {name for name in names if "#" in name} == islands
    wait_until(lambda: not system.children())


def test_a_function_of_a_group_holds_up_no_other_group(system):
    together = threading.Barrier(2)

    def meet(x):
        together.wait(SECONDS)
        return x

    groups = Source.of(1, 2).group_by(same, max_groups=2)
    flow = groups.flat_map(lambda group: group.skip(0).map(meet), breadth=2)
    assert sorted(system.start(flow.to(Sink.list())).result(SECONDS)) == [1, 2]


def windows_of_maps(stream):
    with ActorSystem(window=64) as system:
        flow = Source.of(1).switch_map(lambda _: stream).to(Sink.queue(1))
        run = system.start(flow)
        wait_until(lambda: any(s.elements_out for s in run.snapshot().stages if s.kind == "map"))
        windows = {s.name: s.window for s in run.snapshot().stages if s.kind == "map"}
        run.cancel()
    return windows


def test_a_stream_is_asked_for_a_window_of_the_system_or_for_a_few_heavy_elements():
    assert windows_of_maps(Source.repeat(1).map(same)) == {"map#1": 64}
    heavy = windows_of_maps(Source.repeat(1).batch(1000).map(same).map(same))
    assert heavy["map#1"] == heavy["map-2#1"] < 64
