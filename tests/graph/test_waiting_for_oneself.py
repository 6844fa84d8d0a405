# mypy: disable-error-code="var-annotated"
"""A function of a run that waits for the end of that run is told that this cannot be."""

import asyncio
import threading

import pytest

from actors_rs import ActorSystem, Backoff, KillSwitch, Sink, Source
from actors_rs.errors import BlockingError, StageError, StreamError
from tests.graph.helpers import SECONDS


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def pinned(flow, f):
    return flow.map(f).with_attributes(dispatcher="pinned")


def on_helpers(flow, f):
    return flow.map_async(f, 2)


def within_a_section(flow, f):
    return pinned(flow, f).restart(Backoff(), max_restarts=0)


@pytest.mark.parametrize("apply", [pinned, on_helpers, within_a_section])
def test_a_function_that_waits_for_its_own_run_fails_instead_of_hanging(system, apply):
    runs, started = [], threading.Event()

    def wait_for_all(n):
        started.wait(SECONDS)
        return runs[0].result()

    runs.append(system.start(apply(Source.range(0, 3), wait_for_all).to(Sink.list())))
    started.set()
    with pytest.raises(StageError) as caught:
        runs[0].result(SECONDS)
    assert isinstance(caught.value.__cause__, BlockingError)
    assert "must not wait for its end, which waits for it" in str(caught.value.__cause__)


@pytest.mark.parametrize("apply", [pinned, on_helpers])
def test_a_function_may_wait_for_another_run(system, apply):
    def inner(n):
        return system.start(Source.range(0, n).to(Sink.sum())).result(SECONDS)

    assert system.start(apply(Source.of(3, 4), inner).to(Sink.list())).result(SECONDS) == [3, 6]


def started_within(system, n):
    return system.start(Source.range(0, n).map_async(doubled, 2).to(Sink.sum()))


async def doubled(n):
    return 2 * n


@pytest.mark.parametrize("wait", ["result", "own result"])
def test_a_coroutine_that_waits_for_a_run_of_its_system_is_told_at_once_to_await_it(system, wait):
    runs, started = [], threading.Event()

    async def blocks(n):
        await asyncio.to_thread(started.wait, SECONDS)
        return (runs[0] if wait == "own result" else started_within(system, n)).result()

    runs.append(system.start(Source.of(3).map_async(blocks, 1).to(Sink.list())))
    started.set()
    with pytest.raises(
        StageError, match=r"waiting for .* in a coroutine would block .*: await the run"
    ) as caught:
        runs[0].result(SECONDS)
    assert isinstance(caught.value.__cause__, BlockingError)


def test_a_coroutine_asks_whether_a_run_of_its_system_has_ended_without_waiting(system):
    never = system.start(Source.never().to(Sink.list()))

    async def look(n):
        return never.wait(), never.drain(SECONDS * n)

    answers = system.start(Source.of(1000).map_async(look, 1).to(Sink.list()))
    assert answers.result(SECONDS)[0][0] is False
    assert never.result(SECONDS) == []


def test_a_coroutine_may_await_a_run_of_its_system_and_one_of_another(system):
    async def awaits(n):
        return await started_within(system, n)

    async def awaits_another(n):
        async with ActorSystem() as other:
            return await started_within(other, n)

    for f in (awaits, awaits_another):
        flow = Source.of(3, 4).map_async(f, 2)
        assert system.start(flow.to(Sink.list())).result(SECONDS) == [6, 12]


@pytest.mark.parametrize("error", [StopIteration("over"), asyncio.CancelledError("over")])
def test_a_coroutine_hears_of_a_run_that_ended_with_what_it_cannot_raise(system, error):
    """For ever it would wait for the one; the other would say that it was cancelled itself."""
    switch = KillSwitch()
    switch.abort(error)

    async def wait():
        return await system.start(Source.never().kill_switch(switch).to(Sink.list()))

    async def in_time():
        async with asyncio.timeout(SECONDS), asyncio.TaskGroup() as group:
            group.create_task(wait())

    with pytest.raises(ExceptionGroup) as caught:
        asyncio.run(in_time())
    (raised,) = caught.value.exceptions
    assert isinstance(raised, StreamError)
    assert "which no coroutine can raise" in str(raised)
    assert raised.__cause__ is error
