"""Runs, loops and questions to actors on any event loop that anyio knows: asyncio or trio.

    from actors_rs.interop.anyio import iterate, run_async

    async def main():
        total = await run_async(Source.range(0, 100).to(Sink.sum()))
        async for row in iterate(Source.csv("orders.csv")):
            print(row)

    trio.run(main)

A scope that is cancelled cancels the run, and its end is awaited.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Never, TypeVar

from actors_rs.engine.loops.iteration import Iteration
from actors_rs.errors import MissingExtraError, RunTimeout
from actors_rs.language.flow import Flow
from actors_rs.language.graph import Graph
from actors_rs.language.running import check_running
from actors_rs.runtime.actors.actor_ref import PooledActorRef
from actors_rs.runtime.actors.awaiting import Until
from actors_rs.runtime.actors.late_answer import late_answer
from actors_rs.runtime.settings import check_timeout
from actors_rs.runtime.system.default_system import start_graph
from actors_rs.runtime.system.system import ActorSystem

__all__ = ["ask_async", "iterate", "run_async"]

R = TypeVar("R")
T = TypeVar("T")


def _anyio() -> Any:
    """The package; ``MissingExtraError`` where it is not installed."""
    try:
        import anyio
        import anyio.lowlevel
    except ImportError as error:
        raise MissingExtraError(
            "actors_rs.interop.anyio needs anyio: pip install 'actors-rs[anyio]'"
        ) from error
    return anyio


async def run_async(
    graph: Graph[R],
    *,
    system: ActorSystem | None = None,
    name: str | None = None,
    timeout: float | None = None,
) -> R:
    """Run ``graph`` and wait for its result, as ``await graph.run_async()`` does on asyncio.

    ``system``, ``name`` and ``timeout`` are as there, and so are the errors.

    >>> import trio
    >>> from actors_rs.interop.anyio import run_async
    >>> trio.run(run_async, Source.of(2, 3).to(Sink.sum()))
    5
    """
    seconds = check_running("run_async", system, name, timeout)
    run = start_graph(graph, system, name)
    try:
        with _anyio().move_on_after(seconds):
            await _until(run._end.until_over())
        if seconds is not None and not run.done():
            raise RunTimeout(run.name, seconds, run._scope.waits_for())
    finally:
        if not run.done():
            run.cancel()
            with _anyio().CancelScope(shield=True):  # its ``cancel_grace`` bounds this
                await _until(run._end.until_over())
    run._end.raise_error()
    result: R = run._end.result()
    return result


async def ask_async(ref: PooledActorRef[Any], message: Any, *, timeout: float | None = None) -> Any:
    """Send ``message`` to the actor ``ref`` and wait for the answer; ``ref.ask_async`` for anyio.

    ``timeout`` is in seconds, default: none. Raises the same errors as ``ref.ask``. A scope that is
    cancelled gets no answer, but the actor handles the message.

    >>> import trio
    >>> from actors_rs.interop.anyio import ask_async
    >>> class Greeter(PooledActor):
    ...     def on_receive(self, message):
    ...         return f"Hello {message}"
    >>> with ActorSystem() as system:
    ...     trio.run(ask_async, system.spawn(Greeter), "Ada")
    'Hello Ada'
    """
    check_timeout(timeout)
    answer: Any = ref.ask(message, block=False)
    with _anyio().move_on_after(timeout):
        await _until(Until(answer._all_awaiting(), answer._is_there))
    if not answer._is_there():
        raise late_answer(timeout, (ref, message))
    return answer.get()


def iterate(
    source: Flow[Never, T],
    *,
    system: ActorSystem | None = None,
    name: str | None = None,
    window: int = 16,
) -> Iteration[T]:
    """The elements of one run of ``source`` for ``async for``; ``source.iterate()`` for anyio.

    ``system``, ``name`` and ``window`` are as there. ``async with iterate(source) as rows`` waits
    for the end of the run as well.

    >>> import trio
    >>> from actors_rs.interop.anyio import iterate
    >>> async def main():
    ...     return [row async for row in iterate(Source.of("a", "b"))]
    >>> trio.run(main)
    ['a', 'b']
    """
    return _AnyioIteration(source.iterate(system=system, name=name, window=window)._begin)


class _AnyioIteration(Iteration[T]):
    """Waits by anyio's means."""

    __slots__ = ()

    async def wait_for(self, news: Until) -> None:
        await _until(news)

    async def let_others(self) -> None:
        await _anyio().lowlevel.checkpoint()

    async def aclose(self) -> None:
        with _anyio().CancelScope(shield=True):
            await super().aclose()


async def _until(news: Until) -> None:
    event = _anyio().Event()
    news.awaiting.enter(event, _waker(event))
    try:
        if not news.there():
            await event.wait()
    finally:
        news.awaiting.leave(event)


def _waker(event: Any) -> Callable[[], Any]:
    """What sets ``event`` from any thread; raises ``RuntimeError`` once the loop has ended."""
    loop = asyncio._get_running_loop()
    if loop is not None:
        return partial(loop.call_soon_threadsafe, event.set)
    from trio.lowlevel import current_trio_token

    return partial(current_trio_token().run_sync_soon, event.set)
