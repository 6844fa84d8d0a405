"""``WorkerProcess``: one worker as its parent sees it. One thread at a time has it.

It is a fresh interpreter, so it is safe with threads whatever the program has started, and neither
the program's main module nor this package is imported there. It has a socket of its own: a worker
that is killed while it sends or receives takes no lock along that others wait for.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from actors_rs.errors import StreamError
from actors_rs.runtime._primitives import monotonic
from actors_rs.runtime.processes.wire import Packed, board, pack, receive, send, unpack
from actors_rs.runtime.processes.worker import AT, NOT_BEGUN, SINCE, SLOTS, STOP, Answer

__all__ = ["Function", "Reply", "WorkerLost", "WorkerProcess", "death"]

START_SECONDS = 60.0
"""How long an interpreter may take to start."""
STARTS = 5
"""How many workers in a row may die before they serve."""
LOOK_SECONDS = 0.5
"""How often to look whether a worker lives, where the system does not tell of its end."""
_MAIN = """\
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
import sys, types
package = sys.modules['actors_rs_worker'] = types.ModuleType('actors_rs_worker')
package.__path__ = [{folder!r}]
from actors_rs_worker.worker import main
main({socket}, {board})
"""


class Function(NamedTuple):
    """What workers are to call, known to them by its number once they have it."""

    number: int
    pickled: bytes
    """The function and its initializer."""
    listed: bool
    """Whether its results are iterables, which are listed in the worker."""
    timeout: float | None
    """Seconds that a call may take."""


class Reply(NamedTuple):
    """What a worker made of a chunk. ``sent`` is when all of it had been sent."""

    answer: Answer
    values: list[memoryview]
    waited: float
    """Seconds between the last byte that was sent and the first that came."""


class WorkerLost(Exception):  # noqa: N818 - nobody outside this package sees it
    """The worker has died, or was killed, before it had answered."""

    def __init__(self, pid: int, exit_code: int, at: int, why: str) -> None:
        super().__init__(f"worker process {pid} {death(exit_code)}")
        self.pid = pid
        self.exit_code = exit_code
        self.at = at
        """The place in the chunk of the element it was at; ``NOT_BEGUN`` or beyond the last one."""
        self.why = why
        """``died``, or ``timeout``: its parent has killed it."""


def death(exit_code: int) -> str:
    """How a process ended, in words."""
    if exit_code >= 0:
        return f"ended with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = "a signal"
    memory = ", perhaps by the kernel for want of memory" if name == "SIGKILL" else ""
    return f"was killed by {name} ({-exit_code}{memory})"


class WorkerProcess:
    """An interpreter that calls functions. ``start`` gives one that serves."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        block, self._board = board(SLOTS)
        try:
            folder = os.path.dirname(os.path.abspath(__file__))
            code = _MAIN.format(folder=folder, socket=theirs.fileno(), board=block)
            self._process = subprocess.Popen(
                [sys.executable, *_flags(), "-c", code],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(), block),
                process_group=0,  # Ctrl-C at a terminal is for the parent alone
            )
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
            os.close(block)
        ours.setblocking(False)
        self._socket = ours
        self._poll = select.poll()
        self._exit = _exit_descriptor(self._process.pid)
        if self._exit is not None:
            self._poll.register(self._exit, select.POLLIN)
        self.pid = self._process.pid
        self.calls = 0
        """How many elements it was given."""
        self.peak = 0
        """The most memory it had, in bytes, as it last said."""
        self._known: set[int] = set()
        self._timeout: float | None = None
        self._killed_for = ""

    @classmethod
    def start(cls) -> WorkerProcess:
        """One that serves; raises ``StreamError`` if none can be started."""
        lost: WorkerLost | None = None
        for _ in range(STARTS):
            worker = cls()
            try:
                worker._greet()
            except WorkerLost as error:
                lost = error
            except BaseException:
                worker.close(0.0)
                raise
            else:
                return worker
        raise StreamError(f"no worker process could be started: {STARTS} in a row died") from lost

    def _greet(self) -> None:
        self._board[AT], self._timeout = NOT_BEGUN, None
        deadline = monotonic() + START_SECONDS
        try:
            send(self._socket, pack([path or os.getcwd() for path in sys.path]), self._wait)
            receive(self._socket, lambda writing: self._wait(writing, deadline))
        except (EOFError, OSError):
            raise self._lost() from None

    def run(self, function: Function, elements: Packed, count: int) -> Reply:
        """Call ``function`` for the ``count`` packed ``elements``; raises ``WorkerLost``."""
        self._board[AT], self._board[STOP] = NOT_BEGUN, 0
        self._timeout = function.timeout
        self.calls += count
        number = function.number
        new = None if number in self._known else function.pickled
        request = number, new, function.listed, function.timeout is not None
        try:
            send(self._socket, pack(request), self._wait)
            send(self._socket, elements, self._wait)
            sent = monotonic()
            segments = receive(self._socket, self._wait)
            waited = monotonic() - sent
            answer = Answer(*unpack(segments))
            values = receive(self._socket, self._wait)
        except (EOFError, OSError):
            raise self._lost() from None
        if answer.status != "unusable":
            self._known.add(number)
        self.peak = answer.peak * (1 if sys.platform == "darwin" else 1024)
        return Reply(answer, values, waited)

    def ask_to_stop(self) -> None:
        """Let it end its chunk with the call that is under way. Any thread."""
        self._board[STOP] = 1

    def kill(self, why: str = "killed") -> None:
        """Kill it: whoever waits for its answer gets ``WorkerLost``. Any thread."""
        self._killed_for = self._killed_for or why
        with suppress(OSError):
            self._process.kill()

    def leave(self) -> None:
        """Let it end by itself; nobody waits for its answer."""
        with suppress(OSError):
            self._socket.close()

    def close(self, grace: float) -> bool:
        """End it, by force after ``grace`` seconds; whether it has ended."""
        self.leave()
        if grace <= 0 or not self._has_ended(grace):
            self.kill()
        ended = self._has_ended(max(grace, 1.0))
        if self._exit is not None:
            os.close(self._exit)
            self._exit = None
        return ended

    def disown(self) -> None:
        """In a forked child of its parent: it is the parent's alone."""
        self._socket.close()
        if self._exit is not None:
            os.close(self._exit)
            self._exit = None
        self._process.returncode = 0  # not to be waited for here

    @property
    def memory(self) -> int:
        """Bytes of memory it has, or the most it had where the system does not say. Any thread."""
        try:
            with open(f"/proc/{self.pid}/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")
        except (OSError, IndexError):
            return self.peak

    def _has_ended(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def _lost(self) -> WorkerLost:
        """It has died, or will: the socket has ended."""
        self.close(0.2)
        code = self._process.returncode
        why = self._killed_for if self._killed_for == "timeout" else "died"
        return WorkerLost(self.pid, -9 if code is None else code, self._board[AT], why)

    def _wait(self, writing: bool, deadline: float | None = None) -> None:
        """Wait for the socket; raises ``EOFError`` once the worker has ended or was killed."""
        self._poll.register(self._socket, select.POLLOUT if writing else select.POLLIN)
        while True:
            ready = [one for one, _ in self._poll.poll(1000 * self._patience())]
            if self._socket.fileno() in ready:
                return
            if ready or (self._exit is None and self._process.poll() is not None):
                raise EOFError
            if self._is_late() or (deadline is not None and monotonic() > deadline):
                self.kill("timeout")
                raise EOFError

    def _patience(self) -> float:
        """Seconds until to look at the worker again."""
        if self._timeout is None:
            return LOOK_SECONDS
        if self._board[AT] == NOT_BEGUN:
            return min(LOOK_SECONDS, self._timeout)
        return min(LOOK_SECONDS, max(0.001, self._left(self._timeout)))

    def _is_late(self) -> bool:
        """Whether the call that is under way takes longer than it may."""
        if self._timeout is None or self._board[AT] == NOT_BEGUN:
            return False
        return self._left(self._timeout) <= 0

    def _left(self, timeout: float) -> float:
        return self._board[SINCE] / 1e9 + timeout - monotonic()


def _flags() -> list[str]:
    """Options of this interpreter that a child is to have too."""
    options: Callable[[], list[str]] | None = getattr(
        subprocess, "_args_from_interpreter_flags", None
    )
    return [] if options is None else options()


def _exit_descriptor(pid: int) -> int | None:
    """What can be read from once the process has ended, where the system has that."""
    opened: Any = getattr(os, "pidfd_open", None)
    if opened is None:
        return None
    try:
        return int(opened(pid))
    except OSError:
        return None
