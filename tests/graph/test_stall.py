# mypy: disable-error-code="arg-type, attr-defined, union-attr, var-annotated"
"""A run in which nothing can move is ended with who waits for whom; any other one is let be."""

import asyncio
import gc
import threading
import weakref
from concurrent.futures import Future

import pytest

from actors_rs import ActorSystem, Feedback, Graph, KillSwitch, Sink, Source
from actors_rs.engine.run.snapshot import LinkSnapshot, RunSnapshot
from actors_rs.engine.watching.stall import describe, knots, waits
from actors_rs.engine.watching.stall_watch import StallWatch
from actors_rs.errors import Stalled
from actors_rs.stages.junctions.feedback import LOOK_EVERY
from tests.graph.helpers import SECONDS, Feed, wait_until

SOON = 0.04


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def snapshot(*links):
    return RunSnapshot("run", "running", 1.0, (), tuple(links))


def link(upstream, downstream, requested=0, buffered=0, closed=False):
    return LinkSnapshot(
        upstream, "out", downstream, "in", 5, requested, buffered, window=8, closed=closed
    )


def test_who_has_asked_waits_for_elements_and_who_is_not_asked_waits_for_demand():
    found = waits(snapshot(link("a", "b", requested=3), link("b", "c", buffered=4), link("c", "d")))
    assert [(wait.who, wait.whom) for wait in found] == [("b", "a"), ("b", "c"), ("c", "d")]
    assert str(found[0]) == "'b' waits for 'a' to give elements (out to in: 3 requested)"
    assert str(found[1]) == "'b' waits for 'c' to ask for elements (out to in: 4 held)"
    assert (
        str(found[2]) == "'c' waits for 'd' to ask for elements (out to in: nothing requested yet)"
    )


def test_a_link_that_is_closed_keeps_nobody_waiting():
    assert waits(snapshot(link("a", "b", requested=3, closed=True))) == ()


def test_stages_that_wait_for_each_other_are_found():
    row = snapshot(link("a", "b", requested=1), link("b", "c", requested=1))
    assert knots(waits(row)) == []
    ring = snapshot(
        link("a", "b", buffered=1), link("c", "b", requested=1), link("a", "c", requested=1)
    )
    assert knots(waits(ring)) == [("a", "b", "c")]
    assert describe(ring).startswith("'a', 'b', 'c' wait for each other; 'a' waits for 'b'")


def test_a_zip_that_waits_for_what_its_other_side_holds_up_is_reported():
    one, other = Source.repeat(1).named("ones").broadcast(2)
    graph = one.zip(other.skip(100_000).named("late")).to(Sink.list()).watched(SOON)
    with ActorSystem(workers=2, window=4096) as system:
        with pytest.raises(Stalled) as caught:
            system.start(graph).result(SECONDS)
        text = str(caught.value)
        assert "'broadcast', 'late', 'zip' wait for each other" in text
        assert "'late' waits for 'broadcast' to give elements (out 1 to in: 4096 requested)" in text
        assert "'broadcast' waits for 'zip' to ask for elements (out 0 to in 0: 4096 held)" in text
        wait_until(lambda: not system.children())


def test_every_run_is_watched_unless_its_system_is_told_not_to():
    one, other = Source.repeat(1).broadcast(2)
    stuck = one.zip(other.skip(100_000)).to(Sink.list())
    with ActorSystem(workers=2) as system, pytest.raises(Stalled, match="wait for each other"):
        system.start(stuck).result(SECONDS)
    with ActorSystem(workers=2, stall_after=None) as system:
        going = system.start(stuck)
        assert not going.wait(1.2)
        going.cancel()


def test_a_run_that_can_be_fed_or_ended_from_outside_is_let_be(system):
    one, other = Source.queue(8).broadcast(2)
    waiting = one.zip(other.skip(100)).to(Sink.list())
    run = system.start(waiting.watched(SOON))
    run.queue().offer(1)
    assert not run.wait(6 * SOON)
    run.queue().complete()
    assert run.result(SECONDS) == []
    switch = KillSwitch()
    one, other = Source.repeat(1).kill_switch(switch).broadcast(2)
    going = system.start(one.zip(other.skip(100_000)).to(Sink.list()).watched(SOON))
    assert not going.wait(6 * SOON)
    switch.shutdown()
    assert going.result(SECONDS) == []


def test_a_stall_among_inner_streams_is_reported_too(system):
    def stuck(_):
        one, other = Source.repeat(1).broadcast(2)
        return one.zip(other.skip(100_000))

    graph = Source.of(1).flat_map(stuck).to(Sink.list()).watched(SOON)
    with pytest.raises(Stalled, match="'broadcast#1', 'skip#1', 'zip#1' wait for each other"):
        system.start(graph).result(SECONDS)


def thrice(x):
    return [x, x, x]


def flooded():
    """A loop that makes more elements than it has room for."""
    loop = Feedback(8)
    flow = loop.source.merge_preferred(Source.range(1, 3)).flat_map(thrice)
    back, out = flow.broadcast(2)
    return Graph(back.to(loop.sink), out.to(Sink.ignore()))


def run_dry():
    """A loop that waits for an element of its own when none is left in it."""
    loop = Feedback(4)
    pairs = loop.source.start_with(0).zip(Source.range(0, 100))
    back, out = pairs.filter(lambda _: False).map(lambda pair: pair[0]).broadcast(2)
    return Graph(back.to(loop.sink), out.to(Sink.list()))


LOOPS = {
    flooded: "'broadcast', 'feedback', 'flat_map', 'merge_preferred' wait for each other",
    run_dry: "'broadcast', 'feedback', 'filter', 'map', 'start_with', 'zip' wait for each other",
}


@pytest.mark.parametrize("loop", LOOPS)
def test_a_loop_that_cannot_turn_is_reported_although_it_is_looked_at_all_the_time(system, loop):
    with pytest.raises(Stalled, match=LOOPS[loop]):
        system.start(loop().watched(SOON)).result(SECONDS)
    wait_until(lambda: not system.children())


def test_a_loop_that_is_about_to_end_is_let_be(system):
    loop = Feedback(8)
    flow = loop.source.merge_preferred(Source.of(3, 0)).map(lambda x: x - 1)
    graph = flow.divert_to(loop.sink, lambda x: x > 0).to(Sink.list())
    assert system.start(graph.watched(LOOK_EVERY / 20)).result(SECONDS) == [-1, 0]


def test_a_loop_that_more_may_come_to_is_let_be(system):
    loop, switch = Feedback(8), KillSwitch()
    flow = loop.source.merge_preferred(Source.never().kill_switch(switch))
    assert let_be(system, flow.divert_to(loop.sink, bool).to(Sink.list()), switch.shutdown) == []


def test_groups_whose_streams_are_gone_hold_nobody_up(system):
    groups = Source.range(0, 9).group_by(lambda n: n % 3, 3, stall_after=None)
    assert system.start(groups.map(id).to(Sink.count()).watched(SOON)).result(SECONDS) >= 3


def test_a_group_that_another_run_takes_is_no_reason_to_end_either_run(system):
    gate = threading.Event()
    runs = []

    def elsewhere(group):
        slow = group.map(lambda n: gate.wait(SECONDS) and n)
        runs.append(system.start(slow.to(Sink.list()).watched(SOON)))

    groups = Source.range(1, 9).group_by(lambda n: n % 3, 3, stall_after=SOON)
    going = system.start(groups.to(Sink.for_each(elsewhere)))
    assert not any(run.wait(2 * SOON) for run in runs)
    gate.set()
    assert going.result(SECONDS) == 3
    assert sorted(run.result(SECONDS) for run in runs) == [[1, 4, 7], [2, 5, 8], [3, 6, 9]]


def test_groups_that_somebody_may_run_yet_are_let_be(system):
    kept = []
    groups = Source.range(0, 9).group_by(lambda n: n % 3, 3, stall_after=None)

    def run_them():
        counts = [system.start(group.to(Sink.count())).result(SECONDS) for group in kept]
        assert counts == [3, 3, 3]

    assert let_be(system, groups.to(Sink.for_each(kept.append)), run_them) == 3


def let_be(system, graph, moves):
    """``graph`` may take many times the time after which a stalled one is ended."""
    going = system.start(graph.watched(SOON))
    assert not going.wait(6 * SOON)
    moves()
    return going.result(SECONDS)


def test_what_waits_for_a_call_or_a_coroutine_is_let_be(system):
    gate = threading.Event()

    async def soon(x):
        while not gate.is_set():
            await asyncio.sleep(0.001)
        return x

    def blocking(x):
        assert gate.wait(SECONDS)
        return x

    for f in (soon, blocking):
        gate.clear()
        assert let_be(system, Source.of(1).map_async(f, 2).to(Sink.list()), gate.set) == [1]


def test_what_waits_for_somebodys_future_is_let_be(system):
    future = Future()
    graph = Source.of(1).map_async(lambda _: future, 2).to(Sink.list())
    assert let_be(system, graph, lambda: future.set_result(7)) == [7]


def test_what_waits_for_a_timer_is_let_be(system):
    graph = Source.of(1).delay(10 * SOON).to(Sink.list())
    assert system.start(graph.watched(SOON)).result(SECONDS) == [1]


def test_a_merge_hub_that_streams_may_still_be_attached_to_is_let_be(system):
    hub = Source.merge_hub()
    run = system.start(hub.source.to(Sink.list()).watched(SOON))
    hub.attach(Source.of(1))
    assert not run.wait(6 * SOON)
    hub.attach(Source.of(2))
    hub.close()
    assert run.result(SECONDS) == [1, 2]


def test_a_source_that_owes_elements_is_let_be(system):
    going = []

    def cancel():
        going[0].drain()

    going.append(system.start(Source.never().to(Sink.list()).watched(SOON)))
    assert not going[0].wait(6 * SOON)
    cancel()
    assert going[0].result(SECONDS) == []
    inner = Source.of(1).flat_map(lambda _: Source.never()).to(Sink.list())
    going[0] = system.start(inner.watched(SOON))
    assert not going[0].wait(6 * SOON)
    cancel()
    assert going[0].result(SECONDS) == []


def test_a_stage_that_is_at_work_is_let_be(system):
    gate = threading.Event()
    graph = Source.of(1).map(lambda x: gate.wait(SECONDS) and x).to(Sink.list())
    assert let_be(system, graph, gate.set) == [1]


def test_a_run_that_waits_for_a_foreign_publisher_is_let_be(system):
    feed = Feed()
    graph = Source.from_publisher(feed).take(1).to(Sink.list())

    def moves():
        feed.subscriber.on_next(5)

    assert let_be(system, graph, moves) == [5]


def test_several_graphs_in_one_run_are_watched_as_the_strictest_says(system):
    one, other = Source.repeat(1).broadcast(2)
    stuck = one.zip(other.skip(100_000)).to(Sink.list())
    with pytest.raises(Stalled):
        system.start(Graph(stuck.watched(SOON), Source.of(1).to(Sink.list()))).result(SECONDS)
    monitored = stuck.watched(SOON).monitored()
    with pytest.raises(Stalled):
        system.start(monitored).result(SECONDS)


def test_a_system_watches_the_graphs_that_are_not_watched_by_themselves():
    one, other = Source.repeat(1).broadcast(2)
    stuck = one.zip(other.skip(100_000)).to(Sink.list())
    with ActorSystem(workers=2, stall_after=SOON) as system:
        with pytest.raises(Stalled):
            system.start(stuck).result(SECONDS)
        patient = system.start(stuck.watched(100 * SECONDS))
        assert not patient.wait(4 * SOON)
        patient.cancel()


@pytest.mark.parametrize("end", ["completed", "cancelled"])
def test_a_run_that_has_ended_is_not_kept_until_the_next_look(end):
    with ActorSystem(workers=2, stall_after=100 * SECONDS) as system:
        source = Source.of(1) if end == "completed" else Source.never()
        run = system.start(source.to(Sink.list()))
        gone = weakref.ref(run)
        if end == "cancelled":
            run.cancel()
        assert run.wait(SECONDS)
        del run

        def is_gone():
            gc.collect()
            return gone() is None

        wait_until(is_gone)


def test_a_system_refuses_a_time_to_wait_that_is_none():
    for seconds in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="stall_after must be more than 0 seconds, got"):
            ActorSystem(stall_after=seconds)


def test_the_time_to_wait_must_be_some():
    graph = Source.of(1).to(Sink.list())
    for seconds in (0, -1):
        with pytest.raises(ValueError, match="watched: stall_after must be above 0 seconds"):
            graph.watched(seconds)
    with pytest.raises(TypeError):
        graph.watched("soon")


def test_a_stage_that_ends_slowly_is_no_standstill(monkeypatch):
    looks, enough = [], threading.Event()
    look_at = StallWatch._look_at

    def looked(watch, scope, known):
        look_at(watch, scope, known)
        looks.append(1)
        if len(looks) > 20:  # for longer than a run may stand still
            enough.set()

    monkeypatch.setattr(StallWatch, "_look_at", looked)
    with ActorSystem(workers=2, stall_after=SOON, shutdown_timeout=SECONDS) as system:
        source = Source.unfold_resource(lambda: 0, lambda _: 0, lambda _: enough.wait(SECONDS))
        assert system.start(source.take(1).to(Sink.list())).result(SECONDS) == [0]
    assert enough.is_set()
