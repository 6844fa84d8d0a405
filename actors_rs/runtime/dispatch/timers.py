"""Timers: one thread that calls back when its time has come.

The thread starts with the first timer. Callbacks run on it and must be short: they put a message
into a mailbox or a turn into a queue, nothing else.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable
from itertools import count

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import Lock, RLock, Thread, current_thread_id, monotonic

__all__ = ["Timer", "Timers"]

_FEW = 64  # timers that are not worth a sweep
_LONGEST_WAIT = 3600.0  # seconds; the wait for a lock has a limit
logger = logger_called("actors_rs.runtime")


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
        self._lock = RLock()  # the collector may run a ``__del__`` in here that sets a timer
        # What the thread sleeps on. Released before it sleeps, it does not: so a ``__del__`` that
        # the collector runs there can tell it of a timer, which no condition could.
        self._latch = Lock()
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
        with self._lock:
            if self._closed:
                return timer
            if len(self._heap) >= self._sweep_at:
                self._sweep()
            if self._thread is None:
                self._begin()
            entry = (timer.due, next(self._order), timer)
            if not self._heap or timer.due < self._heap[0][0]:
                self._wake()  # first: if it raises, as deep as Python goes, nothing was kept
            heapq.heappush(self._heap, entry)
        return timer

    def close(self, timeout: float) -> tuple[str, ...]:
        """Drop all timers, end the thread; its name if it was still busy after ``timeout`` s.

        A thread that is not calling back just now ends by itself, as soon as it gets a core.
        """
        with self._lock:
            self._closed = True
            self._heap.clear()
            self._wake()
            thread, busy = self._thread, self._firing
        if thread is None or thread.ident in (None, current_thread_id()):
            return ()
        thread.join(timeout if busy else None)
        return (thread.name,) if thread.is_alive() else ()

    def _begin(self) -> None:
        """Start the thread, which waits for our lock; if there is none, nothing is kept."""
        thread = Thread(target=self._run, name=self._name, daemon=True)
        if self._thread is not None:  # a ``__del__`` that the collector ran there has done so
            return
        self._thread = thread
        try:
            thread.start()
        except BaseException:
            if not thread.begun:
                self._thread = None
            raise

    def _sweep(self) -> None:
        """Drop the cancelled ones: most timers are, long before they are due.

        The collector may run a ``__del__`` in here that sets others; these have higher numbers.
        """
        old, newest, self._sweep_at = self._heap, next(self._order), sys.maxsize
        try:
            kept = [entry for entry in old.copy() if not entry[2].cancelled]
            heapq.heapify(kept)
            self._heap = kept
            for entry in [entry for entry in old if entry[1] > newest]:
                heapq.heappush(kept, entry)
        finally:
            self._sweep_at = max(_FEW, 2 * len(self._heap))

    def _run(self) -> None:
        while (timer := self._next_due()) is not None:
            try:
                timer.fire()
            except Exception:
                logger.exception("a timer callback raised; this is a defect")

    def _wake(self) -> None:
        """Let the thread look, now or before it sleeps."""
        try:
            self._latch.release()
        except RuntimeError:  # it will
            pass

    def _next_due(self) -> Timer | None:
        while True:
            with self._lock:
                self._firing = False
                if self._closed:
                    self._wake()  # a further thread, that one interrupted twice has left
                    return None
                wait = self._heap[0][0] - monotonic() if self._heap else _LONGEST_WAIT
                if wait <= 0:
                    self._firing = True
                    return heapq.heappop(self._heap)[2]
            self._latch.acquire(timeout=min(wait, _LONGEST_WAIT))
