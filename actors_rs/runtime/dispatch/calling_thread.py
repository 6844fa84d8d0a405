"""No thread at all: turns run on the thread that schedules them, one after the other.

For tests and for debugging: when ``tell`` returns, everything it set off has happened, unless a
turn or another thread was already at it. A turn that schedules further turns queues them behind
itself, so nothing recurses; and it must not wait for a future, whose turn might be one of those.

What is raised in here, as by Ctrl-C, goes to whoever scheduled the first turn. A thread is begun
for the turns that are left then: their mailboxes are scheduled already and would not be again. The
turn that runs stays the first of them until it has ended, so an interrupted one is among them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from actors_rs.runtime._primitives import (
    Lock,
    Thread,
    current_thread_id,
    may_block,
    monotonic,
    this_thread,
)
from actors_rs.runtime.dispatch.dispatcher import DispatcherStatistics, Turn

__all__ = ["CallingThreadDispatcher"]


class CallingThreadDispatcher:
    """Runs turns on the calling thread. All methods may be called from any thread."""

    kind = "calling_thread"

    def __init__(self) -> None:
        self._lock = Lock()
        self._turns = 0
        self._successors: list[Thread] = []
        self._due: dict[int, deque[Turn]] = {}  # by thread; the first one may be running
        self._running: dict[int, Turn] = {}  # by the thread that is in it

    @property
    def enqueue(self) -> Callable[[Turn], None]:
        """Hands in a turn for this thread; see ``Dispatcher.enqueue``."""
        return self._due.setdefault(current_thread_id(), deque()).append

    def enqueued(self) -> None:
        """Run what was handed in on this thread, unless it is running turns already."""
        try:
            thread = current_thread_id()
            while thread not in self._running and (due := self._due.get(thread)):
                self._run(due, thread)
        except BaseException:
            self.interrupted()
            raise

    def interrupted(self) -> None:
        """Let another thread run what waits on this one, unless this one still does so itself."""
        thread = current_thread_id()
        if thread in self._running or not (due := self._due.pop(thread, None)):
            return
        name = "actors-calling-thread"
        successor = Thread(target=self._succeed, args=(due,), name=name, daemon=True)
        try:
            successor.start()
        except RuntimeError:  # there is no thread left: the interrupt waits until they have run
            self._succeed(due)
        else:
            self._successors.append(successor)

    def schedule(self, turn: Turn, /) -> None:
        """Run ``turn``, now or after those that wait on this thread."""
        due = self._due.setdefault(current_thread_id(), deque())
        try:
            due.append(turn)
            self.enqueued()
        except BaseException:
            self.interrupted()
            raise

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
        thread = current_thread_id()
        waiting = len(self._due.get(thread, ())) - (thread in self._running)
        return DispatcherStatistics(0, waiting, self._turns)

    def _run(self, due: deque[Turn], thread: int) -> None:
        """Run turns on this thread until none waits."""
        might_block = may_block()
        try:
            this_thread.pooled = True
            while due:
                self._count()
                self._running[thread] = turn = due[0]
                turn()
                del due[0]  # no call, in which Ctrl-C could come between the two
        finally:  # as here
            this_thread.pooled = not might_block
            if thread in self._running:
                del self._running[thread]

    def _succeed(self, due: deque[Turn]) -> None:
        """Run on this thread what another one has left; the first turn only if it is owed."""
        first = due.popleft()
        if _is_owed(first, due):
            due.appendleft(first)
        own = self._due.setdefault(current_thread_id(), deque())
        own.extend(due)
        self.enqueued()

    def _count(self) -> None:
        with self._lock:
            self._turns += 1


def _is_owed(turn: Turn, later: deque[Turn]) -> bool:
    """Whether ``turn``, which was interrupted at some place or never begun, has to run again.

    Not if it had ended, its actor has a successor, or it has scheduled the next one already.
    """
    owner: Any = getattr(turn, "__self__", None)
    inbox = getattr(owner, "actor_inbox", None)
    if inbox is None:
        return False
    if inbox.idle or any(getattr(one, "__self__", None) is owner for one in later):
        return False
    return inbox.owner is owner or not hasattr(owner, "_turn_")  # a child that is to be made
