# mypy: disable-error-code="arg-type, var-annotated"
"""Streams of tuples that are made one by one: nothing is lost where somebody stumbles over one."""

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS
from tests.graph.test_turning_slow import FAST, Turning

ROWS = {
    "with_index": (lambda s: s.with_index(1), lambda n: list(enumerate(range(n), 1))),
    "pairwise": (lambda s: s.pairwise(), lambda n: [(i, i + 1) for i in range(n - 1)]),
    "sliding": (
        lambda s: s.sliding(5),
        lambda n: [tuple(range(i, i + 5)) for i in range(n - 4)],
    ),
    "behind another": (
        lambda s: s.map(int).with_index(),
        lambda n: list(enumerate(range(n))),
    ),
}
every_row = pytest.mark.parametrize(("row", "model"), ROWS.values(), ids=ROWS)
every_window = pytest.mark.parametrize("window", [1, 16, 1024])
either_way = pytest.mark.parametrize("fused", [False, True])


@pytest.fixture
def system(window):
    with ActorSystem(workers=2, window=window, shutdown_timeout=SECONDS) as system:
        yield system


def started(system, graph, fused):
    return system.start(graph.fuse() if fused else graph)


@every_row
@every_window
@either_way
def test_each_sink_gets_the_tuples(system, row, model, fused):
    expected, seen = model(3000), []
    sinks = {
        "list": (Sink.list(), expected),
        "for_each": (Sink.for_each(seen.append), len(expected)),
        "fold": (Sink.fold(0, lambda sum_, pair: sum_ + pair[0]), None),
        "count": (Sink.count(), len(expected)),
        "first": (Sink.first(), expected[0]),
        "last": (Sink.last(), expected[-1]),
        "ignore": (Sink.ignore(), None),
        "several": (Sink.fan(Sink.list(), Sink.count()), (expected, len(expected))),
    }
    for name, (sink, result) in sinks.items():
        got = started(system, row(Source.range(0, 3000)).to(sink), fused).result(SECONDS)
        assert got == (sum(pair[0] for pair in expected) if name == "fold" else result)
    assert seen == expected


def picky_of(seen):
    def picky(pair):
        if pair[0] % 10 == 7:
            raise ValueError(pair)
        seen.append(pair)

    return picky


@every_row
@every_window
@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_a_sink_that_goes_on_behind_one_of_them_misses_no_other(system, row, model, policy):
    seen, expected = [], model(200)
    sink = Sink.for_each(picky_of(seen)).on_failure(policy)
    started(system, row(Source.range(0, 200)).to(sink), False).result(SECONDS)
    assert seen == [pair for pair in expected if pair[0] % 10 != 7]
    passed_over = [letter.what for letter in system.dead_letters.recent()]
    assert passed_over == [pair for pair in expected if pair[0] % 10 == 7]


@every_row
@every_window
@either_way
def test_the_failure_of_a_sink_tells_at_which_of_them_it_was(system, row, model, fused):
    seen = []
    run = started(system, row(Source.range(0, 200)).to(Sink.for_each(picky_of(seen))), fused)
    with pytest.raises(StageError) as failed:
        run.result(SECONDS)
    position = next(place for place, pair in enumerate(model(200)) if pair[0] % 10 == 7)
    assert failed.value.position == position
    assert seen == model(200)[:position]


@every_row
@either_way
@pytest.mark.parametrize("window", [1024])
def test_a_sink_that_turns_slow_gets_each_of_them_once(system, row, model, fused):
    turning, seen = Turning(), []
    sink = Sink.for_each(lambda pair: seen.append(turning(pair)))
    run = started(system, row(Source.range(0, 3 * FAST)).to(sink), fused)
    turning.wait_until_slow()
    turning.go_on.set()
    run.result(SECONDS)
    assert seen == model(3 * FAST)


@either_way
@pytest.mark.parametrize("window", [1024])
def test_a_tuple_lives_no_longer_than_the_call_it_is_made_for(system, fused):
    """A list of them would have a place of its own in memory for each."""
    places = set()
    graph = Source.range(0, 1024).with_index().to(Sink.for_each(lambda pair: places.add(id(pair))))
    started(system, graph, fused).result(SECONDS)
    assert len(places) < 100
