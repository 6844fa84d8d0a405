"""Functions that get values and give values, made to take and give tracked ones."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from typing import Any

from actors_rs.delivery.ack import Tracked

__all__ = ["carrying_call", "of_value"]


def of_value(f: Callable[[Any], Any]) -> Callable[[Tracked], Any]:
    """``f`` of the value that comes with a token."""
    return lambda tracked: f(tracked.value)


def carrying_call(f: Callable[[Any], Any]) -> Callable[[Tracked], Any]:
    """``f`` as ``map_async`` takes it, its result with the token of its argument.

    Whether it returns a value, a coroutine or a future, it does so still.
    """
    if inspect.iscoroutinefunction(f):
        return _carrying_coroutine(f)

    def call(tracked: Tracked) -> Any:
        result = f(tracked.value)
        if inspect.iscoroutine(result):
            return _awaited(result, tracked)
        if isinstance(result, Future):
            return _chained(result, tracked)
        return Tracked(result, tracked.token)

    return call


def _carrying_coroutine(
    f: Callable[[Any], Awaitable[Any]],
) -> Callable[[Tracked], Awaitable[Tracked]]:
    """The same for a coroutine function."""

    async def call(tracked: Tracked) -> Tracked:
        return Tracked(await f(tracked.value), tracked.token)

    return call


async def _awaited(result: Awaitable[Any], tracked: Tracked) -> Tracked:
    return Tracked(await result, tracked.token)


def _chained(future: Future[Any], tracked: Tracked) -> Future[Tracked]:
    """A future that follows ``future``; cancelling it cancels that one."""
    chained: Future[Tracked] = Future()

    def follow(done: Future[Any]) -> None:
        if not chained.set_running_or_notify_cancel():
            return
        error = done.exception() if not done.cancelled() else RuntimeError("it was cancelled")
        if error is not None:
            chained.set_exception(error)
        else:
            chained.set_result(Tracked(done.result(), tracked.token))

    future.add_done_callback(follow)
    chained.add_done_callback(lambda it: future.cancel() if it.cancelled() else None)
    return chained
