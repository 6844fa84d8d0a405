"""Calls of the code under test that have not returned, and the thread that a test makes them on.

A ``request`` that never returns, say for a lock that the publisher holds around ``on_next``, must
end one test of the kit and not the whole run. A thread of Python cannot be stopped, so each test
runs on its own, and the waiting thread looks which call it is in. Thread-safe.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from actors_rs.runtime._primitives import Thread, current_thread_id, monotonic
from actors_rs.runtime.condition import Condition

__all__ = ["LEAST_SECONDS", "Calls"]

LEAST_SECONDS = 1.0
"""That a call may take, however little the environment waits for a signal: a machine may stall."""


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    promise: str
    caller: object
    thread: int
    late_at: float


class Calls:
    """The calls that are under way in one environment."""

    def __init__(self, changed: Condition, timeout: float) -> None:
        self._seconds = max(timeout, LEAST_SECONDS)
        self._changed = changed
        self._open: dict[_Call, None] = {}  # in the order of their begin

    @contextmanager
    def under_way(self, promise: str, caller: object = None) -> Iterator[None]:
        """What happens in the block should return in time; it is called on behalf of ``caller``."""
        call = _Call(promise, caller, current_thread_id(), monotonic() + self._seconds)
        with self._changed.lock:
            self._open[call] = None
        try:
            yield
        finally:
            with self._changed.lock:
                del self._open[call]
                self._changed.notify_all()

    def have_returned(self, caller: object) -> bool:
        """Wait for the calls on behalf of ``caller``; False if one of them is late."""
        with self._changed.lock:
            calls = [call for call in self._open if call.caller is caller]
        return self._changed.wait_for(
            lambda: not any(call in self._open for call in calls), self._seconds_left(calls)
        )

    def run(self, function: Callable[[], None]) -> str | None:
        """Call ``function`` on a thread of its own, and raise what it raises.

        Once a call that it began is late, the (daemon) thread is left alone. Returns the message
        then.
        """
        raised: list[BaseException] = []

        def attempt() -> None:
            try:
                function()
            except BaseException as error:  # pytest's outcomes too: for the thread that waits
                raised.append(error)

        context = contextvars.copy_context()
        before = self._since(())
        thread = Thread(target=context.run, args=(attempt,), daemon=True, name="tck-test")
        thread.start()
        while thread.is_alive():
            thread.join(self._seconds_left(self._since(before)))
            if (late := self._late(self._since(before))) is not None:
                return late
        if raised:
            raise raised.pop()
        return None

    def _since(self, before: Collection[_Call]) -> list[_Call]:
        with self._changed.lock:
            return [call for call in self._open if call not in before]

    def _late(self, calls: list[_Call]) -> str | None:
        """The innermost one of those on a thread on which one is late."""
        now = monotonic()
        threads = [call.thread for call in calls if call.late_at <= now]
        inside = [call for call in calls if call.thread in threads[:1]]
        return f"{inside[-1].promise}, it has not within {self._seconds:g} s" if inside else None

    def _seconds_left(self, calls: list[_Call]) -> float:
        """Until the first of them is late; none that begins later can be late before that."""
        late_at = min((call.late_at for call in calls), default=None)
        return self._seconds if late_at is None else max(0.0, late_at - monotonic())
