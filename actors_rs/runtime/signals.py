"""SIGINT and SIGTERM as an orderly end: the first drains, the second stops now.

While they are taken no ``KeyboardInterrupt`` is raised: the handler only counts and notes, since it
may interrupt the main thread anywhere, also while that holds a lock which draining or cancelling
would need.
"""

from __future__ import annotations

import logging
import signal
from types import FrameType
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from actors_rs.errors import InvalidArgumentError, RunCancelled
from actors_rs.runtime._primitives import (
    Empty,
    SimpleQueue,
    Thread,
    after_fork_in_child,
    current_thread_id,
    on_main_thread,
)

if TYPE_CHECKING:
    from actors_rs.runtime.system import ActorSystem

__all__ = ["SignalWatch", "SystemSignals"]

NOW_SECONDS = 0.3
"""How long the shutdown of a system may take once it is to stop now."""
LEAVE_SECONDS = 0.2
"""What the main thread has to leave the block by itself once all runs were told to stop now."""
logger = logging.getLogger("actors_rs.interrupt")
_watches: WeakSet[SignalWatch] = WeakSet()


class SignalWatch:
    """Counts SIGINT (Ctrl-C) and SIGTERM between ``take`` and ``release``; main thread only.

    A signal that the process was told to ignore stays ignored. ``signal`` is the number of the
    first one that came, ``received`` how many came.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self.received = 0
        self._before: dict[signal.Signals, Any] = {}
        self._released = False

    @property
    def exit_code(self) -> int:
        """What a shell expects of a process ended so: 130, 143, or 0 if no signal came."""
        return 0 if self.signal is None else 128 + self.signal

    def take(self) -> None:
        """Handle the signals from now on; ``InvalidArgumentError`` off the main thread."""
        if not on_main_thread():
            raise InvalidArgumentError(
                "signals can be handled on the main thread only, this is another one"
            )
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._handle)
        _watches.add(self)

    def release(self) -> None:
        """Put the handlers from before back; later calls do nothing.

        Off the main thread that is not possible: the next signal does it, and goes to them.
        """
        self._released = True
        _watches.discard(self)
        if on_main_thread():
            before, self._before = self._before, {}
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        """The handler; on the main thread, in the midst of anything."""
        if self._released:
            self.release()
            signal.raise_signal(number)
            return
        self.received += 1
        self.signal = self.signal or number
        self._noted()

    def _noted(self) -> None:
        """A signal was counted; still in the handler."""


class SystemSignals(SignalWatch):
    """Ends a system on a signal, from a thread of its own; the first signal drains its runs.

    After ``grace`` seconds, or with a second signal, everything is cancelled, and the main thread
    gets ``SystemExit`` unless it leaves the block of the system by itself; the third signal
    raises that at once. See ``ActorSystem.handle_signals``.
    """

    def __init__(self, system: ActorSystem, grace: float) -> None:
        if grace < 0:
            raise InvalidArgumentError(f"grace must be at least 0 seconds, got {grace}")
        super().__init__()
        self._system = system
        self._grace = grace
        self._arrived: SimpleQueue[int | None] = SimpleQueue()  # put is allowed in a handler
        self._thread = Thread(target=self._serve, name=f"{system.name}-signals", daemon=True)
        self._main = 0
        self._leave = False

    def take(self) -> None:
        """Handle the signals from now on, on behalf of one system in the process."""
        if any(isinstance(watch, SystemSignals) for watch in _watches):
            raise InvalidArgumentError("one system handles signals already, it must end first")
        super().take()
        self._main = current_thread_id()
        self._thread.start()

    def release(self) -> None:
        """Put the handlers from before back and end the thread."""
        super().release()
        self._arrived.put(None)

    def exit_after(self, error: BaseException | None) -> None:
        """Where the system's block ends: ``SystemExit`` with the right code if a signal came.

        ``error`` is what the block raises; one that has not to do with the signal comes first.
        """
        if self.signal is not None and (error is None or isinstance(error, RunCancelled)):
            raise SystemExit(self.exit_code) from error

    def _noted(self) -> None:
        self._arrived.put(self.signal)
        if self._leave or self.received > 2:
            raise SystemExit(self.exit_code)

    # On a thread of its own

    def _serve(self) -> None:
        number = self._arrived.get()
        if number is None:
            return
        name = signal.Signals(number).name
        logger.warning(
            "%s: '%s' delivers what is in hand, for at most %g s; once more to stop at once",
            name,
            self._system.name,
            self._grace,
        )
        self._system.drain(f"{name} came")
        if self._came_within(self._grace):
            logger.warning("'%s' stops now", self._system.name)
            self._system.stop_soon(NOW_SECONDS)
            if self._came_within(LEAVE_SECONDS):
                self._leave = True
                signal.pthread_kill(self._main, number)

    def _came_within(self, seconds: float) -> bool:
        """Wait; whether to go on, for a signal came or the time is over. False: released."""
        try:
            return self._arrived.get(timeout=seconds) is not None
        except Empty:
            return True


def _release_in_child() -> None:
    for watch in list(_watches):
        watch.release()


after_fork_in_child(_release_in_child)
