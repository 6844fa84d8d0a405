"""``RunEnd``: the result of a run, and the callers that wait for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, Generic, TypeVar

from actors_rs.engine.run.waiting import awaitable
from actors_rs.errors import RunCancelled
from actors_rs.runtime._primitives import Event, RLock, start_thread
from actors_rs.runtime.actors.awaiting import Awaiting, Until

__all__ = ["RunEnd"]

R = TypeVar("R")


class RunEnd(Generic[R]):
    """Written once, under the lock, and final from then on. Any thread."""

    error: BaseException | None = None
    """Why there is no result."""
    _result: Any = None
    _traceback: TracebackType | None = None  # of the error, as it was when the run ended

    def __init__(self, name: str) -> None:
        self.name = name
        # The collector may run a ``__del__`` of the user's in here, which looks at this very run.
        self._lock = RLock()
        self._awaiting = Awaiting()
        self._over = Event()
        self._actions: deque[Callable[[], object]] = deque()

    @property
    def is_over(self) -> bool:
        """Whether it has come."""
        return self._over.is_set()

    @property
    def state(self) -> str:
        """See ``Run.state``."""
        if not self.is_over:
            return "running"
        if self.error is None:
            return "completed"
        return "cancelled" if isinstance(self.error, RunCancelled) else "failed"

    def result(self) -> R:
        """The result of the run; raises its failure instead. Call it when the run is over."""
        if self.error is not None:
            raise self.error.with_traceback(self._traceback)  # not longer with every call
        return self._result  # type: ignore[no-any-return]

    def awaited(self) -> Generator[Any, None, R]:
        """``result`` for a coroutine, which waits for it; one that gives up leaves nothing.

        Raises ``RuntimeError`` where no loop of asyncio runs.
        """
        if not self.is_over:
            yield from self._awaiting.until(lambda: self.is_over)
        self.raise_error()
        return self._result  # type: ignore[no-any-return]

    def until_over(self) -> Until:
        """An awaitable of the end; a cancelled wait leaves nothing registered."""
        return Until(self._awaiting, lambda: self.is_over)

    def raise_error(self) -> None:
        """Raise what it ended with, if that is an error, as iterations and coroutines can."""
        if self.error is not None:
            raise awaitable(self.error.with_traceback(self._traceback))

    def wait(self, timeout: float | None) -> bool:
        """Whether it has come within ``timeout`` seconds."""
        return self._over.wait(timeout)

    def call_then(self, action: Callable[[], object]) -> None:
        """Call ``action``, which raises nothing, once it is over; at once if it is."""
        with self._lock:
            self._actions.append(action)
        if self.is_over:
            self._tell()

    def settle(self, result: R | None, error: BaseException | None) -> bool:
        """The run is over: it gave ``result``, unless there is an ``error``. False if it was."""
        with self._lock:
            if self.is_over:
                return False
            if error is None:
                self._result = result
            else:
                self.error, self._traceback = error, _below_results(error.__traceback__)
            self._over.set()
        try:
            self._tell()
        except BaseException:  # Ctrl-C, where stages run on the thread of the program
            start_thread(self._tell, ())
            raise
        return True

    def _tell(self) -> None:
        self._awaiting.wake()
        while self._actions:
            try:
                action = self._actions.popleft()
            except IndexError:  # another thread has the last one
                return
            action()

    def disown(self, error: BaseException) -> None:
        """In a forked child: it is over here, with ``error``, and nobody waits. Takes no lock."""
        self._lock = RLock()
        self.error = error
        self._actions, self._awaiting, self._over = deque(), Awaiting(), Event()
        self._over.set()


_RESULTS = (RunEnd.result.__code__, RunEnd.awaited.__code__, RunEnd.raise_error.__code__)


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
