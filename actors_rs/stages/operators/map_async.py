"""map_async(f, parallelism=2)

    in:  1 2 3 |
    out: f(1) f(2) f(3) |    (two calls at a time; in the order of the input unless ordered=False)

``f`` may block: it runs on a thread that may. It may return a value, a
``concurrent.futures.Future`` or a coroutine, which runs on the system's event loop.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any

from actors_rs.errors import StreamError
from actors_rs.stages.ports import Inlet, Outlet
from actors_rs.stages.stage import Budget, StageLogic


class _Call:
    """One call of ``f``: under way, then with a value or an error."""

    __slots__ = ("done", "error", "future", "position", "value")

    def __init__(self, position: int) -> None:
        self.position = position
        self.done = False
        self.value: Any = None
        self.error: BaseException | None = None
        self.future: Future[Any] | None = None


class MapAsync(StageLogic):
    """Each element through ``f``, up to ``parallelism`` calls under way or not yet emitted."""

    def __init__(
        self,
        f: Callable[[Any], Any],
        parallelism: int,
        ordered: bool,
        executor: Executor | None,
    ) -> None:
        self.inlet, self.outlet = Inlet(), Outlet()
        self.inlets, self.outlets = (self.inlet,), (self.outlet,)
        self._f = f
        self._parallelism = parallelism
        self._ordered = ordered
        self._executor = executor
        self._is_coroutine_function = inspect.iscoroutinefunction(f)
        self._calls: deque[_Call] = deque()  # unordered: in the order in which they end
        self._under_way: set[_Call] = set()
        self._stopped = False

    def advance(self, budget: Budget) -> None:
        inlet, outlet = self.inlet, self.outlet
        if outlet.cancelled:
            inlet.cancel(outlet.cause)
            return
        if outlet.demand:
            inlet.open()
        self._emit_ended()
        while not outlet.closed and inlet.buffered and self._room > 0:
            first = inlet.count
            for offset, element in enumerate(inlet.take(self._room)):
                self._call(element, first + offset)
        if inlet.exhausted and not self._calls and not self._under_way:
            self.end(inlet.error)

    def stop(self, error: BaseException | None) -> None:
        self._stopped = True
        for call in self._under_way:
            if call.future is not None:
                call.future.cancel()

    def details(self) -> dict[str, Any]:
        return {"under_way": len(self._under_way), "parallelism": self._parallelism}

    @property
    def _room(self) -> int:
        waiting = len(self._calls) if self._ordered else len(self._calls) + len(self._under_way)
        return self._parallelism - waiting

    def _emit_ended(self) -> None:
        calls, most, out = self._calls, self.outlet.demand, list[Any]()
        while calls and calls[0].done and calls[0].error is None and len(out) < most:
            out.append(calls.popleft().value)
        self.outlet.emit(out)
        if calls and (error := calls[0].error) is not None:
            self.fail(error, calls[0].position)

    def _call(self, element: Any, position: int) -> None:
        call = _Call(position)
        self._under_way.add(call)
        if self._ordered:
            self._calls.append(call)
        if self._is_coroutine_function:
            self._settle(call, self._f(element))
        elif self._executor is not None:
            self._follow(call, self._executor.submit(self._f, element))
        elif not self.context.run_blocking(partial(self._run, call, element)):
            raise StreamError("the actor system was shut down")

    def _run(self, call: _Call, element: Any) -> None:
        """On a thread that may block."""
        if self._stopped:  # while the call was waiting for a thread
            return
        try:
            value = self._f(element)
        except BaseException as error:
            self._finish_later(call, None, error)
        else:
            self._settle(call, value)

    def _settle(self, call: _Call, value: Any) -> None:
        """On any thread: ``f`` has returned ``value``."""
        if inspect.iscoroutine(value):
            self.context.run_coroutine(value, partial(self._follow, call))
        elif isinstance(value, Future):
            self._follow(call, value)
        else:
            self._finish_later(call, value, None)

    def _follow(self, call: _Call, future: Future[Any]) -> None:
        call.future = future
        if self._stopped:  # looked at behind the assignment, as stop sets it before it looks
            future.cancel()
        future.add_done_callback(partial(self._future_done, call))

    def _future_done(self, call: _Call, future: Future[Any]) -> None:
        try:
            value = future.result()
        except BaseException as error:
            self._finish_later(call, None, error)
        else:
            self._settle(call, value)

    def _finish_later(self, call: _Call, value: Any, error: BaseException | None) -> None:
        self.context.post(partial(self._finish, call, value, error))

    def _finish(self, call: _Call, value: Any, error: BaseException | None) -> None:
        call.value, call.error, call.done = value, error, True
        call.future = None
        self._under_way.discard(call)
        if not self._ordered:
            self._calls.append(call)
