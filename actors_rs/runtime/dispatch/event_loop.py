"""One asyncio event loop on a thread of its own, for the coroutines of stages.

The loop starts with the first coroutine and ends with the system, which cancels the remaining
coroutines. A coroutine is cancelled once, by its stage or at the end, and has the remaining time to
clean up. Shortly before that time is over, coroutines that still run are cancelled again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Future
from contextlib import closing, suppress
from contextvars import Context, copy_context
from functools import partial
from math import inf
from typing import Any, TypeAlias, TypeVar

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import (
    RLock,
    Thread,
    current_thread_id,
    monotonic,
    serve_coroutines,
)

__all__ = ["EventLoopThread"]

T = TypeVar("T")
Ended: TypeAlias = Callable[[], None] | None
LAST_SECONDS = 1.0
"""Seconds that remain after the second cancellation; at most a quarter of the time of ``close``."""
LOOK_EVERY = 0.02
"""Seconds after which ``close`` notices that it has less time."""
ENDS_OF_THE_PROCESS = (SystemExit, KeyboardInterrupt)
"""Exceptions of a coroutine that leave through its loop."""
logger = logger_called("actors_rs.runtime")


class EventLoopThread:
    """Runs coroutines. All methods may be called from any thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = RLock()  # the collector may run a ``__del__`` in here that ends the system
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._ident: int | None = None  # while it serves: another thread may get it afterwards
        self._closed = self._stopped = False
        # Waking a loop from outside costs as much as running a short coroutine: coroutines that
        # arrive together share one wake-up.
        self._arrived: deque[tuple[Coroutine[Any, Any, Any], Future[Any], Context, Ended]] = deque()
        self._woken = False
        self._running: dict[asyncio.Task[Any], Future[Any]] = {}
        self._abandoned: set[asyncio.Task[Any]] = set()
        self._late_at = 0.0  # by ``monotonic``; known from ``close`` on
        self._leave_at = inf  # from then on nobody waits for the thread

    def run(
        self,
        coroutine: Coroutine[Any, Any, T],
        context: Context | None = None,
        ended: Ended = None,
    ) -> Future[T]:
        """Start ``coroutine``; its result comes as a ``concurrent.futures.Future``.

        It runs in ``context``, which nobody else may use, by default in a copy of the caller's.
        ``ended`` is called on the loop when it has ended, which a cancelled future does not tell.
        Raises ``InvalidArgumentError`` after ``close``, and ``RuntimeError`` if the operating
        system gives no thread for the first one; the next one tries again.
        """
        future: Future[T] = Future()
        arrived = (coroutine, future, copy_context() if context is None else context, ended)
        with self._lock:  # until it is handed over: the loop may end right after that, not before
            if not self._closed:
                loop = self._loop or self._begin(coroutine)
                self._arrived.append(arrived)
                if not self._woken:
                    self._wake(loop)
                return future
        coroutine.close()
        raise InvalidArgumentError(f"'{self._name}' runs no more coroutines: its system has ended")

    def _wake(self, loop: asyncio.AbstractEventLoop) -> None:
        self._woken = True
        try:
            loop.call_soon_threadsafe(self._take_arrived)
        except BaseException:  # Ctrl-C: the next one wakes it, once too often if need be
            self._woken = False
            raise

    def is_current_thread(self) -> bool:
        """Whether the caller is one of the coroutines, or is called by one."""
        return self._ident == current_thread_id()

    def give_up(self, future: Future[Any]) -> bool:
        """Expect no end of the coroutine of ``future``, which was cancelled; whether it runs.

        The end of the loop does not wait for it, nor for the task that it waits for.
        """
        task = next((task for task, own in self._running.copy().items() if own is future), None)
        if task is None:
            return False
        while isinstance(task, asyncio.Task):
            self._abandoned.add(task)
            task.add_done_callback(self._abandoned.discard)
            task = getattr(task, "_fut_waiter", None)
        return True

    def close(self, timeout: float) -> tuple[str, ...]:
        """Cancel what runs, end the thread; its name if it was still busy after ``timeout`` s.

        Waits for the clean-up of what was cancelled, and never for the calling thread itself.
        """
        with self._lock:
            self._closed = True
            loop, thread, self._loop = self._loop, self._thread, None
            self._leave_at = min(self._leave_at, monotonic() + timeout)
        if loop is None or thread is None:
            return ()
        self._late_at = monotonic() + timeout - min(LAST_SECONDS, timeout / 4)
        loop.call_soon_threadsafe(self._stop)
        if self.is_current_thread():
            return ()
        while thread.is_alive() and (left := self._leave_at - monotonic()) > 0:
            thread.join(min(left, LOOK_EVERY))
        return (thread.name,) if thread.is_alive() else ()

    def hurry(self, seconds: float) -> None:
        """Let ``close``, under way or to come, wait for ``seconds`` at most."""
        with self._lock:
            self._leave_at = min(self._leave_at, monotonic() + seconds)

    def _stop(self) -> None:
        """On the loop, after all coroutines that arrived before the end."""
        self._stopped = True
        asyncio.get_running_loop().stop()

    def _take_arrived(self) -> None:
        """On the loop: make tasks of the coroutines that arrived."""
        self._woken = False  # before looking: what arrives from now on wakes the loop anew
        loop = asyncio.get_running_loop()
        while self._arrived:
            coroutine, future, context, ended = self._arrived.popleft()
            task = begin(loop, coroutine, future, self._running, context)
            if ended is not None:
                task.add_done_callback(partial(call_back, ended))

    def _begin(self, first: Coroutine[Any, Any, Any]) -> asyncio.AbstractEventLoop:
        """Start the thread; without one nothing is kept, for nobody would ever come to it."""
        loop = asyncio.new_event_loop()
        thread = Thread(target=self._serve, args=(loop,), name=self._name, daemon=True)
        if self._loop is not None:  # a ``__del__`` that ran in between needed one
            loop.close()
            return self._loop
        self._loop, self._thread = loop, thread
        try:
            thread.start()
        except BaseException:
            if not thread.begun:
                self._loop = self._thread = None
                loop.close()
            first.close()
            raise
        return loop

    def _serve(self, loop: asyncio.AbstractEventLoop) -> None:
        self._ident = current_thread_id()
        serve_coroutines()
        try:
            with closing(loop):
                self._run_to_the_end(loop)
        finally:
            self._ident = None

    def _run_to_the_end(self, loop: asyncio.AbstractEventLoop) -> None:
        while not self._stopped:  # closed is not enough: what arrived would not be taken
            self._go_on(loop.run_forever)
        for end in (self._end_tasks, loop.shutdown_asyncgens, loop.shutdown_default_executor):
            ending = loop.create_task(end())
            while not ending.done():
                self._go_on(partial(loop.run_until_complete, ending))

    def _go_on(self, run: Callable[[], object]) -> None:
        """Until its end, or until a coroutine raises what leaves the loop: the others go on."""
        try:
            run()
        except ENDS_OF_THE_PROCESS:  # its future has it
            logger.exception("a coroutine on %s tried to end the process", self._name)

    async def _end_tasks(self) -> None:
        """Those handed in first: to clean up, they may need the tasks that they have started."""
        self._take_arrived()  # handed in while the loop ended, before its thread was woken
        for future in tuple(self._running.values()):
            future.cancel()  # forwarded to its task, unless it was cancelled before
        await self._until_late(self._running)
        for task in (others := self._other_tasks()):
            if not task.cancelling():
                task.cancel()
        await self._until_late(others)
        for task in (lingering := self._other_tasks()):
            task.cancel()
        await asyncio.gather(*lingering, return_exceptions=True)
        for task in self._abandoned.copy():
            task._log_destroy_pending = False  # type: ignore[attr-defined]  # it was named before

    def _other_tasks(self) -> set[asyncio.Task[Any]]:
        """All tasks of this loop except the calling one and the abandoned ones."""
        return asyncio.all_tasks() - {asyncio.current_task()} - self._abandoned

    async def _until_late(self, tasks: Iterable[asyncio.Task[Any]]) -> None:
        """Wait until they have ended, or little time is left."""
        if waited_for := set(tasks) - self._abandoned:
            await asyncio.wait(waited_for, timeout=max(0.0, self._late_at - monotonic()))


def begin(
    loop: asyncio.AbstractEventLoop,
    coroutine: Coroutine[Any, Any, Any],
    future: Future[Any],
    running: dict[asyncio.Task[Any], Future[Any]],
    context: Context,
) -> asyncio.Task[Any]:
    """On the loop: run ``coroutine`` for ``future``; its task is in ``running`` until its end.

    It runs in ``context``, since the context of the loop's own callbacks belongs to the caller that
    woke the loop first.
    """
    task = loop.create_task(coroutine, context=context)
    running[task] = future
    task.add_done_callback(partial(hand_over, future))
    task.add_done_callback(running.pop)
    future.add_done_callback(partial(pass_cancellation_on, loop, task))
    return task


def call_back(ended: Callable[[], None], _: object) -> None:
    """On the loop: a task has ended."""
    ended()


def hand_over(future: Future[Any], task: asyncio.Task[Any]) -> None:
    """On the loop: ``task`` has ended.

    Its error is looked at in any case: of others asyncio tells when the collector finds the task,
    at any time and on any thread.
    """
    error = None
    if task.cancelled():
        future.cancel()
    else:
        error = task.exception()
    if not future.set_running_or_notify_cancel():
        if error is not None and not isinstance(error, ENDS_OF_THE_PROCESS):  # reported
            logger.error("a cancelled coroutine raised in its clean-up", exc_info=error)
    elif error is not None:
        future.set_exception(error)
    else:
        future.set_result(task.result())


def pass_cancellation_on(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[Any], future: Future[Any]
) -> None:
    """On any thread: ``future`` has ended, perhaps by a cancellation."""
    if future.cancelled() and not task.done():
        with suppress(RuntimeError):  # the loop has been closed, and its tasks with it
            loop.call_soon_threadsafe(task.cancel)
