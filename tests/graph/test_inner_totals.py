"""What a run says of the stages of its inner streams behind their ends."""

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def test_an_ended_inner_stream_leaves_one_line_of_figures_for_each_kind(system):
    streams = 500
    going = system.start(
        Source.range(0, streams).flat_map(lambda x: Source.of(x, x).map(int)).to(Sink.count())
    )
    assert going.result(SECONDS) == 2 * streams
    snapshot = going.snapshot()
    by_name = {stage.name: stage for stage in snapshot.stages}
    assert set(by_name) == {"range", "flat_map", "count", "of (ended)", "map (ended)"}
    for kind in ("of", "map"):
        ended = by_name[f"{kind} (ended)"]
        assert ended.elements_out == 2 * streams
        assert ended.details == {"stages": streams, "failed": 0}
    assert by_name["flat_map"].details == {"inner": 0, "started": streams}


@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_what_inner_stages_passed_over_is_counted_behind_their_ends(system, policy):
    def parts(_):
        return Source.of(1, 0, 0).map(lambda x: 1 // x).on_failure(policy)

    run = system.start(Source.range(0, 20).flat_map(parts, breadth=4).to(Sink.count()))
    assert run.result(SECONDS) == 20
    (ended,) = [stage for stage in run.snapshot().stages if stage.name == "map (ended)"]
    assert (ended.elements_in, ended.elements_out) == (60, 20)
    passed_over = {"resume": 0, "restart": 0, policy: 40}
    assert (ended.resumed, ended.restarted) == (passed_over["resume"], passed_over["restart"])
    assert (ended.busy, ended.idle, ended.back_pressured) == (0.0, 1.0, 0.0)


def test_what_inner_buffers_dropped_is_counted_behind_their_ends(system):
    def parts(_):
        return Source.range(0, 100).buffer(2, "drop_oldest")

    run = system.start(Source.range(0, 20).flat_map(parts, breadth=4).to(Sink.count()))
    got = run.result(SECONDS)
    (ended,) = [stage for stage in run.snapshot().stages if stage.name == "buffer (ended)"]
    assert (ended.elements_in, ended.elements_out) == (2000, got)
    assert ended.details.get("dropped", 0) == 2000 - got


SHORT = {
    "take_while": lambda source: source.take_while(lambda x: x < 20),
    "first": lambda source: source.first(lambda x: x >= 10),
    "contains": lambda source: source.contains(3),
    "zip": lambda source: source.zip(Source.of(1, 2, 3)),
}


@pytest.mark.parametrize("kind", SHORT)
def test_what_came_to_an_inner_stage_that_wanted_no_more_is_counted(system, kind):
    def parts(_):
        return SHORT[kind](Source.range(0, 5000).async_boundary().map(lambda x: x))

    run = system.start(Source.range(0, 20).flat_map(parts, breadth=4).to(Sink.count()))
    run.result(SECONDS)
    by_name = {stage.name: stage for stage in run.snapshot().stages}
    before, short = by_name["map (ended)"], by_name[f"{kind} (ended)"]
    beside = 20 * 3 if kind == "zip" else 0
    unwanted = short.details["unwanted"]
    assert before.elements_out + beside == short.elements_in + unwanted
    assert unwanted > 0


def test_what_a_stage_had_of_streams_that_it_cancelled_is_counted():
    with World(window=8) as world:
        run = world.start(
            Source.range(0, 50)
            .switch_map(lambda _: Source.range(0, 5000).map(lambda x: x))
            .throttle(1000)
            .take(40)
            .to(Sink.count())
        )
        assert run.result() == 40
    by_name = {stage.name: stage for stage in run.snapshot().stages}
    switched, given = by_name["switch_map"], by_name["map (ended)"].elements_out
    assert given == switched.inner_elements + switched.details["unwanted"]
