"""Functions that get values and give values, made to take and give tracked ones."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, Future
from typing import Any

from actors_rs.delivery.ack import Tracked
from actors_rs.stages.calls.call import awaited, is_answer
from actors_rs.stages.functions import is_coroutine_function

__all__ = ["CarryingExecutor", "carrying_call", "carrying_fallback", "of_value", "value_in"]


def of_value(f: Callable[[Any], Any]) -> Callable[[Tracked], Any]:
    """``f`` of the value that comes with a token."""
    return lambda tracked: f(tracked.value)


def carrying_call(f: Callable[[Any], Any]) -> Callable[[Tracked], Any]:
    """``f`` as ``map_async`` takes it, its result with the token of its argument.

    Whether it returns a value, an awaitable, a future or an actor's answer, it does so still.
    """
    if is_coroutine_function(f):
        return _carrying_coroutine(f)

    def call(tracked: Tracked) -> Any:
        return _with_token(f(tracked.value), tracked)

    return call


def carrying_fallback(logic: Any) -> None:
    """Let the ``fallback`` of ``logic`` see values, and what it gives have the element's token."""
    if (fallback := logic.fallback) is not None:
        f = fallback.f
        fallback.f = lambda tracked, error: Tracked(f(tracked.value, error), tracked.token)


def _with_token(result: Any, tracked: Tracked) -> Any:
    """``result``, or what comes of it, as an element in place of ``tracked``."""
    if isinstance(result, Future):
        return _chained(result, tracked)
    if is_answer(result):
        return result.map(lambda value: _with_token(value, tracked))
    if inspect.isawaitable(result):
        return _awaited(result, tracked)
    return Tracked(result, tracked.token)


def value_in(element: Any) -> Any:
    """``element``, without the token that it may come with."""
    return element.value if isinstance(element, Tracked) else element


class CarryingExecutor:
    """``executor``, which is given the user's function and the value: both may be pickled."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def submit(self, f: Callable[[Any], Any], tracked: Tracked, /) -> Future[Any]:
        """The call's result, with the token of its argument."""
        return _chained(self._executor.submit(f, tracked.value), tracked)


def _carrying_coroutine(
    f: Callable[[Any], Awaitable[Any]],
) -> Callable[[Tracked], Awaitable[Tracked]]:
    """The same for a coroutine function."""

    async def call(tracked: Tracked) -> Tracked:
        return Tracked(await f(tracked.value), tracked.token)

    return call


async def _awaited(result: Awaitable[Any], tracked: Tracked) -> Tracked:
    return Tracked(await awaited(result), tracked.token)


def _chained(future: Future[Any], tracked: Tracked) -> Future[Any]:
    """A future that follows ``future``; cancelling it cancels that one."""
    chained: Future[Any] = Future()

    def follow(done: Future[Any]) -> None:
        if not chained.set_running_or_notify_cancel():
            return
        error = done.exception() if not done.cancelled() else RuntimeError("it was cancelled")
        if error is not None:
            chained.set_exception(error)
        else:
            chained.set_result(_with_token(done.result(), tracked))

    future.add_done_callback(follow)
    chained.add_done_callback(lambda it: future.cancel() if it.cancelled() else None)
    return chained
