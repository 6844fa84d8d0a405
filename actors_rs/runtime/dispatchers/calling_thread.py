"""No thread at all: turns run on the thread that schedules them, one after the other.

For tests and for debugging: when ``tell`` returns, everything it set off has happened, unless a
turn or another thread was already at it. A turn that schedules further turns queues them behind
itself, so nothing recurses; and it must not wait for a future, whose turn might be one of those.
"""

from __future__ import annotations

from collections import deque

from actors_rs.runtime._primitives import Lock, ThreadLocal, blocking_forbidden
from actors_rs.runtime.dispatcher import DispatcherStatistics, Turn

__all__ = ["CallingThreadDispatcher"]


class _Waiting(ThreadLocal):
    """The turns that wait on the calling thread, by the dispatcher that is to run them."""

    def __init__(self) -> None:
        self.turns: dict[CallingThreadDispatcher, deque[Turn]] = {}


_waiting = _Waiting()


class CallingThreadDispatcher:
    """Runs turns on the calling thread. All methods may be called from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._turns = 0

    def schedule(self, turn: Turn, /) -> None:
        """Run ``turn``, now or after the one that is running on this thread."""
        queues = _waiting.turns
        queue = queues.get(self)
        if queue is not None:
            queue.append(turn)
            return
        queues[self] = queue = deque([turn])
        try:
            with blocking_forbidden():
                while queue:
                    self._count()
                    queue.popleft()()
        finally:
            del queues[self]

    def relieve(self) -> None:
        """Nothing: no other thread could take over."""

    def close(self, timeout: float) -> tuple[str, ...]:
        """Nothing to do: there is no thread, and every turn has run."""
        return ()

    def statistics(self) -> DispatcherStatistics:
        """A snapshot; ``ready`` is what waits on this thread."""
        queue = _waiting.turns.get(self)
        return DispatcherStatistics(0, len(queue or ()), self._turns)

    def _count(self) -> None:
        with self._lock:
            self._turns += 1
