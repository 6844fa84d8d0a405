# mypy: disable-error-code="assignment, attr-defined, union-attr, var-annotated"
"""``Run``: results, ends, failures, and that nothing is left behind."""

import asyncio
import gc
import json
import math
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from actors_rs import ActorSystem, Graph, Run, Sink, Source, merge
from actors_rs.engine.inner.totals import InnerTotals
from actors_rs.errors import (
    BlockingError,
    CallExitError,
    InvalidArgumentError,
    RunCancelled,
    StageError,
)
from actors_rs.runtime._primitives import living_threads
from tests.graph.helpers import SECONDS, leave_by_an_exception, leaves_by, run, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def fails(n):
    raise KeyError(n)


def test_a_run_has_the_result_of_its_sink_and_ends_completed(system):
    going = system.start(Source.range(0, 10).to(Sink.sum()))
    assert going.result(SECONDS) == 45
    assert going.done()
    assert going.state == "completed"
    assert going.result(0) == 45, "and again"


def test_several_sinks_are_one_run_with_results_in_their_order(system):
    a, b, c = Source.range(0, 100).broadcast(3)
    graph = Graph(a.to(Sink.sum()), b.take(3).to(Sink.list()), c.to(Sink.count()))
    assert system.start(graph).result(SECONDS) == (4950, [0, 1, 2], 100)


def test_sources_without_a_link_between_them_can_share_a_run(system):
    graph = Graph(Source.of(1).to(Sink.list()), Source.of(2).to(Sink.list()))
    assert system.start(graph).result(SECONDS) == ([1], [2])


def test_waiting_ends_with_the_timeout_and_the_run_goes_on(system):
    going = system.start(Source.never().to(Sink.list()))
    with pytest.raises(TimeoutError, match=r"had not ended after 0\.01 seconds"):
        going.result(0.01)
    assert not going.wait(0.01)
    assert going.state == "running"
    going.cancel()
    with pytest.raises(RunCancelled):
        going.result(SECONDS)


@pytest.mark.parametrize("timeout", ["3", True, math.nan])
@pytest.mark.parametrize("wait", [Run.result, Run.wait, Run.drain])
def test_a_timeout_that_is_no_number_is_refused_and_no_wait_for_ever(system, wait, timeout):
    run = system.start(Source.never().to(Sink.list()))
    with pytest.raises(InvalidArgumentError, match="timeout must be a number of seconds, got"):
        wait(run, timeout)
    assert not run._scope.draining
    run.cancel()
    run.wait(SECONDS)
    with pytest.raises(InvalidArgumentError, match="timeout must be a number of seconds, got"):
        wait(run, timeout)  # behind the end as before it


def test_a_timeout_error_of_the_users_is_no_timeout_of_the_wait(system):
    going = system.start(Source.failed(TimeoutError("mine")).to(Sink.list()))
    with pytest.raises(TimeoutError, match="mine"):
        going.result(SECONDS)


def test_a_run_can_be_awaited_and_giving_up_the_wait_does_not_end_it(system):
    going = system.start(merge(Source.of(1, 2), Source.never()).to(Sink.list()))
    wait_until(lambda: going.snapshot().stages[-1].elements_in == 2)

    async def wait():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(going, 0.01)
        assert not going.done()
        going.drain()
        return await asyncio.wait_for(going, SECONDS)

    assert asyncio.run(wait()) == [1, 2]


def test_cancelling_ends_the_run_and_every_stage(system):
    going = system.start(Source.repeat(1).map(lambda n: n).filter(bool).to(Sink.ignore()))
    wait_until(lambda: going.snapshot().stages[-1].elements_in > 10)
    going.cancel()
    going.cancel()
    with pytest.raises(RunCancelled):
        going.result(SECONDS)
    assert going.state == "cancelled"
    wait_until(lambda: not system.children())


def test_cancelling_after_the_end_changes_nothing(system):
    going = system.start(Source.of(1).to(Sink.list()))
    assert going.result(SECONDS) == [1]
    going.cancel()
    going.drain()
    assert going.result(SECONDS) == [1]


def test_draining_delivers_what_is_in_hand_and_completes(system):
    seen = []

    def endless():
        n = 0
        while True:
            seen.append(n)
            yield n
            n += 1

    flow = Source.from_iterable(endless).map_async(lambda n: n, 4).batch(7)
    going = system.start(flow.to(Sink.list()))
    wait_until(lambda: len(seen) > 100)
    going.drain()
    got = [n for batch in going.result(SECONDS) for n in batch]
    assert got == seen


def test_a_snapshot_is_plain_data_at_any_time(system):
    a, b = (
        Source.range(0, 1000).map_async(lambda n: n, 3).named("calls").partition(2, lambda n: n % 2)
    )
    going = system.start(Graph(a.batch(10).to(Sink.count()), b.to(Sink.count())))
    json.dumps(going.snapshot().as_dict())
    going.result(SECONDS)
    snapshot = going.snapshot()
    assert json.loads(json.dumps(snapshot.as_dict()))["state"] == "completed"
    stages = {stage.name: stage for stage in snapshot.stages}
    assert stages["range"].elements_out == 1000
    assert stages["calls"].elements_in == stages["calls"].elements_out == 1000
    assert stages["partition"].elements_out == 1000
    assert stages["batch"].elements_out == 50
    assert {stage.state for stage in snapshot.stages} == {"ended"}
    assert all(abs(s.busy + s.idle + s.back_pressured - 1) < 1e-6 for s in snapshot.stages)


def test_a_failure_names_the_stage_the_element_the_cause_and_the_line(system):
    flow = Source.range(0, 10).map(lambda n: 1 // (n - 4)).named("divide")
    with pytest.raises(
        StageError, match=r"stage 'divide' failed at element 4: ZeroDivision"
    ) as caught:
        system.start(flow.to(Sink.list())).result(SECONDS)
    error = caught.value
    assert (error.stage, error.position) == ("divide", 4)
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert "test_run.py:" in error.site
    assert str(error).endswith(f"(made at {error.site})")


def test_other_failures_of_the_run_are_attached_to_the_first(system):
    both = threading.Barrier(2, timeout=SECONDS)

    def meet(n):
        both.wait()
        raise KeyError(n)

    one, two = (Source.of(n).map_async(meet, 1).to(Sink.list()) for n in (1, 2))
    with pytest.raises(StageError) as caught:
        system.start(Graph(one, two)).result(SECONDS)
    assert [type(other) for other in caught.value.others] == [StageError]
    assert caught.value.others[0] is not caught.value


def test_others_are_attached_to_an_error_that_is_not_ours_too(system):
    first = OSError("first")
    graph = Graph(Source.failed(first).to(Sink.list()), Source.failed(KeyError(2)).to(Sink.list()))
    with pytest.raises((OSError, KeyError)) as caught:
        system.start(graph).result(SECONDS)
    assert len(caught.value.others) == 1


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit, MemoryError])
@pytest.mark.parametrize("place", ["map", "for_each", "iterator", "flat_map"])
def test_what_no_restart_cures_ends_its_system_and_no_other_and_is_raised(system, kind, place):
    def leave(n):
        raise kind("leave")

    def leaving():
        yield 1
        leave(1)

    living = system.start(Source.never().to(Sink.list()))
    source, sink = Source.of(1), Sink.list()
    flow = {
        "map": lambda: source.map(leave),
        "flat_map": lambda: source.flat_map(leave),
        "iterator": lambda: Source.from_iterable(leaving),
        "for_each": lambda: source,
    }[place]()
    if place == "for_each":
        sink = Sink.for_each(leave)
    leaves_by(kind, flow.to(sink))
    assert not living.done()
    assert run(Source.of(1).to(Sink.list())) == [1]


def test_a_failure_while_an_iterator_is_closed_is_not_lost(system):
    def rude():
        try:
            yield from range(10**9)
        finally:
            raise KeyError("rude")

    with pytest.raises(StageError, match="KeyError: 'rude'"):
        system.start(Source.from_iterable(rude).take(2).to(Sink.list())).result(SECONDS)


def test_leaving_the_system_drains_what_runs():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        going = system.start(merge(Source.of(1, 2), Source.never()).to(Sink.list()))
        wait_until(lambda: going.snapshot().stages[-1].elements_in == 2)
    assert going.result(0) == [1, 2]


def test_leaving_the_system_by_an_exception_cancels_what_runs():
    system = ActorSystem(shutdown_timeout=SECONDS)
    going = system.start(Source.repeat(1).to(Sink.ignore()))
    leave_by_an_exception(system)
    assert going.state == "cancelled"


def test_a_pool_thread_may_not_wait_for_a_run(system):
    def wait(_):
        return system.start(Source.never().to(Sink.list())).result()

    with pytest.raises(StageError) as caught:
        system.start(Source.of(1).map(wait).to(Sink.list())).result(SECONDS)
    assert isinstance(caught.value.__cause__, BlockingError)


def test_a_run_begun_in_a_stage_on_a_pool_thread_is_refused_at_once_and_leaves_no_thread():
    flow = Source.range(0, 50).map(lambda n: Source.of(n).run(Sink.list())).on_failure("resume")
    before = len(living_threads())
    assert flow.run(Sink.count()) == 0
    assert len(living_threads()) == before
    with pytest.raises(StageError, match="let flat_map run the source, or call the function with"):
        flow.on_failure("stop").run(Sink.count())


def test_a_run_begun_where_a_stage_may_wait_is_like_any_other():
    def total(n):
        return Source.range(0, n).run(Sink.sum())

    assert Source.of(3, 4).map_async(total, 2).run(Sink.list()) == [3, 6]
    pinned = Source.of(3, 4).map(total).with_attributes(dispatcher="pinned")
    assert pinned.run(Sink.list()) == [3, 6]


@pytest.mark.parametrize("end", ["completed", "failed", "cancelled"])
def test_no_thread_and_no_stage_is_left_behind(end):
    before = set(living_threads())
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        flow = Source.range(0, 100) if end == "completed" else Source.repeat(1)
        if end == "failed":
            flow = flow.skip(1000).map(fails)
        flow = flow.map_async(lambda n: n, 4).batch(3, within=60)
        going = system.start(flow.with_attributes(dispatcher="pinned").to(Sink.ignore()))
        stages = [weakref.ref(stage) for stage in system.children()]
        members = [one for stage in stages if stage() is not None for one in stage().planned]
        logics = [weakref.ref(member.logic) for member in members]
        if end == "cancelled":
            wait_until(lambda: going.snapshot().stages[-1].elements_in > 10)
            going.cancel()
        assert going.wait(SECONDS)
        assert going.state == end
        going = flow = members = None
        wait_until(lambda: not system.children())
        wait_until(lambda: gc.collect() is not None and not any(ref() for ref in stages + logics))
    left = [one for one in living_threads() if one not in before and one.is_alive()]
    assert left == []


def test_a_stage_may_start_further_runs(system):
    seen = []

    def start(n):
        return system.start(Source.range(0, n).to(Sink.for_each(seen.append)))

    runs = system.start(Source.of(2, 3).map(start).to(Sink.list())).result(SECONDS)
    assert [one.result(SECONDS) for one in runs] == [2, 3]
    assert sorted(seen) == [0, 0, 1, 1, 2]


def test_the_bottleneck_is_the_stage_that_was_busy_also_when_those_before_it_ended_early():
    gate = threading.Event()

    def last_one_waits(n):
        if n == 49:
            gate.wait(SECONDS)
        return n

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        quick = Source.range(0, 50).map(str).map(int).named("quick")
        run = system.start(quick.map(last_one_waits).named("slow").to(Sink.count()))
        wait_until(lambda: run.snapshot().stages[3].busy > 0.9)
        snapshot = run.snapshot()
        assert snapshot.bottleneck is snapshot.stages[3]
        assert snapshot.stages[2].idle > 0.5, "an ended stage is idle"
        gate.set()
        run.result(SECONDS)


def test_whoever_asks_for_the_result_of_a_failed_run_is_not_kept_by_its_error(system):
    class Local:
        """What a caller has in hand."""

    def ask():
        local = Local()
        with pytest.raises(StageError) as caught:
            going.result(SECONDS)
        return weakref.ref(local), len(caught.traceback)

    going = system.start(Source.of(0).map(lambda n: 1 // n).to(Sink.list()))
    asked = [ask() for _ in range(4)]
    gc.collect()
    assert [one() for one, _ in asked[:-1]] == [None] * 3  # the last one is in the traceback
    assert len({length for _, length in asked}) == 1


def test_what_is_collected_while_a_stage_ends_may_cancel_that_run(system, monkeypatch):
    class Cycle:
        def __init__(self, run):
            self.me, self.run = self, run

        def __del__(self):
            self.run.cancel()

    def add(totals, stage):  # is called in the middle
        gc.collect()
        real_add(totals, stage)

    real_add = InnerTotals.add
    monkeypatch.setattr(InnerTotals, "add", add)
    inner = Source.range(0, 2).map_async(str, 1)
    going = system.start(Source.repeat(1).flat_map(lambda _: inner, breadth=2).to(Sink.ignore()))
    Cycle(going)
    assert going.wait(SECONDS)
    assert going.state == "cancelled"


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit])
@pytest.mark.parametrize("how", ["thread", "coroutine", "executor", "key"])
def test_an_exit_in_a_call_of_map_async_fails_its_element_alone(system, kind, how):
    def leave(n):
        if n == 2:
            raise kind("leave")
        return n

    async def leave_later(n):
        return leave(n)

    with ThreadPoolExecutor(1) as executor:
        f = leave_later if how == "coroutine" else leave
        on, key = (executor if how == "executor" else None), (abs if how == "key" else None)
        flow = Source.range(0, 5).map_async(f, 2, executor=on, key=key).on_failure("resume")
        assert sorted(system.start(flow.to(Sink.list())).result(SECONDS)) == [0, 1, 3, 4]
    (letter,) = system.dead_letters.recent()
    assert letter.what == 2
    assert isinstance(letter.error.__cause__, CallExitError)
    assert isinstance(letter.error.__cause__.__cause__, kind)
