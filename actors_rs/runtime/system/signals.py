"""SIGINT and SIGTERM as an orderly end: the first drains, the second stops now.

While they are taken no ``KeyboardInterrupt`` is raised: the handler only counts and notes, since it
may interrupt the main thread anywhere, also while that holds a lock which draining or cancelling
would need.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Sized
from math import inf
from types import FrameType
from typing import Any, Protocol
from weakref import WeakSet

from actors_rs.errors import InvalidArgumentError, RunCancelled
from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import (
    Lock,
    Thread,
    after_fork_in_child,
    current_thread_id,
    monotonic,
    on_main_thread,
    or_for_ever,
)
from actors_rs.runtime.settings import check_seconds
from actors_rs.texts import counted

__all__ = ["Leave", "SignalWatch", "SystemSignals", "signal_that_came"]

NOW_SECONDS = 0.3
"""How long the shutdown of a system may take once it is to stop now."""
SAME_SECONDS = 0.1
"""A SIGTERM so soon after another is the same: ``timeout`` sends it to a process, then its group.
"""
LEAVE_SECONDS = 0.5
"""Seconds that the main thread has to leave the block by itself once all runs must stop now."""
_IGNORED = (
    "this process ignored %s before, and still ignores it: a shell lets the jobs that a script "
    "begins with '&' ignore SIGINT; send another signal, such as SIGTERM, to stop the program"
)
logger = logger_called("actors_rs.interrupt")
_watches: WeakSet[SignalWatch] = WeakSet()


class Leave(SystemExit, KeyboardInterrupt):
    """A signal ends what the main thread is doing.

    It is a ``SystemExit`` for the program. It is also a ``KeyboardInterrupt``, because code that
    completes its step when Ctrl-C comes has to complete it here too.
    """


class Endable(Protocol):
    """A system, as signals see it."""

    name: str

    def drain(self, why: str) -> None:
        """Start no further runs; those there are take no more in."""

    def stop_soon(self, within: float | None = None) -> None:
        """Cancel runs, tell actors to stop."""

    def _living_activities(self) -> Sized:
        """The runs that have not ended."""
        ...


class SignalWatch:
    """Counts SIGINT (Ctrl-C) and SIGTERM between ``take`` and ``release``; main thread only.

    A signal that the process ignored before stays ignored. ``signal`` is the number of the first
    signal that came, ``received`` how many came. A SIGTERM within 0.1 s of another is not counted.
    """

    def __init__(self) -> None:
        self._terminated = -inf  # when the last SIGTERM came
        self.signal: int | None = None
        self.received = 0
        self._before: dict[signal.Signals, Any] = {}
        self._released = False

    @property
    def exit_code(self) -> int:
        """The exit code that a shell expects: 130, 143, or 0 if no signal came."""
        return 0 if self.signal is None else 128 + self.signal

    def take(self) -> None:
        """Handle the signals from now on; ``InvalidArgumentError`` off the main thread."""
        _need_main_thread()
        self._released = False
        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)
            if before is signal.SIG_IGN:
                logger.info(_IGNORED, number.name)
                continue
            if before != self._handle:  # as it is after a release on another thread
                self._before[number] = before
            signal.signal(number, self._handle)
        _watches.add(self)

    def release(self) -> None:
        """Restore the previous handlers; later calls do nothing.

        Off the main thread this is impossible: the next signal restores them and is passed to them.
        If other code has taken the signals since, its handlers stay. When they are restored in
        turn, the handlers from before both return.
        """
        self._released = True
        _watches.discard(self)
        if on_main_thread():
            self._restore()

    def disown(self) -> None:
        """Put the handlers from before back in a forked child. Takes no lock."""
        self._released = True
        self._restore()

    def _restore(self) -> None:
        for number in self._before:
            if signal.getsignal(number) == self._handle:  # else other code took it after this one
                signal.signal(number, self._from_before(number))

    def _from_before(self, number: int) -> Any:
        """The handler to put back, which is none of a watch that was released meanwhile."""
        handler = self._before[signal.Signals(number)]
        watch = getattr(handler, "__self__", None)
        if isinstance(watch, SignalWatch) and watch._released:
            return watch._from_before(number)
        return signal.SIG_DFL if handler is None else handler

    def _handle(self, number: int, frame: FrameType | None) -> None:
        """The handler; on the main thread, in the midst of anything."""
        if self._released:
            self._pass_on(number, frame)
            return
        if number == signal.SIGTERM:
            before, self._terminated = self._terminated, monotonic()
            if self._terminated - before < SAME_SECONDS:
                return
        self.received += 1
        self.signal = self.signal or number
        self._noted()

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        """Call the previous handler; never raise the signal again, which would call this one."""
        self._restore()
        handler = self._from_before(number)
        if callable(handler):
            handler(number, frame)
        elif handler == signal.SIG_DFL:
            signal.signal(number, handler)
            signal.raise_signal(number)

    def _noted(self) -> None:
        """A signal was counted; still in the handler."""


def signal_that_came() -> int | None:
    """The number of the first signal that a watch of this process has counted, if one came."""
    return next((watch.signal for watch in list(_watches) if watch.signal is not None), None)


def _need_main_thread() -> None:
    if not on_main_thread():
        raise InvalidArgumentError(
            "signals can be handled on the main thread alone, and this is another one"
        )


class SystemSignals(SignalWatch):
    """Ends a system on a signal, from a thread of its own; the first signal drains its runs.

    After ``grace`` seconds, or with a second signal, everything is cancelled, and the main thread
    gets ``SystemExit`` unless it leaves the block of the system by itself; the third signal
    raises that at once. ``received`` is how many signals came, ``signal`` the number of the first
    one (``None`` before). See ``ActorSystem.handle_signals``, which makes and takes it.

    The thread hears of signals through a pipe that the interpreter writes to (its *wakeup fd*):
    the system gives signals to any thread, and a main thread that sleeps does not notice then.
    """

    def __init__(self, system: Endable, grace: float) -> None:
        check_seconds("grace", grace)
        if grace < 0:
            raise InvalidArgumentError(f"grace must be at least 0 seconds, got {grace}")
        super().__init__()
        self._system = system
        self._grace = grace
        self._thread = Thread(target=self._serve, name=f"{system.name}-signals", daemon=True)
        self._main = current_thread_id()
        self._killing = Lock()  # so that no signal is sent once the handlers are gone
        self._closing = Lock()  # taken for good
        self._leave, self._silent = False, True
        self._acted = 0  # signals that the thread has acted on, or sent to the main thread
        self._calls = 0  # of the handler, which may run much later than the thread acts
        self._ears = self._mouth = self._wakeup_before = -1

    def take(self) -> None:
        """Handle the signals from now on, on behalf of one system in the process.

        Where it raises, be it for Ctrl-C, ``release`` gives back what was taken until then.
        """
        if any(isinstance(watch, SystemSignals) for watch in _watches):
            raise InvalidArgumentError(
                "another system handles signals already: wait until it has ended"
            )
        _need_main_thread()
        self._ears, self._mouth = os.pipe()
        os.set_blocking(self._mouth, False)
        self._silent = False  # no call, in which Ctrl-C could come, lies before the next one
        self._wakeup_before = signal.set_wakeup_fd(self._mouth, warn_on_full_buffer=False)
        self._thread.start()
        super().take()

    def release(self) -> None:
        """Put the handlers from before back and end the thread; later calls do nothing.

        Off the main thread it ends the thread; a call on the main thread does the rest.
        """
        with self._killing:
            if self._mouth < 0:  # nothing was taken
                return
            if not self._released:
                os.write(self._mouth, b"\0")
            super().release()
        if self._thread.begun:
            self._thread.join(LEAVE_SECONDS)
        if self._silent and not self._thread.is_alive():
            self._close()

    def disown(self) -> None:
        """In a forked child, whose parent has the thread and goes on to hear from the pipe."""
        super().disown()
        self._close()

    def _restore(self) -> None:
        super()._restore()
        if not self._silent:
            signal.set_wakeup_fd(self._wakeup_before)
            self._silent = True

    def _close(self) -> None:
        if self._closing.acquire(blocking=False):  # once, whichever thread comes first
            os.close(self._ears)
            os.close(self._mouth)

    def exit_after(self, error: BaseException | None) -> None:
        """Where the system's block ends: ``SystemExit`` with the right code if a signal came.

        ``error`` is what the block raises; one that has not to do with the signal comes first.
        """
        of_signal = error is None or isinstance(error, RunCancelled | Leave)
        if self.signal is not None and of_signal:
            raise SystemExit(self.exit_code) from error

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._calls += 1
        super()._handle(number, frame)

    def _pass_on(self, number: int, frame: FrameType | None) -> None:
        if self._calls > self._acted:  # else the system has ended because of this signal
            super()._pass_on(number, frame)

    def _noted(self) -> None:
        if self._leave or self.received > 2:
            raise Leave(self.exit_code)

    # On a thread of its own

    def _serve(self) -> None:
        try:
            if number := self._next_signal(None):
                self._end_system(number)
        finally:
            if self._silent:  # else the interpreter still writes to the pipe
                self._close()

    def _end_system(self, number: int) -> None:
        self._acted += 1
        self.signal = self.signal or number
        name = signal.Signals(number).name
        logger.warning(
            "%s: '%s' %s; it stops after %g s, or at a second signal",
            name,
            self._system.name,
            _plan(self._system),
            self._grace,
        )
        self._system.drain(f"{name} came")
        second = self._next_signal(self._grace)
        if second == 0:
            return
        if second is not None:
            self._acted += 1
        logger.warning("'%s' stops now", self._system.name)
        self._system.stop_soon(NOW_SECONDS)
        if self._next_signal(LEAVE_SECONDS) != 0:
            with self._killing:
                if not self._released:
                    self._leave = True
                    self._acted += 1
                    signal.pthread_kill(self._main, number)
            while self._next_signal(None):
                pass

    def _next_signal(self, seconds: float | None) -> int | None:
        """The signal that comes within ``seconds``; 0 if there is no more to wait for."""
        deadline = None if seconds is None else monotonic() + seconds
        while True:
            left = None if deadline is None else max(0.0, deadline - monotonic())
            if not select.select([self._ears], [], [], or_for_ever(left))[0]:
                return None
            number = int.from_bytes(os.read(self._ears, 1), "big")  # 0 also when it was closed
            if number in (0, signal.SIGINT, signal.SIGTERM):
                return number  # else a signal that the program itself handles


def _plan(system: Endable) -> str:
    if runs := len(system._living_activities()):
        return f"delivers the elements in flight of {counted(runs, 'run')}"
    return "has no run to drain, and its actors go on until the program leaves its block"


def _release_in_child() -> None:
    for watch in list(_watches):
        watch.disown()
    _watches.clear()


after_fork_in_child(_release_in_child)
