"""An event loop without threads and sockets: its callbacks are steps of a world.

Tasks, futures, locks, ``asyncio.sleep`` and ``timeout`` work, in virtual time. What needs the
operating system (connections, processes, signals) does not exist here.
"""

from __future__ import annotations

import asyncio
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import Context
from functools import partial
from itertools import count
from typing import Any, cast

from actors_rs.errors import InvalidArgumentError, WorldError
from actors_rs.runtime.event_loop import hand_over, pass_cancellation_on
from actors_rs.runtime.timers import Timer
from actors_rs.testing.world.clock import VirtualClock, VirtualTimers
from actors_rs.testing.world.dispatcher import DeterministicDispatcher

__all__ = ["WorldCoroutines"]


class WorldCoroutines:
    """Runs coroutines in a world; fits ``EventLoopThread``."""

    def __init__(
        self, dispatcher: DeterministicDispatcher, clock: VirtualClock, timers: VirtualTimers
    ) -> None:
        self._make = partial(_WorldLoop, dispatcher, clock, timers)
        self._loop: _WorldLoop | None = None
        self._closed = False

    def run(self, coroutine: Coroutine[Any, Any, Any], /) -> Future[Any]:
        """Start ``coroutine``. Raises ``InvalidArgumentError`` after ``close``."""
        if self._closed:
            coroutine.close()
            raise InvalidArgumentError("the world runs no more coroutines: its system has ended")
        self._loop = self._loop or self._make()
        future: Future[Any] = Future()
        task = self._loop.create_task(coroutine)
        task.add_done_callback(partial(hand_over, future))
        future.add_done_callback(partial(pass_cancellation_on, cast(Any, self._loop), task))
        return future

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """Cancel what runs; the tasks see it when the world moves on."""
        self._closed = True
        if self._loop is not None:
            self._loop.cancel_all()
        return ()


class _WorldLoop:
    """As much of ``asyncio.AbstractEventLoop`` as tasks, futures and timeouts ask for."""

    def __init__(
        self, dispatcher: DeterministicDispatcher, clock: VirtualClock, timers: VirtualTimers
    ) -> None:
        self._dispatcher = dispatcher
        self._clock = clock
        self._timers = timers
        self._numbers = count(1)
        self._callbacks: deque[asyncio.Handle] = deque()
        self._tasks: dict[asyncio.Task[Any], None] = {}
        self._due: dict[int, Timer] = {}  # by the ids of the handles that wait for them

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
        timer = self._timers.after(when - self.time(), partial(self._submit, handle))
        self._due[id(handle)] = timer
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=cast(Any, self))

    def create_task(self, coro: Any, **options: Any) -> asyncio.Task[Any]:
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=cast(Any, self), **options)
        self._tasks[task] = None
        # A world that was left in the midst of something is thrown away as it is.
        task._log_destroy_pending = False  # type: ignore[attr-defined]
        task.add_done_callback(lambda done: self._tasks.pop(done, None))
        return task

    def cancel_all(self) -> None:
        for task in tuple(self._tasks):
            task.cancel()

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

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

    def _submit(self, handle: asyncio.Handle) -> None:
        self._due.pop(id(handle), None)
        self._callbacks.append(handle)  # in this order, whatever order the steps are taken in
        self._dispatcher.submit(f"callback-{next(self._numbers)}", self._run_next)

    def _run_next(self) -> None:
        if (handle := self._callbacks.popleft()).cancelled():
            return
        outer = events._get_running_loop()
        events._set_running_loop(cast(Any, self))
        try:
            handle._run()
        finally:
            events._set_running_loop(outer)
