# mypy: disable-error-code="arg-type, attr-defined, var-annotated"
"""A function that was fast turns slow: what was made before arrives, and a cancellation is seen."""

import sys
import threading
import time
from functools import partial
from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.engine.island import AHEAD_SECONDS, LOOKS_APART
from actors_rs.engine.member import Member
from actors_rs.errors import RunCancelled
from actors_rs.runtime.actors.actor import TURN_SECONDS
from actors_rs.runtime.dispatch.timers import Timers
from actors_rs.stages.chunks.chunk import CALLS
from tests.graph.helpers import SECONDS, wait_until

FAST = 5_000
MOST = 50_000


class Turning:
    """Fast ``FAST`` times, then each call waits until the test lets it go on."""

    def __init__(self):
        self.calls = 0
        self.slow, self.go_on = threading.Event(), threading.Event()
        self.outlets: Any = ()  # of the stage that calls it

    def __call__(self, n):
        self.calls += 1
        if self.calls == FAST + 1:
            self.outlets = stage_that_calls().outlets
            self.slow.set()
            assert self.go_on.wait(SECONDS), "nobody saw that it is slow"
        return n

    def wait_until_slow(self, overdue=False):
        """Wait until the slow call has taken longer than a turn, or its frame is ``overdue``."""
        assert self.slow.wait(SECONDS)
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > 2 * TURN_SECONDS)
        wait_until(lambda: not overdue or all(outlet.overdue for outlet in self.outlets))


def stage_that_calls():
    """The logic that this thread advances."""
    frame: Any = sys._getframe()
    while frame.f_code is not Member.advance.__code__:
        frame = frame.f_back
    return frame.f_locals["self"].logic


def fused(stream, f):
    """A stream that does not run inline, but as a stage of its host's island."""
    return stream.map(lambda n: f(n)).filter(lambda n: n >= 0).fuse()


OPERATORS = {
    "map": lambda s, f: s.map(lambda n: f(n)),
    "map of a callable": lambda s, f: s.map(partial(f)),
    "starmap": lambda s, f: s.map(lambda n: (n,)).starmap(lambda n: f(n)),
    "filter": lambda s, f: s.filter(lambda n: f(n) >= 0),
    "map_not_none": lambda s, f: s.map_not_none(lambda n: f(n)),
    "scan": lambda s, f: s.scan(0, lambda _, n: f(n)),
    "stateful_map": lambda s, f: s.stateful_map(int, lambda state, n: (state, f(n))),
    "take_while": lambda s, f: s.take_while(lambda n: f(n) >= 0),
    "distinct": lambda s, f: s.distinct(key=lambda n: f(n)),
    "distinct_until_changed": lambda s, f: s.distinct_until_changed(key=lambda n: f(n)),
    "flat_map": lambda s, f: s.flat_map(lambda n: [f(n)]),
    "flat_map of a generator": lambda s, f: s.flat_map(lambda n: (f(m) for m in (n,))),
    "fused maps": lambda s, f: s.map(lambda n: n).map(lambda n: f(n)).fuse(),
    "fused": lambda s, f: s.map(lambda n: n).filter(lambda n: f(n) >= 0).fuse(),
    "a source": lambda _, f: Source.from_iterable(lambda: (f(n) for n in range(MOST))),
}
DRAWN = {"flat_map", "flat_map of a generator", "a source"}
"""Those of them that draw from an iterator, and look after each element if a frame is overdue."""
WITHIN = {
    "an inner stream": lambda s, f: Source.of(0).flat_map(lambda _: fused(s, f)),
    "an inner stream beside others": lambda s, f: Source.of(0).flat_map(lambda _: fused(s, f), 2),
    "inner streams in a row": lambda s, f: s.batch(999).flat_map(
        lambda numbers: fused(Source.from_iterable(numbers), f)
    ),
    "an inner stream of an iterator": lambda s, f: Source.of(0).flat_map(
        lambda _: fused(Source.from_iterable(iter(range(MOST))), f), 2
    ),
    "a group": lambda s, f: s.group_by(lambda _: 0, 1).flat_map(lambda g: fused(g, f)),
    "a group beside others": lambda s, f: s.group_by(lambda _: 0, 2).flat_map(
        lambda g: fused(g, f), 2
    ),
}
"""Fused streams that run within the actor of the stage that began them."""
BESIDE = {"an inner stream of an iterator"}
"""Those of them whose source may wait, so that it has an actor of its own, and so have they."""
ENDS = {
    "a group that is folded": lambda s, f: s.group_by(lambda _: 0, 2).flat_map(
        lambda g: g.reduce(0, lambda _, n: f(n)).fuse(), 2
    ),
    "skip_while": lambda s, f: s.skip_while(lambda n: f(n) >= 0),
    "reduce": lambda s, f: s.reduce(0, lambda _, n: f(n)),
    "reduce_without_initial": lambda s, f: s.reduce_without_initial(lambda _, n: f(n)),
    "first": lambda s, f: s.first(lambda n: f(n) < 0),
    "some": lambda s, f: s.some(lambda n: f(n) < 0),
    "all": lambda s, f: s.all(lambda n: f(n) >= 0),
}
SINKS = {
    "for_each": lambda f: Sink.for_each(f),
    "fold": lambda f: Sink.fold(0, lambda _, n: f(n)),
}


@pytest.fixture
def turning():
    return Turning()


def cancelled(graph, turning, overdue=False):
    """How often the function was called behind the cancellation of a run of ``graph``."""
    with ActorSystem(workers=2) as system:
        run = system.start(graph)
        turning.wait_until_slow(overdue)
        run.cancel()
        before = turning.calls
        turning.go_on.set()
        with pytest.raises(RunCancelled):
            run.result(SECONDS)
        wait_until(lambda: not system.children())
    return turning.calls - before


@pytest.mark.parametrize("window", [16, 1024, 4096])
@pytest.mark.parametrize("name", OPERATORS)
def test_results_made_before_a_slow_call_arrive_while_it_lasts(name, window, turning):
    got = []
    with ActorSystem(workers=2, window=window) as system:
        flow = OPERATORS[name](Source.range(0, MOST), turning)
        run = system.start(flow.to(Sink.for_each(got.append)))
        assert turning.slow.wait(SECONDS)
        wait_until(lambda: len(got) >= FAST - 1)  # of a reduction or a skip one is not given
        turning.go_on.set()
        run.result(SECONDS)
    assert got == list(range(MOST)), "an element was lost, doubled or out of order"


@pytest.mark.parametrize("name", OPERATORS)
def test_a_stage_is_cancelled_within_a_chunk_of_calls_of_a_slow_one(name, turning):
    flow = OPERATORS[name](Source.range(0, MOST), turning)
    assert cancelled(flow.to(Sink.ignore()), turning, name in DRAWN) <= CALLS


@pytest.mark.parametrize("name", sorted(WITHIN.keys() - BESIDE))
def test_a_fused_inner_stream_is_cancelled_within_a_chunk_of_calls(name, turning):
    flow = WITHIN[name](Source.range(0, MOST), turning)
    assert cancelled(flow.to(Sink.ignore()), turning) <= CALLS


@pytest.mark.parametrize("name", sorted(BESIDE))
def test_an_inner_stream_with_actors_of_its_own_is_cancelled_within_a_few_slow_calls(name, turning):
    def slow_from_here_on(n):
        turning(n)
        until = time.monotonic() + 2 * TURN_SECONDS * (turning.calls > FAST)
        while time.monotonic() < until:
            pass
        return n

    flow = WITHIN[name](Source.range(0, MOST), slow_from_here_on)
    assert cancelled(flow.to(Sink.ignore()), turning) <= CALLS


@pytest.mark.parametrize("name", WITHIN)
def test_a_fused_inner_stream_gives_what_it_has_made_within_a_chunk_of_slow_calls(name, turning):
    got = []

    def slow_from_here_on(n):
        late = turning.calls - (FAST + CALLS)
        if late > 0 and len(got) < FAST:  # the stage behind may need a few turns for its frame
            assert late <= CALLS, "results were made and kept back"
            until = time.monotonic() + 2 * TURN_SECONDS
            while len(got) < FAST and time.monotonic() < until:
                pass
        return turning(n)

    # A window for all of them: a result that is not requested yet waits for the next call, too.
    with ActorSystem(workers=2, window=2 * FAST) as system:
        flow = WITHIN[name](Source.range(0, MOST), slow_from_here_on)
        run = system.start(flow.to(Sink.for_each(got.append)))
        turning.wait_until_slow()
        turning.go_on.set()
        run.result(SECONDS)
    assert got == list(range(MOST)), "an element was lost, doubled or out of order"


@pytest.mark.parametrize("beside", [1, 3])
def test_inner_streams_that_run_inline_are_cancelled_within_a_chunk_of_calls(beside, turning):
    streams = Source.range(0, beside).flat_map(
        lambda _: Source.range(0, MOST).map(lambda n: turning(n)).fuse(), breadth=beside + 1
    )
    assert cancelled(streams.to(Sink.ignore()), turning) <= CALLS


def test_several_fused_inner_streams_are_cancelled_within_one_chunk_of_calls(turning):
    streams = Source.of(1, 2, 3).flat_map(lambda _: fused(Source.range(0, MOST), turning), 3)
    assert cancelled(streams.to(Sink.ignore()), turning) <= CALLS


@pytest.mark.parametrize("name", ENDS)
def test_a_stage_that_gives_nothing_yet_is_cancelled_as_soon(name, turning):
    flow = ENDS[name](Source.range(0, MOST), turning)
    assert cancelled(flow.to(Sink.ignore()), turning) <= CALLS


@pytest.mark.parametrize("name", SINKS)
def test_a_sink_is_cancelled_as_soon(name, turning):
    assert cancelled(Source.range(0, MOST).to(SINKS[name](turning)), turning) <= CALLS


def test_results_arrive_though_a_look_was_over_before_its_stage_could_note_it(turning, monkeypatch):
    after, first = Timers.after, []

    def slow_to_return(timers, seconds, callback):
        if getattr(callback, "__name__", "") != "_look_at_turn" or first:
            return after(timers, seconds, callback)
        first.append(looked := threading.Event())

        def look():
            callback()
            looked.set()

        timer = after(timers, seconds, look)
        assert looked.wait(SECONDS)
        return timer

    monkeypatch.setattr(Timers, "after", slow_to_return)
    got = []
    with ActorSystem(workers=2, window=16) as system:
        flow = OPERATORS["fused"](Source.range(0, MOST), turning)
        run = system.start(flow.to(Sink.for_each(got.append)))
        assert turning.slow.wait(SECONDS)
        wait_until(lambda: len(got) >= FAST)
        turning.go_on.set()
        run.result(SECONDS)
    assert first


def test_a_turn_that_lasts_wakes_the_timers_less_and_less_often(turning, looks):
    with ActorSystem(workers=2) as system:
        run = system.start(Source.range(0, MOST).map(lambda n: turning(n)).to(Sink.ignore()))
        wait_until(lambda: looks[-1:] == [LOOKS_APART])
        turning.go_on.set()
        run.cancel()
        run.wait(SECONDS)
    assert len([seconds for seconds in looks if seconds < LOOKS_APART]) < 40


def test_a_burst_in_a_turn_that_lasts_is_looked_at_as_soon_as_in_any_other(turning, looks):
    burst, over = threading.Event(), threading.Event()

    def bursts():
        yield 0
        assert burst.wait(SECONDS)
        yield from (1, 2, 3)
        assert over.wait(SECONDS)

    got = []
    with ActorSystem(workers=2) as system:
        run = system.start(Source.from_iterable(bursts).to(Sink.for_each(got.append)))
        wait_until(lambda: looks[-1:] == [LOOKS_APART])
        far = len(looks)
        burst.set()
        wait_until(lambda: got == [0, 1, 2, 3])
        over.set()
        run.result(SECONDS)
    assert AHEAD_SECONDS in looks[far:]
