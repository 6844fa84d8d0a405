# mypy: disable-error-code="arg-type, attr-defined, union-attr, var-annotated"
"""How fused graphs end: by themselves, from outside, while a function is slow, and once only."""

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import RunCancelled
from actors_rs.graph.spec import OPEN, OutletRef, spec_of
from actors_rs.stages.chunks.chunk import CALLS
from actors_rs.stages.operators.map import Map
from actors_rs.stages.sinks.list import ListSink
from tests.graph.helpers import SECONDS, leave_by_an_exception, leaves_by, wait_until
from tests.graph.test_fused_graphs import came_of
from tests.graph.test_turning_slow import ENDS as TURNING_ENDS
from tests.graph.test_turning_slow import FAST, MOST, Turning, cancelled
from tests.graph.test_turning_slow import OPERATORS as TURNING
from tests.graph.test_turning_slow import SINKS as TURNING_SINKS

# How a run is ended from outside.

ROWS = {
    "a source and a sink": lambda s, seen: s.to(Sink.for_each(seen.append)),
    "with an operator": lambda s, seen: s.map(int).to(Sink.for_each(seen.append)),
    "with two": lambda s, seen: s.map(int).filter(bool).to(Sink.for_each(seen.append)),
    "with a tail": lambda s, seen: s.map(int).end_with(7).to(Sink.for_each(seen.append)),
    "behind a stage apart": lambda s, seen: (
        s.map(int).flat_map(lambda x: [x]).map(int).to(Sink.for_each(seen.append))
    ),
}
every_row = pytest.mark.parametrize("name", ROWS)
either_way = pytest.mark.parametrize("fuse", [False, True])


def going(system, name, fuse, source=None):
    """A run of that row without an end, and what it has seen, which is something."""
    seen = []
    source = Source.range(1, 10**15) if source is None else source
    graph = ROWS[name](source, seen)
    run = system.start(graph.fuse() if fuse else graph)
    wait_until(lambda: len(seen) > 5000)
    return run, seen


@every_row
@either_way
def test_a_cancellation_ends_a_row_that_has_no_end(name, fuse):
    with ActorSystem(workers=1, shutdown_timeout=SECONDS) as system:
        run, seen = going(system, name, fuse)
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(SECONDS)
        assert run.state == "cancelled"
        wait_until(lambda: not system.children())
    assert seen == list(range(1, len(seen) + 1))


@every_row
@either_way
def test_a_row_that_is_drained_delivers_what_was_given_and_completes(name, fuse):
    with ActorSystem(workers=1, shutdown_timeout=SECONDS) as system:
        run, seen = going(system, name, fuse)
        assert run.drain(SECONDS)
        assert run.result(SECONDS) == len(seen)
    if name == "with a tail":
        assert seen.pop() == 7
    assert seen == list(range(1, len(seen) + 1))


@every_row
@either_way
def test_a_row_that_is_aborted_ends_with_that_error(name, fuse):
    with ActorSystem(workers=1, shutdown_timeout=SECONDS) as system:
        run, _ = going(system, name, fuse)
        error = OSError("enough")
        run.abort(error)
        with pytest.raises(OSError, match="enough"):
            run.result(SECONDS)
        assert run.state == "failed"
        wait_until(lambda: not system.children())


@every_row
@either_way
def test_a_system_that_ends_drains_its_rows_and_one_that_fails_cancels_them(name, fuse):
    with ActorSystem(workers=1, shutdown_timeout=SECONDS) as system:
        run, seen = going(system, name, fuse, Source.repeat(1))
    assert run.result(0) == len(seen)
    system = ActorSystem(workers=1, shutdown_timeout=SECONDS)
    run, _ = going(system, name, fuse)
    leave_by_an_exception(system)
    assert run.state == "cancelled"


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit, MemoryError])
@pytest.mark.parametrize("place", ["map", "filter", "sink", "fold_get"])
@either_way
def test_what_no_restart_cures_ends_the_system_of_a_row_and_is_raised(kind, place, fuse):
    def leave(*_):
        raise kind("leave")

    source = Source.of(1, 2)
    graph = {
        "map": lambda: source.map(leave).to(Sink.list()),
        "filter": lambda: source.map(str).filter(leave).map(str).to(Sink.list()),
        "sink": lambda: source.map(str).to(Sink.for_each(leave)),
        "fold_get": lambda: source.to(Sink.fold_get(leave, max)),
    }[place]()
    beside = Source.never().to(Sink.list())
    if fuse:
        graph, beside = graph.fuse(), beside.fuse()
    leaves_by(kind, graph, beside=beside)


# What holds resources.


class Held:
    """Counts what its stages were told of, by name: ``"start"``, or what they stopped with."""

    def __init__(self):
        self.said = []

    def operator(self, name, stops_with=None):
        return Flow(OutletRef(self._spec(name, lambda: _Holding(name, self, stops_with))))

    def sink(self, name="sink", finishes_with=None, stops_with=None):
        return Sink(
            self._spec(name, lambda: _HoldingSink(name, self, finishes_with, stops_with), outlets=0)
        )

    def _spec(self, name, make, outlets=1):
        return spec_of(name, make, OPEN, outlets=outlets)


class _Holding(Map):
    def __init__(self, name, held, stops_with):
        super().__init__(lambda x: x)
        self.name, self.said, self.stops_with = name, held.said, stops_with

    def start(self):
        self.said.append((self.name, "start"))

    def stop(self, error):
        self.said.append((self.name, error and type(error)))
        if self.stops_with is not None:
            raise self.stops_with


class _HoldingSink(ListSink):
    def __init__(self, name, held, finishes_with, stops_with):
        super().__init__()
        self.completes_badly = finishes_with
        self.part = _Holding(name, held, stops_with)

    def start(self):
        self.part.start()
        super().start()

    def finish(self):
        if self.completes_badly is not None:
            raise self.completes_badly
        return super().finish()

    def stop(self, error):
        self.part.stop(error)


def upset(x):
    if x == 50:
        raise KeyError(x)
    return x


ENDINGS = {
    "complete": lambda s, held: s.via(held.operator("a")).to(held.sink()),
    "two operators": lambda s, held: (
        s.via(held.operator("a")).via(held.operator("b")).to(held.sink())
    ),
    "enough": lambda s, held: s.via(held.operator("a")).take(3).to(held.sink()),
    "enough apart": lambda s, held: (
        s.via(held.operator("a")).async_boundary().take(3).to(held.sink())
    ),
    "a failure before": lambda s, held: s.map(upset).via(held.operator("a")).to(held.sink()),
    "a failure behind": lambda s, held: s.via(held.operator("a")).to(Sink.for_each(upset)),
    "a failing source": lambda _, held: (
        Source.failed(OSError()).via(held.operator("a")).to(held.sink())
    ),
    "a sink that finishes badly": lambda s, held: s.via(held.operator("a")).to(
        held.sink(finishes_with=KeyError("finish"))
    ),
    "a sink that stops badly": lambda s, held: s.via(held.operator("a")).to(
        held.sink(stops_with=KeyError("stop"))
    ),
    "an operator that stops badly": lambda s, held: s.via(
        held.operator("a", stops_with=KeyError("stop"))
    ).to(held.sink()),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_each_part_is_stopped_once_with_what_it_would_be_stopped_with_apart(name):
    ends, said = [], []
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        for fuse in (False, True):
            held = Held()
            graph = ENDINGS[name](Source.range(0, 100), held)
            ends.append(came_of(system, graph.fuse() if fuse else graph))
            said.append(sorted(held.said, key=str))
    assert ends == [ends[0]] * 2
    assert said == [said[0]] * 2
    parts = [part for part, what in said[0] if what == "start"]
    assert len(said[0]) == 2 * len(parts)


# A function that was fast turns slow.


@pytest.fixture
def turning():
    return Turning()


SLOW = {
    name: flow
    for name, flow in (TURNING | TURNING_ENDS).items()
    if not name.startswith("flat_map") and name != "a source"
}
GIVING = {name: flow for name, flow in SLOW.items() if name in TURNING}


@pytest.mark.parametrize("name", SLOW)
def test_a_row_is_cancelled_within_a_chunk_of_calls_of_a_slow_one(name, turning):
    graph = SLOW[name](Source.range(0, MOST), turning).to(Sink.ignore()).fuse()
    assert cancelled(graph, turning) <= CALLS


@pytest.mark.parametrize("name", TURNING_SINKS)
@pytest.mark.parametrize("row", [lambda s: s, lambda s: s.map(int), lambda s: s.map(int).map(int)])
def test_a_sink_of_a_row_is_cancelled_within_a_chunk_of_calls(name, row, turning):
    graph = row(Source.range(0, MOST)).to(TURNING_SINKS[name](turning)).fuse()
    assert cancelled(graph, turning) <= CALLS


@pytest.mark.parametrize("name", GIVING)
def test_what_came_before_a_slow_call_reaches_the_sink_within_a_chunk_more(name, turning):
    got, reached = [], []

    def f(n):
        if turning.calls == FAST + 1 + CALLS:
            reached.append(len(got))
        return turning(n)

    with ActorSystem(workers=2) as system:
        flow = GIVING[name](Source.range(0, MOST), f)
        run = system.start(flow.to(Sink.for_each(got.append)).fuse())
        turning.wait_until_slow()
        turning.go_on.set()
        run.result(SECONDS)
    assert got == list(range(MOST)), "an element was lost, doubled or out of order"
    assert reached[0] >= FAST


@pytest.mark.parametrize("name", GIVING)
def test_what_a_row_gives_to_another_actor_arrives_while_a_call_is_slow(name, turning):
    got = []
    with ActorSystem(workers=2) as system:
        flow = GIVING[name](Source.range(0, MOST), turning).async_boundary()
        run = system.start(flow.to(Sink.for_each(got.append)).fuse())
        assert turning.slow.wait(SECONDS)
        wait_until(lambda: len(got) >= FAST)
        turning.go_on.set()
        run.result(SECONDS)
    assert got == list(range(MOST))
