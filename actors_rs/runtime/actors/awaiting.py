"""Coroutines that wait for something which comes from any thread; threads that must not wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import partial
from sys import modules
from typing import Any

from actors_rs.errors import BlockingError, IllegalStateError

__all__ = ["Awaiting", "Until", "check_no_running_loop", "check_not_on_trio"]

ON_TRIO = (
    "await what 'actors_rs.interop.anyio' has (run_async, iterate, ask_async), or "
    "'trio.to_thread.run_sync(...)' with the call that waits"
)
"""What to write where one call on trio is as good as another."""
RUN_ELSEWHERE = (
    "in a stage let flat_map run the source, or call the function with map_async; in an actor "
    "await the run in an 'async def' handler, or set dispatcher = 'pinned'"
)
"""What to write where a function on a shared thread would wait for a run."""


def check_no_running_loop(what: str, instead: str, on_trio: str) -> None:
    """Raise ``BlockingError`` on a thread with a running event loop, of asyncio or of trio.

    A wait there would stop all coroutines of the loop. ``instead`` and ``on_trio`` are the code to
    write. Cells of a notebook may wait: the kernel's loop stands still while a cell runs.
    """
    if asyncio._get_running_loop() is not None:
        loop = "the event loop"
    elif _trio_runs():
        loop, instead = "trio's event loop", on_trio
    else:
        return
    if not _in_notebook():
        raise BlockingError(f"{what} would block {loop} that runs on this thread: write {instead}")


def check_not_on_trio(what: str, on_trio: str) -> None:
    """Raise ``IllegalStateError`` in a coroutine of trio; ``on_trio`` is the code to write."""
    if _trio_runs() and asyncio._get_running_loop() is None:
        raise IllegalStateError(f"{what} needs an event loop of asyncio, got trio's: {on_trio}")


def _trio_runs() -> bool:
    """Whether trio runs on this thread. A program that has not imported it does not run it."""
    in_trio_run: Any = getattr(modules.get("trio.lowlevel"), "in_trio_run", None)
    return in_trio_run is not None and in_trio_run() is True


def _in_notebook() -> bool:
    ipython = modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class Awaiting:
    """Coroutines that wait for one event, each on its own loop. Thread-safe, without a lock."""

    def __init__(self) -> None:
        self._waiters: dict[object, Callable[[], object]] = {}

    def until(
        self, there: Callable[[], bool], seconds: float | None = None
    ) -> Generator[Any, None, None]:
        """Wait, in a coroutine, until ``there()``, or for ``seconds``.

        A cancelled wait leaves nothing registered. Make ``there()`` true before you call ``wake``.
        Raises ``RuntimeError`` where no asyncio loop runs, and ``IllegalStateError`` on trio.
        """
        check_not_on_trio("this await", ON_TRIO)
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self.enter(waiter, partial(loop.call_soon_threadsafe, _wake, waiter))
        tick = None if seconds is None else loop.call_later(seconds, _wake, waiter)
        try:
            if not there():  # now registered, so ``wake`` finds it
                yield from waiter
        finally:
            self.leave(waiter)
            if tick is not None:
                tick.cancel()

    def enter(self, waiter: object, wake: Callable[[], object]) -> None:
        """Call ``wake``, on any thread, each time there is news, until ``waiter`` leaves."""
        self._waiters[waiter] = wake

    def leave(self, waiter: object) -> None:
        """``waiter`` waits no more."""
        self._waiters.pop(waiter, None)

    def wake(self) -> None:
        """It is there: wake all, unless their loops were closed. Does not wait."""
        if self._waiters:
            for wake in tuple(self._waiters.copy().values()):
                with suppress(RuntimeError):
                    wake()


class Until:
    """To be awaited: ends once ``there``, or when there is news. For other loops, see ``enter``.

    On asyncio it ends after ``seconds`` too, if they are given.
    """

    __slots__ = ("awaiting", "seconds", "there")

    def __init__(
        self, awaiting: Awaiting, there: Callable[[], bool], seconds: float | None = None
    ) -> None:
        self.awaiting = awaiting
        self.there = there
        self.seconds = seconds

    def __await__(self) -> Generator[Any, None, None]:
        return self.awaiting.until(self.there, self.seconds)


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
