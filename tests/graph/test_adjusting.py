"""A run that is going on can be paused and adjusted."""

import itertools
from concurrent.futures import Future
from typing import Any

import pytest

from actors_rs import ActorSystem, RateLimit, Sink, Source
from actors_rs.engine.run.adjusting import adjustable, pause, set_parallelism, set_rate
from actors_rs.errors import InvalidArgumentError
from tests.graph.helpers import wait_until


def _scope(run):
    return run._scope


def _is_paused(run, name):
    return next(s for s in run._scope.stages() if s.name == name).paused


@pytest.fixture
def system():
    with ActorSystem(workers=2) as system:
        yield system


def endless():
    return Source.from_iterable(itertools.count()).named("numbers")


def test_a_paused_source_gives_nothing_until_it_is_resumed(system):
    seen: list[int] = []
    run = system.start(endless().to(Sink.for_each(seen.append)))
    wait_until(lambda: len(seen) > 100)
    pause(_scope(run), "numbers", True)
    wait_until(lambda: _is_paused(run, "numbers"))
    given = run.snapshot().stages[0].elements_out
    wait_until(lambda: len(seen) == given)
    assert not run.wait(0.8), "a pause is no stall"
    assert run.snapshot().stages[0].elements_out == given
    pause(_scope(run), "numbers", False)
    wait_until(lambda: len(seen) > given)
    run.cancel()


@pytest.mark.parametrize("end", ["drain", "cancel"])
def test_a_paused_run_can_be_ended(system, end):
    run = system.start(endless().to(Sink.ignore()))
    pause(_scope(run), "numbers", True)
    wait_until(lambda: _is_paused(run, "numbers"))
    getattr(run, end)()
    assert run.wait(10)
    assert run.state == {"drain": "completed", "cancel": "cancelled"}[end]


def test_a_rate_is_changed_while_elements_wait(system):
    limit = RateLimit(1, per=3600, burst=1)
    graph = Source.from_iterable(range(50)).throttle(limit).named("brake").to(Sink.list())
    run = system.start(graph)
    set_rate(_scope(run), "brake", 1e6)
    assert run.result(20) == list(range(50))
    assert limit.n / limit.per == pytest.approx(1e6)


@pytest.mark.parametrize(("first", "then"), [(1, 5), (6, 2)])
def test_a_parallelism_is_changed_while_calls_are_under_way(system, first, then):
    open_calls: list[Future[int]] = []

    def call(number):
        open_calls.append(Future())
        return open_calls[-1]

    graph = endless().map_async(call, parallelism=first).named("calls").to(Sink.ignore())
    run = system.start(graph)
    wait_until(lambda: len(open_calls) == first)
    set_parallelism(_scope(run), "calls", then)

    def settle():
        for one in list(open_calls):
            if not one.done():
                one.set_result(1)
        return len(open_calls) > 50

    def under_way():
        return run.snapshot().stages[1].details

    wait_until(lambda: under_way()["parallelism"] == then)
    wait_until(settle)
    wait_until(lambda: sum(not one.done() for one in list(open_calls)) == then)
    run.cancel(0.1)
    for one in open_calls:
        one.cancel()


def test_coroutines_keep_a_lower_parallelism(system):
    import asyncio

    now = most = 0

    async def call(number):
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1

    run = system.start(endless().map_async(call, parallelism=6).named("calls").to(Sink.ignore()))
    wait_until(lambda: most == 6)
    set_parallelism(_scope(run), "calls", 2)
    wait_until(lambda: run.snapshot().stages[1].details["parallelism"] == 2)
    wait_until(lambda: run.snapshot().stages[1].details["under_way"] <= 2)
    most = 0
    before = run.snapshot().stages[1].elements_out
    wait_until(lambda: run.snapshot().stages[1].elements_out > before + 20)
    most = 0
    wait_until(lambda: run.snapshot().stages[1].elements_out > before + 200)
    assert most <= 2
    run.cancel()


def test_what_cannot_be_adjusted_is_refused_with_its_name(system):
    run = system.start(endless().map(str).named("text").to(Sink.ignore()))
    scope = _scope(run)
    with pytest.raises(InvalidArgumentError, match="'text', which takes elements"):
        pause(scope, "text", True)
    with pytest.raises(InvalidArgumentError, match="'text' has no RateLimit"):
        set_rate(scope, "text", 1)
    with pytest.raises(InvalidArgumentError, match="'text' makes no parallel calls"):
        set_parallelism(scope, "text", 1)
    with pytest.raises(InvalidArgumentError, match="got 'nobody'"):
        pause(scope, "nobody", True)
    assert [adjustable(stage) for stage in scope.stages()] == [{}, {}, {}]
    run.cancel()


def test_a_parallelism_is_a_whole_number_in_bounds(system):
    run = system.start(endless().map_async(str, parallelism=2).named("calls").to(Sink.ignore()))
    wrong: Any
    for wrong in (0, -1, 1.5, True, 10**9):
        with pytest.raises(InvalidArgumentError, match="whole number from 1 to 10000"):
            set_parallelism(_scope(run), "calls", wrong)
    run.cancel()
