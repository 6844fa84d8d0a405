"""No thread at all: turns run on the thread that schedules them, one after the other.

It is for tests and for debugging: when ``tell`` returns, all its effects have happened, unless a
turn or another thread was already at work. A turn that schedules further turns queues them after
itself, so nothing recurses. It must not wait for a future, whose turn might be one of them.

An exception in here, such as Ctrl-C, goes to the code that scheduled the first turn. A thread is
then started for the remaining turns: their mailboxes are scheduled already and would not be
scheduled again. The running turn stays the first in the queue until it has ended, so an interrupted
turn is among them. One C call starts that thread, so a further interrupt comes too late.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from actors_rs.runtime._primitives import (
    Event,
    RLock,
    Thread,
    current_thread_id,
    may_block,
    monotonic,
    start_thread,
    this_thread,
)
from actors_rs.runtime.dispatch.dispatcher import DispatcherStatistics, Turn

__all__ = ["CallingThreadDispatcher"]

NAME = "actors-calling-thread"
"""Of a thread that runs what an interrupted one has left."""


class CallingThreadDispatcher:
    """Runs turns on the calling thread. All methods may be called from any thread."""

    kind = "calling_thread"

    def __init__(self) -> None:
        self._lock = RLock()  # the collector may run a ``__del__`` that sends a message
        self._turns = 0
        self._successions: list[Event] = []  # set when all has run that was left to a thread
        self._due: dict[int, deque[Turn]] = {}  # by thread; the first one may be running
        self._running: dict[int, Turn] = {}  # by the thread that is in it

    @property
    def enqueue(self) -> Callable[[Turn], None]:
        """Hands in a turn for this thread; see ``Dispatcher.enqueue``."""
        return self._due.setdefault(current_thread_id(), deque()).append

    def enqueued(self) -> None:
        """Run what was handed in on this thread, unless it is running turns already."""
        thread = current_thread_id()
        while thread not in self._running and (due := self._due.get(thread)):
            if len(due) > 1:  # an interrupt has left some, and no thread has taken them over yet
                self._drop_what_has_ended(due)
            self._run(due, thread)

    def take_over(self, enqueue: Callable[[Turn], object], /) -> None:
        """Run here what waits where ``enqueue`` puts it, unless its own thread still does so."""
        self._succeed(enqueue.__self__)  # type: ignore[attr-defined]

    def schedule(self, turn: Turn, /) -> None:
        """Run ``turn``, now or after the turns that wait on this thread."""
        due = self._due.setdefault(current_thread_id(), deque())
        try:
            due.append(turn)
            self.enqueued()
        except BaseException:
            try:
                start_thread(self.take_over, (due.append,))  # one call: no signal comes first
            except RuntimeError:
                self.take_over(due.append)
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
        left = [due for thread, due in self._due.copy().items() if thread not in self._running]
        for due in filter(None, left):  # the thread for them has not begun yet
            helper = Thread(target=self._succeed, args=(due,), name=NAME, daemon=True)
            try:
                helper.start()
            except RuntimeError:  # there is none
                self._succeed(due)
            else:
                helper.join(max(0.0, deadline - monotonic()))
        done = [one.wait(max(0.0, deadline - monotonic())) for one in self._successions]
        return (NAME,) * done.count(False)

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
            while (turn := self._begun(due, thread)) is not None:
                turn()
                del due[0]  # no call, in which Ctrl-C could come between the two
        finally:  # as here
            this_thread.pooled = not might_block
            if thread in self._running:
                del self._running[thread]

    def _begun(self, due: deque[Turn], thread: int) -> Turn | None:
        """The next turn, which begins on this thread; ``None``: there is none."""
        with self._lock:
            if not due:
                return None
            self._turns += 1
            self._running[thread] = turn = due[0]
            return turn

    def _succeed(self, due: deque[Turn]) -> None:
        """Run on this thread what another one has left; the first turn only if it is owed."""
        own, done = self._due.setdefault(current_thread_id(), deque()), Event()
        with self._lock:
            if not due or any(self._due.get(one) is due for one in self._running.copy()):
                return
            if own is not due:
                own.extend(due)
                due.clear()
            self._successions.append(done)
        self._drop_what_has_ended(own)
        try:
            self._run(own, current_thread_id())
        except BaseException:
            start_thread(self._succeed, (own,))
            raise
        finally:
            done.set()

    def _drop_what_has_ended(self, due: deque[Turn]) -> None:
        """Leave out the first turn, which may have been interrupted, unless it has to run again."""
        with self._lock:
            if due and not _is_owed(*due):
                del due[0]


def _is_owed(turn: Turn, *later: Turn) -> bool:
    inbox = _inbox_of(turn)
    return inbox is not None and inbox.owes(turn) and inbox not in map(_inbox_of, later)


def _inbox_of(turn: Turn) -> Any:
    return getattr(getattr(turn, "__self__", None), "actor_inbox", None)
