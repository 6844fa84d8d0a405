"""No thread at all: turns run on the thread that schedules them, one after the other.

For tests and for debugging: when ``tell`` returns, everything it set off has happened, unless a
turn or another thread was already at it. A turn that schedules further turns queues them behind
itself, so nothing recurses; and it must not wait for a future, whose turn might be one of those.

What is raised between two turns, as by Ctrl-C, goes to whoever scheduled the first. A thread is
begun for the turns behind then: their mailboxes are scheduled already and would not be again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from weakref import WeakKeyDictionary

from actors_rs.runtime._primitives import (
    Lock,
    Thread,
    ThreadLocal,
    current_thread_id,
    may_block,
    monotonic,
    this_thread,
)
from actors_rs.runtime.dispatcher import DispatcherStatistics, Turn

__all__ = ["CallingThreadDispatcher"]


class _Waiting(ThreadLocal):
    """The turns that wait on the calling thread, by the dispatcher that is to run them."""

    def __init__(self) -> None:
        self.turns: dict[CallingThreadDispatcher, deque[Turn]] = {}
        self.handed_in: WeakKeyDictionary[CallingThreadDispatcher, deque[Turn]]
        self.handed_in = WeakKeyDictionary()


_waiting = _Waiting()


class CallingThreadDispatcher:
    """Runs turns on the calling thread. All methods may be called from any thread."""

    kind = "calling_thread"

    def __init__(self) -> None:
        self._lock = Lock()
        self._turns = 0
        self._successors: list[Thread] = []
        self._running: dict[int, Turn] = {}  # by the thread that is in it

    @property
    def enqueue(self) -> Callable[[Turn], None]:
        """Hands in a turn for this thread; see ``Dispatcher.enqueue``."""
        return _waiting.handed_in.setdefault(self, deque()).append

    def enqueued(self) -> None:
        """Run what was handed in on this thread, as ``schedule`` does."""
        handed_in = _waiting.handed_in.get(self, ())
        while handed_in:
            self.schedule(handed_in.popleft())

    def schedule(self, turn: Turn, /) -> None:
        """Run ``turn``, now or after the one that is running on this thread."""
        queue = _waiting.turns.get(self)
        if queue is None:
            self._run(deque([turn]))
        else:
            queue.append(turn)

    def relieve(self) -> None:
        """Nothing: no other thread could take over."""

    def grow_if_starved(self) -> None:
        """Nothing, for the same reason."""

    def thread_of(self, owner: object) -> int | None:
        """The thread that is in a turn of ``owner``."""
        for thread, turn in self._running.copy().items():
            if getattr(turn, "__self__", None) is owner:
                return thread
        return None

    def abandon(self, owner: object) -> bool:
        """False: the threads are the program's, and what they are in they come back from."""
        return False

    def close(self, timeout: float) -> tuple[str, ...]:
        """Wait for the turns that an interrupt has left to a thread; all others have run."""
        deadline = monotonic() + timeout
        for thread in self._successors:
            thread.join(max(0.0, deadline - monotonic()))
        return tuple(thread.name for thread in self._successors if thread.is_alive())

    def statistics(self) -> DispatcherStatistics:
        """A snapshot; ``ready`` is what waits on this thread."""
        queue = _waiting.turns.get(self)
        return DispatcherStatistics(0, len(queue or ()), self._turns)

    def _run(self, queue: deque[Turn]) -> None:
        """Run turns on this thread until none waits."""
        queues, thread = _waiting.turns, current_thread_id()
        queues[self] = queue
        might_block, this_thread.pooled = may_block(), True
        try:
            while queue:
                self._count()
                turn = self._running[thread] = queue.popleft()
                turn()
        finally:
            self._running.pop(thread, None)
            this_thread.pooled = not might_block  # no function, where Ctrl-C could come before it
            del queues[self]
            if queue:
                self._hand_over(queue)

    def _hand_over(self, queue: deque[Turn]) -> None:
        name = "actors-calling-thread"
        successor = Thread(target=self._run, args=(queue,), name=name, daemon=True)
        try:
            successor.start()
        except RuntimeError:  # there is no thread left: the interrupt waits until they have run
            self._run(queue)
        else:
            self._successors.append(successor)

    def _count(self) -> None:
        with self._lock:
            self._turns += 1
