"""``RunEnd``: what came of a run, and those who wait for that."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Generic, TypeVar

from actors_rs.errors import RunCancelled
from actors_rs.graph.waiting import awaitable
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.awaiting import Awaiting

__all__ = ["RunEnd"]

R = TypeVar("R")


class RunEnd(Generic[R]):
    """Written once, under the lock, and final from then on. Any thread."""

    error: BaseException | None = None
    """Why there is no result."""
    is_over = False
    _result: Any = None
    _traceback: TracebackType | None = None  # of the error, as it was when the run ended
    _future: Future[R] | None = None  # made for the first who waits for it on a thread

    def __init__(self, name: str) -> None:
        self.name = name
        # The collector may run a ``__del__`` of the user's in here, which looks at this very run.
        self._lock = RLock()
        self._awaiting = Awaiting()

    @property
    def state(self) -> str:
        """See ``Run.state``."""
        if not self.is_over:
            return "running"
        if self.error is None:
            return "completed"
        return "cancelled" if isinstance(self.error, RunCancelled) else "failed"

    def result(self) -> R:
        """What the run gave; raises what it ended with instead. To be called when it is over."""
        if self.error is not None:
            raise self.error.with_traceback(self._traceback)  # not longer with every call
        return self._result  # type: ignore[no-any-return]

    def awaited(self) -> Generator[Any, None, R]:
        """``result`` for a coroutine, which waits for it; one that gives up leaves nothing.

        Raises ``RuntimeError`` where no loop of asyncio runs.
        """
        if not self.is_over:
            yield from self._awaiting.until(lambda: self.is_over)
        if self.error is not None:
            raise awaitable(self.error.with_traceback(self._traceback))
        return self._result  # type: ignore[no-any-return]

    @property
    def future(self) -> Future[R]:
        """What came of it, for those who wait; it cannot be cancelled, for the run goes on."""
        with self._lock:
            if (future := self._future) is None:
                future = self._future = Future()
                future.set_running_or_notify_cancel()
                if self.is_over:
                    self._tell(future)
        return future

    def settle(self, result: R | None, error: BaseException | None) -> bool:
        """The run is over: it gave ``result``, unless there is an ``error``. False if it was."""
        with self._lock:
            if self.is_over:
                return False
            if error is None:
                self._result = result
            else:
                self.error, self._traceback = error, _below_results(error.__traceback__)
            self.is_over = True
            future = self._future
        if future is not None:
            self._tell(future)
        self._awaiting.wake()
        return True

    def _tell(self, future: Future[R]) -> None:
        if self.error is not None:
            future.set_exception(awaitable(self.error))
        else:
            future.set_result(self._result)

    def disown(self, error: BaseException) -> None:
        """In a forked child: it is over here, with ``error``, and nobody waits. Takes no lock."""
        self._lock = RLock()
        self.error, self.is_over = error, True
        self._future, self._awaiting = None, Awaiting()


_RESULTS = (RunEnd.result.__code__, RunEnd.awaited.__code__)


def _below_results(traceback: TracebackType | None) -> TracebackType | None:
    """``traceback`` without what it got where earlier runs raised the same error as their result.

    Those frames would keep each of these runs alive, with all its stages.
    """
    below = entry = traceback
    while entry is not None:
        if entry.tb_frame.f_code in _RESULTS:
            below = entry.tb_next
        entry = entry.tb_next
    return below
