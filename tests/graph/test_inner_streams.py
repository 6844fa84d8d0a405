# mypy: disable-error-code="arg-type, attr-defined, var-annotated"
"""Inner streams as a part of their run: how they begin, end, fail, and leave nothing behind."""

import threading

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source, amb, concat
from actors_rs.errors import GraphError, RunCancelled, StageError
from tests.graph.helpers import SECONDS, run, wait_until
from tests.graph.models import Upstream


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def endless():
    return Upstream(iter(int, 1))


def actors(upstream):
    return upstream.source().map(int)


WAYS = {
    "flat_map": lambda u: Source.of(1).flat_map(lambda _: actors(u)),
    "flat_map within": lambda u: Source.of(1).flat_map(lambda _: u.source()),
    "breadth": lambda u: Source.range(0, 4).flat_map(lambda _: actors(u), breadth=3),
    "breadth of sources": lambda u: Source.range(0, 4).flat_map(lambda _: u.source(), breadth=3),
    "switch_map": lambda u: Source.of(1).append(Source.never()).switch_map(lambda _: actors(u)),
    "catch": lambda u: Source.failed(KeyError()).catch(lambda _: actors(u)),
    "concat": lambda u: concat(Source.of(1), actors(u)),
    "append": lambda u: Source.of(1).append(u.source()),
    "prepend": lambda u: Source.of(1).prepend(actors(u)),
    "if_empty": lambda u: Source.empty().if_empty(actors(u)),
    "amb": lambda u: amb(Source.never(), actors(u)),
    "in each other": lambda u: Source.of(1).flat_map(
        lambda _: Source.of(2).flat_map(lambda _: actors(u), breadth=2).map(int)
    ),
}
"""Graphs in which ``upstream`` runs as an inner stream."""
everywhere = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())


def flowing(system, way, upstream):
    """A run in which elements of the inner stream arrive."""
    seen = []
    run = system.start(way(upstream).to(Sink.for_each(seen.append)))
    wait_until(lambda: len(seen) > 10)
    return run


def nothing_left(system, upstream):
    upstream.wait_until_released()
    assert upstream.begun >= 1
    wait_until(lambda: not system.children())


@everywhere
def test_cancelling_the_run_reaches_every_inner_stream_and_releases_it_once(system, way):
    upstream = endless()
    going = flowing(system, way, upstream)
    going.cancel()
    with pytest.raises(RunCancelled):
        going.result(SECONDS)
    nothing_left(system, upstream)


@everywhere
def test_a_sink_that_has_had_enough_ends_every_inner_stream(system, way):
    upstream = endless()
    assert system.start(way(upstream).take(20).to(Sink.count())).result(SECONDS) == 20
    nothing_left(system, upstream)


@everywhere
def test_a_failure_behind_the_stage_ends_every_inner_stream(system, way):
    upstream = endless()
    graph = way(upstream).scan(0, lambda n, _: n + 1 + 0 // (20 - n)).to(Sink.ignore())
    with pytest.raises(StageError, match="ZeroDivisionError"):
        system.start(graph).result(SECONDS)
    nothing_left(system, upstream)


@everywhere
def test_draining_reaches_inner_sources(system, way):
    upstream = endless()
    going = flowing(system, way, upstream)
    going.drain()
    assert going.result(SECONDS) > 10
    nothing_left(system, upstream)


@everywhere
def test_the_shutdown_of_the_system_ends_every_inner_stream(way):
    upstream = endless()
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        going = flowing(system, way, upstream)
        system.shutdown(drain=False)
    assert going.state == "cancelled"
    nothing_left(system, upstream)


@everywhere
def test_the_rules_are_watched_on_inner_links_too(way):
    upstream = endless()
    assert run(way(upstream).take(50).to(Sink.count()).monitored()) == 50
    upstream.wait_until_released()


@pytest.mark.parametrize("stream", [Source.repeat(1), Source.repeat(1).map(int)])
def test_a_source_that_begins_while_the_run_drains_gives_nothing(system, stream):
    open_gate, at_gate = threading.Event(), threading.Event()

    def f(x):
        at_gate.set()
        assert open_gate.wait(SECONDS)
        return stream

    going = system.start(Source.of(1, 2, 3).flat_map(f).to(Sink.list()))
    assert at_gate.wait(SECONDS)
    going.drain()
    open_gate.set()
    assert going.result(SECONDS) == []


def test_what_was_at_hand_is_delivered_although_the_run_drains(system):
    open_gate, at_gate = threading.Event(), threading.Event()

    def f(x):
        at_gate.set()
        assert open_gate.wait(SECONDS)
        return Source.of(x, x)

    going = system.start(Source.of(1, 2, 3).flat_map(f).to(Sink.list()))
    assert at_gate.wait(SECONDS)
    going.drain()
    open_gate.set()
    assert going.result(SECONDS) == [1, 1, 2, 2, 3, 3]


@pytest.mark.parametrize("breadth", [None, 3])
def test_a_stream_that_f_gives_after_the_run_was_cancelled_is_ended(system, breadth):
    open_gate, at_gate = threading.Event(), threading.Event()
    upstream = endless()

    def f(x):
        at_gate.set()
        assert open_gate.wait(SECONDS)
        return actors(upstream)

    going = system.start(Source.of(1, 2, 3).flat_map(f, breadth).to(Sink.list()))
    assert at_gate.wait(SECONDS)
    going.cancel()
    open_gate.set()
    with pytest.raises(RunCancelled):
        going.result(SECONDS)
    upstream.wait_until_released()
    wait_until(lambda: not system.children())


def test_a_system_that_shuts_down_while_a_stream_begins_ends_the_run(system):
    open_gate, at_gate = threading.Event(), threading.Event()

    def f(x):
        at_gate.set()
        assert open_gate.wait(SECONDS)
        return Source.repeat(x).map(int)

    going = system.start(Source.of(1).flat_map(f).to(Sink.list()))
    assert at_gate.wait(SECONDS)
    system.stop_soon()
    open_gate.set()
    with pytest.raises(RunCancelled):
        going.result(SECONDS)
    assert going.state == "cancelled"


def test_stages_of_inner_streams_have_names_of_their_own_in_the_run(system):
    going = system.start(
        Source.of(1, 2)
        .flat_map(lambda _: Source.never().map(int).map(int), breadth=2)
        .to(Sink.list())
    )
    wait_until(lambda: len(going.snapshot().stages) == 3 + 2 * 3)
    names = [stage.name for stage in going.snapshot().stages]
    assert len(set(names)) == len(names)
    assert {"map#1", "map-2#1", "map#2", "map-2#2"} < set(names)
    going.cancel()


def test_a_snapshot_can_be_taken_at_any_time_while_streams_come_and_go(system):
    going = system.start(
        Source.range(0, 400).flat_map(lambda x: Source.of(x).map(int), breadth=8).to(Sink.count())
    )
    while not going.done():
        assert going.snapshot().stages
    assert going.result(SECONDS) == 400


@pytest.mark.parametrize("breadth", [None, 2])
@pytest.mark.parametrize("given", [3, None, KeyError])
def test_what_is_no_stream_fails_the_stage_at_its_element(system, breadth, given):
    graph = Source.range(0, 3).flat_map(lambda x: given if x == 2 else [x], breadth)
    seen = []
    with pytest.raises(StageError, match="flat_map") as caught:
        system.start(graph.to(Sink.for_each(seen.append))).result(SECONDS)
    assert isinstance(caught.value.__cause__, TypeError)
    assert caught.value.position == 2
    assert seen == [0, 1]


@pytest.mark.parametrize("breadth", [None, 2])
def test_a_flow_with_an_open_input_is_no_stream(system, breadth):
    graph = Source.range(0, 3).flat_map(lambda _: Flow().map(int), breadth).to(Sink.list())
    with pytest.raises(StageError, match="expected a Source, got a Flow whose input is open") as e:
        system.start(graph).result(SECONDS)
    assert isinstance(e.value.__cause__, GraphError)


@pytest.mark.parametrize(
    "build",
    [
        lambda stream: concat(Source.of(1), stream),
        lambda stream: Source.of(1).append(stream),
        lambda stream: Source.of(1).prepend(stream),
        lambda stream: Source.of(1).if_empty(stream),
        lambda stream: amb(stream),
        lambda stream: Source.of(1).amb(stream),
    ],
)
def test_an_open_or_unconnected_stream_is_refused_when_the_blueprint_is_built(build):
    for stream in (Flow(), Flow().map(int), Source.of(1).broadcast(2)[0]):
        with pytest.raises(GraphError):
            build(stream)


def test_bad_arguments_are_refused_when_the_blueprint_is_built():
    source = Source.of(1)
    for build in (
        lambda: source.flat_map(3),
        lambda: source.concat_map(None),
        lambda: source.switch_map("x"),
        lambda: source.catch(KeyError()),
        lambda: source.append([1]),
        lambda: source.prepend(None),
        lambda: source.if_empty(3),
        lambda: concat(source, [2]),
        lambda: amb(source, 2),
        lambda: source.flat_map(str, breadth="2"),
    ):
        with pytest.raises(TypeError):
            build()
    for breadth in (0, -1):
        with pytest.raises(ValueError, match="breadth must be at least 1"):
            source.flat_map(str, breadth=breadth)


def test_a_stream_that_fails_behind_its_cancellation_is_no_failure_of_the_run(system):
    cancelled, failing = threading.Event(), threading.Event()

    def late():
        failing.set()
        assert cancelled.wait(SECONDS)
        raise KeyError("late")
        yield

    def elements():
        assert failing.wait(SECONDS)
        yield 2

    def f(x):
        if x == 2:
            cancelled.set()
            return Source.of(2)
        return Source.from_iterable(late).map(int)

    outer = Source.of(1).append(Source.from_iterable(elements))
    going = system.start(outer.switch_map(f).to(Sink.list()))
    assert going.result(SECONDS) == [2]


def test_such_a_failure_is_a_dead_letter_while_its_stage_goes_on(system):
    cancelled, failing = threading.Event(), threading.Event()

    def late():
        failing.set()
        assert cancelled.wait(SECONDS)
        raise KeyError("late")
        yield

    def elements():
        assert failing.wait(SECONDS)
        yield 2

    def end():
        wait_until(lambda: system.dead_letters.total)
        yield from ()

    def f(x):
        if x == 2:
            cancelled.set()
            return Source.of(2)
        return Source.from_iterable(late).map(int)

    outer = Source.of(1).append(Source.from_iterable(elements), Source.from_iterable(end))
    going = system.start(outer.switch_map(f).to(Sink.list()))
    assert going.result(SECONDS) == [2]
    (letter,) = system.dead_letters.recent()
    assert isinstance(letter.error.__cause__, KeyError)


def test_the_streams_that_lose_under_amb_are_released(system):
    losers = [endless() for _ in range(3)]

    def slow(upstream):
        return upstream.source().filter(lambda _: False)

    graph = amb(*map(slow, losers), Source.of(1, 2)).to(Sink.list())
    assert system.start(graph).result(SECONDS) == [1, 2]
    for upstream in losers:
        upstream.wait_until_released()


def test_the_next_stream_of_concat_is_started_when_the_one_before_has_completed(system):
    log = []

    def noted(name):
        def elements():
            log.append(f"{name} begins")
            yield name
            log.append(f"{name} ends")

        return Source.from_iterable(elements)

    assert system.start(concat(*map(noted, "abc")).to(Sink.list())).result(SECONDS) == list("abc")
    assert log == [f"{name} {what}" for name in "abc" for what in ("begins", "ends")]


def test_a_run_can_start_many_streams_and_holds_none_of_them(system):
    going = system.start(
        Source.range(0, 3000).flat_map(lambda x: Source.of(x).map(int), breadth=4).to(Sink.count())
    )
    assert going.result(60) == 3000
    assert len(going.snapshot().stages) == 5
    assert not going._scope._inner
    assert not going._scope.living()


def test_the_failures_of_a_stage_in_all_inner_streams_are_one_cause(system, caplog):
    def parts(n):
        return Source.of(n, 0).map(lambda x: 1 // x).named("parse").on_failure("resume")

    run = system.start(Source.of(1, 2, 3).flat_map(parts, breadth=2).to(Sink.list()))
    assert sorted(run.result(SECONDS)) == [0, 0, 1]
    letters = system.dead_letters
    assert {letter.where for letter in letters.recent()} == {
        f"stage 'parse#{n}'" for n in (1, 2, 3)
    }
    assert letters.counts() == {("stage 'parse'", "on_failure='resume'"): 3}
    assert len(caplog.records) == 1
