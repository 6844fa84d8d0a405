"""Timers: one thread that calls back when its time has come.

The thread starts with the first timer. Callbacks run on it and must be short: they put a message
into a mailbox or a turn into a queue, nothing else.
"""

from __future__ import annotations

import heapq
import logging
from collections.abc import Callable
from itertools import count

from actors_rs.runtime._primitives import Condition, Thread, current_thread_id, monotonic

__all__ = ["Timer", "Timers"]

_FEW = 64  # timers that are not worth a sweep
_LONGEST_WAIT = 3600.0  # seconds; what a lock can wait for at once is limited
logger = logging.getLogger("actors_rs.runtime")


class Timer:
    """One callback to come. ``cancel`` may be called from any thread, any number of times."""

    __slots__ = ("_callback", "due")

    def __init__(self, due: float, callback: Callable[[], None]) -> None:
        self.due = due
        self._callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Do not call back, unless it is happening right now."""
        self._callback = None

    @property
    def cancelled(self) -> bool:
        """Whether it will not call back any more: cancelled, or fired."""
        return self._callback is None

    def fire(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class Timers:
    """The timers of one system. All methods may be called from any thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._changed = Condition()
        self._heap: list[tuple[float, int, Timer]] = []
        self._order = count()
        self._thread: Thread | None = None
        self._closed = self._firing = False
        self._sweep_at = _FEW

    def __len__(self) -> int:
        """Timers that are kept, cancelled ones among them for a while."""
        return len(self._heap)

    def after(self, seconds: float, callback: Callable[[], None]) -> Timer:
        """Call ``callback`` once, ``seconds`` from now; after ``close`` never.

        Raises ``RuntimeError`` if the operating system gives no thread for the first one.
        """
        timer = Timer(monotonic() + seconds, callback)
        with self._changed:
            if self._closed:
                return timer
            if len(self._heap) >= self._sweep_at:
                self._sweep()
            if self._thread is None:
                thread = Thread(target=self._run, name=self._name, daemon=True)
                thread.start()  # it waits for our lock; if there is no thread, nothing was kept
                self._thread = thread
            heapq.heappush(self._heap, (timer.due, next(self._order), timer))
            if self._heap[0][2] is timer:
                self._changed.notify()
        return timer

    def close(self, timeout: float) -> tuple[str, ...]:
        """Drop all timers, end the thread; its name if it was still busy after ``timeout`` s.

        A thread that is not calling back just now ends by itself, as soon as it gets a core.
        """
        with self._changed:
            self._closed = True
            self._heap.clear()
            self._changed.notify()
            thread, busy = self._thread, self._firing
        if thread is None or thread.ident == current_thread_id():
            return ()
        thread.join(timeout if busy else None)
        return (thread.name,) if thread.is_alive() else ()

    def _sweep(self) -> None:
        """Drop the cancelled ones: most timers are, long before they are due."""
        self._heap = [entry for entry in self._heap if not entry[2].cancelled]
        heapq.heapify(self._heap)
        self._sweep_at = max(_FEW, 2 * len(self._heap))

    def _run(self) -> None:
        while (timer := self._next_due()) is not None:
            try:
                timer.fire()
            except Exception:
                logger.exception("a timer callback raised; this is a defect")

    def _next_due(self) -> Timer | None:
        with self._changed:
            self._firing = False
            while not self._closed:
                wait = self._heap[0][0] - monotonic() if self._heap else None
                if wait is not None and wait <= 0:
                    self._firing = True
                    return heapq.heappop(self._heap)[2]
                self._changed.wait(None if wait is None else min(wait, _LONGEST_WAIT))
            return None
