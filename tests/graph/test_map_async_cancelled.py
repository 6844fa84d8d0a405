# mypy: disable-error-code="var-annotated"
"""Calls of ``map_async`` that are cancelled by others than their stage, or by themselves."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS, run


async def cancelled(n):
    if n == 1:
        task = asyncio.ensure_future(asyncio.sleep(3600))
        task.cancel()
        await task
    return n


def raising_it(n):
    if n == 1:
        raise asyncio.CancelledError
    return n


CANCELLED = {
    "coroutine": lambda s: s.map_async(cancelled, 1),
    "thread": lambda s: s.map_async(raising_it, 1),
    "stage": lambda s: s.map(raising_it),
}


@pytest.mark.parametrize("where", CANCELLED)
def test_a_task_of_the_users_that_was_cancelled_fails_its_stream_and_no_other(where):
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        other = system.start(Source.never().to(Sink.list()))
        flow = CANCELLED[where](Source.range(0, 3)).named("call")
        with pytest.raises(StageError, match=r"stage 'call' failed.*: CancelledError"):
            system.start(flow.to(Sink.list())).result(SECONDS)
        assert other.state == "running"
        assert system.start(Source.of(1).to(Sink.list())).result(SECONDS) == [1]
        other.drain(SECONDS)


def test_a_coroutine_that_was_cancelled_can_be_called_again_or_passed_over():
    flow = Source.range(0, 3).map_async(cancelled, 1)
    assert run(flow.on_failure("resume").to(Sink.list())) == [0, 2]
    calls = []

    async def cancelled_once(n):
        calls.append(n)
        return await cancelled(n if len(calls) == 2 else 0) + n

    assert run(Source.range(0, 3).map_async(cancelled_once, 1).retry().to(Sink.list())) == [0, 1, 2]
    assert calls == [0, 1, 1, 2] or calls == [0, 1, 2, 1]


async def survives_a_cancellation(n):
    task = asyncio.current_task()
    assert task is not None
    told_before = task.cancelling()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.sleep(0)
    return task, told_before


def test_a_coroutine_that_survived_a_cancellation_leaves_none_to_the_next():
    got = run(Source.range(0, 4).map_async(survives_a_cancellation, 1).to(Sink.list()))
    assert [told_before for _, told_before in got] == [0] * 4
    assert len({task for task, _ in got}) == 4, "each is a task of its own"


async def returns_with_a_cancellation_pending(n):
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    return n


def test_a_coroutine_that_returns_in_spite_of_a_cancellation_gives_its_result_and_its_place():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        flow = Source.range(0, 3).map_async(returns_with_a_cancellation_pending, 1)
        assert system.start(flow.to(Sink.list())).result(SECONDS) == [0, 1, 2]


def test_a_call_whose_task_is_cancelled_before_it_begins_is_made_by_the_next_one():
    cancelled_early = list[asyncio.Task[Any]]()

    def cancel_one_before_it_begins(loop, coroutine, **options):
        task = asyncio.Task(coroutine, loop=loop, **options)
        if coroutine.__name__ == "_await_next_call" and not cancelled_early:
            cancelled_early.append(task)
            task.cancel()
        return task

    async def square(n):
        asyncio.get_running_loop().set_task_factory(cancel_one_before_it_begins)
        return n * n

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        flow = Source.range(0, 5).map_async(square, 1)
        assert system.start(flow.to(Sink.list())).result(SECONDS) == [0, 1, 4, 9, 16]
    assert cancelled_early[0].cancelled()
