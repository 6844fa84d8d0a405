"""``CallLimit``: how long each call of ``map_async`` may take, and what becomes of the others.

A call has a slot until its result or its time ends it, whichever comes first. A coroutine, or a
future, is cancelled then. A thread cannot be: it is abandoned, and what it gives later is a dead
letter.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable
from concurrent.futures import CancelledError as FutureCancelled
from contextlib import suppress
from functools import partial
from typing import Any

from actors_rs.errors import AbandonedCallsError, CallTimeout
from actors_rs.stages.calls.call import TIME, Call
from actors_rs.stages.stage import Cancellable, StageContext

__all__ = ["CallLimit"]

TimeIsUp = Callable[[Call, CallTimeout, Any], None]


class CallLimit:
    """``seconds`` for each call; up to ``max_abandoned`` calls that took longer may still run.

    Its methods are for the stage's own turns, unless they say "Any thread".
    """

    def __init__(self, seconds: float, max_abandoned: int) -> None:
        self._seconds = seconds
        self._max_abandoned = max_abandoned
        self._context: StageContext
        self._timers: dict[Call, Cancellable] = {}
        self._abandoned: set[Call] = set()
        self._timed_out = 0
        self.value_of: Callable[[Any], Any] = lambda element: element
        """What users know an element, or a result, as."""

    def stop(self) -> None:
        """The stage ends: no time will be up any more."""
        for timer in self._timers.values():
            timer.cancel()

    def details(self) -> dict[str, int]:
        """Figures for the snapshot. Any thread."""
        return {"timed_out": self._timed_out, "abandoned": len(self._abandoned)}

    def begun(self, call: Call, then: TimeIsUp, context: StageContext) -> None:
        """``call`` has a slot now; ``then`` is called in a turn when its time is up. Any thread."""
        self._context = context
        self._context.post(partial(self._watch, call, self._context.now(), then))

    def over(self, call: Call) -> None:
        """``call`` has ended."""
        if (timer := self._timers.pop(call, None)) is not None:
            timer.cancel()

    def too_many(self) -> AbandonedCallsError | None:
        """What to fail with if more calls than allowed have not returned."""
        if len(self._abandoned) <= self._max_abandoned:
            return None
        return AbandonedCallsError(self._context.name, self._max_abandoned, self._seconds)

    def came_late(self, call: Call, value: Any, error: BaseException | None) -> None:
        """``call`` gave ``value``, or raised, when its time was up. Any thread."""
        cancelled = isinstance(error, CancelledError | FutureCancelled | GeneratorExit)
        if not cancelled:
            why = f"its call had timed out after {self._seconds:g} s when it returned"
            self._context.report(self.value_of(value), why, error)
        self._context.post(partial(self._returned, call))

    def _watch(self, call: Call, began: float, then: TimeIsUp) -> None:
        left = max(0.0, began + self._seconds - self._context.now())
        self._timers[call] = self._context.after(left, partial(self._up, call, then))

    def _up(self, call: Call, then: TimeIsUp) -> None:
        self._timers.pop(call, None)
        if not call.ended_by(TIME):  # its result is on the way
            return
        self._timed_out += 1
        if self._is_cancelled(call):
            # It may clean up for as long again; a function that refuses to end counts as a thread.
            lingers = partial(self._lingers, call)
            self._timers[call] = self._context.after(self._seconds, lingers)
        else:
            self._abandoned.add(call)
            self._context.abandon(call.runner)
        element = self.value_of(call.element)
        then(call, CallTimeout(self._context.name, element, self._seconds), self)

    def _is_cancelled(self, call: Call) -> bool:
        """Cancel ``call``; whether that can be done."""
        if (task := call.task) is not None:
            with suppress(RuntimeError):  # the loop has been closed, and its tasks with it
                task.get_loop().call_soon_threadsafe(task.cancel)
            return True
        return call.future is not None and call.future.cancel()

    def _lingers(self, call: Call) -> None:
        self._timers.pop(call, None)
        self._abandoned.add(call)

    def _returned(self, call: Call) -> None:
        self.over(call)
        self._abandoned.discard(call)
