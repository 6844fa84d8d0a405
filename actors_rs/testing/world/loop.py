"""An event loop without threads and sockets: its callbacks are steps of a world.

Tasks, futures, locks, ``asyncio.sleep`` and ``timeout`` work, in virtual time, and async generators
that are left are released. What needs the operating system (connections, processes, signals) does
not exist here.
"""

from __future__ import annotations

import asyncio
import heapq
import sys
from asyncio import events
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context, copy_context
from functools import partial
from itertools import count
from typing import Any, TypeAlias, cast
from weakref import WeakKeyDictionary

from actors_rs.errors import InvalidArgumentError, WorldError
from actors_rs.runtime._primitives import drive_until
from actors_rs.runtime.dispatch.event_loop import begin, call_back
from actors_rs.runtime.dispatch.timers import Timer
from actors_rs.testing.world.clock import VirtualClock, VirtualTimers
from actors_rs.testing.world.dispatcher import DeterministicDispatcher

__all__ = ["WorldCoroutines"]

Generator: TypeAlias = AsyncGenerator[Any, Any]
MOST_ALONE = 1_000
"""Callbacks for each coroutine that cleans up after a failure."""


class WorldCoroutines:
    """Runs coroutines in a world; fits ``EventLoopThread``."""

    def __init__(
        self, dispatcher: DeterministicDispatcher, clock: VirtualClock, timers: VirtualTimers
    ) -> None:
        self._make = partial(_WorldLoop, dispatcher, clock, timers)
        self._loop: _WorldLoop | None = None
        self._closed = False
        self._seconds_alone: float | None = None

    def run(
        self,
        coroutine: Coroutine[Any, Any, Any],
        context: Context | None = None,
        ended: Callable[[], None] | None = None,
        /,
    ) -> Future[Any]:
        """Start ``coroutine``. Raises ``InvalidArgumentError`` after ``close``."""
        if self._closed:
            coroutine.close()
            raise InvalidArgumentError("the world runs no more coroutines: its system has ended")
        self._loop = self._loop or self._make()
        context = copy_context() if context is None else context
        return self._loop.hand_in(coroutine, context, ended)

    def give_up(self, future: Future[Any], /) -> bool:
        """False: a world insists on the end of every coroutine."""
        return False

    def is_current_thread(self) -> bool:
        """Always ``False``: no step of a world may wait."""
        return False

    def ending(self) -> bool:
        """Whether something cleans up: a cancelled coroutine, or a generator that was left."""
        return self._loop is not None and any(map(self._loop.is_ending, self._loop.tasks))

    def waits(self) -> list[str]:
        """A sentence for each coroutine that has not ended."""
        return [] if self._loop is None else list(map(self._loop.said_of, self._loop.tasks))

    def abandon(self, seconds: float) -> None:
        """The world has failed: coroutines end by themselves, within virtual ``seconds``.

        From now on ``close`` asks for no decision and raises nothing that would hide the failure.
        Coroutines that have not ended by then, or take too many callbacks, are dropped.
        """
        self._seconds_alone = seconds

    def hurry(self, seconds: float, /) -> None:
        """Nothing: ``close`` does not wait for a thread."""

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """Cancel coroutines, and return the names of those alive after ``timeout`` virtual seconds.

        Raises errors of the world, such as ``Stalled`` when it has taken too many steps.
        """
        self._closed = True
        if (loop := self._loop) is None or loop.is_closed():
            return ()
        if self._seconds_alone is not None:
            loop.end(partial(loop.run_alone, self._seconds_alone))
            loop.throw_away()
            return ()
        late_at = loop.time() + timeout
        loop.end(lambda done: drive_until(done, max(0.0, late_at - loop.time())))
        return tuple(self.waits())


class _WorldLoop:
    """As much of ``asyncio.AbstractEventLoop`` as tasks, futures and timeouts ask for.

    As in asyncio, callbacks are called in the order in which they were handed in, and timers in
    that in which they are due. Steps of the world only decide when the next one is called: a
    timer may be as late as it likes, and is not overtaken by another one of its loop.
    """

    def __init__(
        self, dispatcher: DeterministicDispatcher, clock: VirtualClock, timers: VirtualTimers
    ) -> None:
        self._dispatcher = dispatcher
        self._clock = clock
        self._timers = timers
        self._numbers, self._order = count(1), count(1)
        self._callbacks: deque[asyncio.Handle] = deque()
        self._scheduled: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._due: dict[int, Timer] = {}  # by the ids of the handles that wait for their time
        self.tasks: dict[asyncio.Task[Any], bool] = {}
        """Tasks that have not ended; ``True`` for tasks that release a generator."""
        self._handed_in: dict[asyncio.Task[Any], Future[Any]] = {}
        self._generators: WeakKeyDictionary[Generator, None] = WeakKeyDictionary()
        self._closed = False

    # For the world

    def hand_in(
        self,
        coroutine: Coroutine[Any, Any, Any],
        context: Context,
        ended: Callable[[], None] | None,
    ) -> Future[Any]:
        future: Future[Any] = Future()
        task = begin(cast(Any, self), coroutine, future, self._handed_in, context)
        if ended is not None:
            task.add_done_callback(partial(call_back, ended))
        return future

    def is_ending(self, task: asyncio.Task[Any]) -> bool:
        future = self._handed_in.get(task)
        # A future that is cancelled cancels its task, in a step to come.
        cancelled = future is not None and future.cancelled()
        return cancelled or bool(task.cancelling()) or self.tasks[task]

    def said_of(self, task: asyncio.Task[Any]) -> str:
        state = "was cancelled and goes on" if self.is_ending(task) else "has not ended"
        return f"coroutine {_place(task)} {state}"

    def end(self, until: Callable[[Callable[[], bool]], object]) -> None:
        """Cancel the tasks, then release generators; ``until`` keeps the loop running.

        Coroutines that were handed in go first: they may need their own tasks to clean up.
        """
        for future in tuple(self._handed_in.values()):
            future.cancel()
        until(lambda: not self._handed_in)
        for task in tuple(self.tasks):
            if not task.cancelling():
                task.cancel()
        until(lambda: not self.tasks)
        for generator in tuple(self._generators):
            self._release(generator)
        until(lambda: not self.tasks)
        self._closed = not self.tasks

    def run_alone(self, seconds: float, done: Callable[[], bool]) -> None:
        """Call callbacks in their order until ``done``, at most ``seconds``, also after exceptions.

        No world decides when: for one that has failed, perhaps since a coroutine ends never.
        """
        late_at = self.time() + seconds
        for _ in range(MOST_ALONE * len(self.tasks)):
            if done() or not (self._callbacks or self._sleep(late_at)):
                return
            with suppress(Exception, SystemExit):
                self._run_next()

    def throw_away(self) -> None:
        """End what did not by itself, wherever it stands."""
        self._closed = True
        for task in tuple(self.tasks):
            with suppress(Exception):  # it may refuse even that
                cast(Any, task.get_coro()).close()
        self.tasks.clear()

    # For asyncio

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise WorldError(
            f"the event loop of a deterministic world has no {name}: it has one thread, and "
            "neither sockets nor processes"
        )

    def time(self) -> float:
        return self._clock.now()

    def call_soon(
        self, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, cast(Any, self), context)
        self._submit(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(
        self, delay: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self.time() + delay, callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[..., Any], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        handle = asyncio.TimerHandle(when, callback, args, cast(Any, self), context)
        heapq.heappush(self._scheduled, (when, next(self._order), handle))
        self._due[id(handle)] = self._timers.at(max(when, self.time()), self._submit_due)
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=cast(Any, self))

    def create_task(self, coro: Any, **options: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=cast(Any, self), **options)
        self.tasks[task] = False
        # One that does not even end when it is cancelled is thrown away as it is.
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        task.add_done_callback(lambda done: self.tasks.pop(done, None))
        return task

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return self._closed

    def get_debug(self) -> bool:
        return False

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        self.default_exception_handler(context)

    def default_exception_handler(self, context: dict[str, Any]) -> None:
        raise WorldError(f"on the event loop of a world: {context.get('message')}") from (
            context.get("exception")
        )

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """asyncio tells so: nothing is to come of the handle when its time has come."""
        if (timer := self._due.pop(id(handle), None)) is not None:
            timer.cancel()

    # In a step

    def _submit(self, handle: asyncio.Handle) -> None:
        self._due.pop(id(handle), None)
        self._callbacks.append(handle)  # in this order, for any order of the steps
        self._dispatcher.submit(f"callback-{next(self._numbers)}", self._run_next)

    def _submit_due(self) -> None:
        """A timer fires: now it is the turn of the handle that is due first, whosever it is."""
        if (when := self._next_due()) is not None and when <= self.time():
            self._submit(heapq.heappop(self._scheduled)[2])

    def _next_due(self) -> float | None:
        while self._scheduled and self._scheduled[0][2].cancelled():
            heapq.heappop(self._scheduled)
        return self._scheduled[0][0] if self._scheduled else None

    def _sleep(self, late_at: float) -> bool:
        """Move time itself to the next handle; False if there is none before it is late."""
        if (when := self._next_due()) is None or when > late_at:
            return False
        self._clock.seconds = max(when, self.time())
        self._submit_due()
        return True

    def _run_next(self) -> None:
        if not self._callbacks or (handle := self._callbacks.popleft()).cancelled():
            return
        outer, hooks = events._get_running_loop(), sys.get_asyncgen_hooks()
        events._set_running_loop(cast(Any, self))
        sys.set_asyncgen_hooks(firstiter=self._begun, finalizer=self._release)
        try:
            handle._run()
        finally:
            sys.set_asyncgen_hooks(*hooks)
            events._set_running_loop(outer)

    def _begun(self, generator: Generator) -> None:
        self._generators[generator] = None

    def _release(self, generator: Generator) -> None:
        """Nobody refers to it any more, or the loop ends: its ``finally`` blocks are due."""
        self._generators.pop(generator, None)
        if not self._closed:
            task = self.create_task(generator.aclose(), name=cast(Any, generator).__qualname__)
            self.tasks[task] = True


def _place(task: asyncio.Task[Any]) -> str:
    """The coroutine of the user that ``task`` runs, and the line that it waits in."""
    coroutine: Any = task.get_coro()
    while (inner := getattr(coroutine, "cr_await", None)) is not None and _is_ours(coroutine):
        coroutine = inner
    if (frame := getattr(coroutine, "cr_frame", None)) is None:
        return f"'{task.get_name()}'"
    return f"'{coroutine.__qualname__}' ({frame.f_code.co_filename}:{frame.f_lineno})"


def _is_ours(coroutine: Any) -> bool:
    module = str(coroutine.cr_frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] == __name__.partition(".")[0]
