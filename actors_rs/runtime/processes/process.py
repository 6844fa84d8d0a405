"""``WorkerProcess``: one worker as its parent sees it. Any thread may call its methods.

It is a fresh interpreter, so it is safe with the threads that the program has started, and neither
the program's main module nor this package is imported there. It has a socket of its own: a worker
that is killed while it sends or receives holds no lock that others wait for.
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
from functools import partial
from typing import Any, NamedTuple, Protocol

from actors_rs.errors import StreamError
from actors_rs.runtime._primitives import Lock, monotonic
from actors_rs.runtime.condition import Condition
from actors_rs.runtime.processes.wire import NOTHING, Packed, Wait, board, receive, send
from actors_rs.runtime.processes.worker import AT, NOT_BEGUN, SINCE, SLOTS, STOP, Answer

__all__ = [
    "Function",
    "Launched",
    "Reply",
    "WorkerLost",
    "WorkerProcess",
    "death",
    "worker_code",
]

START_SECONDS = 60.0
"""How long an interpreter may take to start."""
STARTS = 5
"""How many workers in a row may die before they serve."""
LOOK_SECONDS = 0.5
"""Seconds between looks whether a worker lives, where the system does not report its end."""
_IGNORE_INTERRUPTS = """\
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
"""
_FIND = """\
import sys, types
package = sys.modules['actors_rs_worker'] = types.ModuleType('actors_rs_worker')
package.__path__ = [{folder!r}]
"""
_SERVE = """\
from actors_rs_worker.worker import {served_by}
{served_by}({socket}, {board})
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
    """The answer of a worker to one chunk."""

    answer: Answer
    values: list[memoryview]


class WorkerLost(Exception):  # noqa: N818 - nobody outside this package sees it
    """The worker has died, or was killed, before it had answered."""

    def __init__(self, pid: int, exit_code: int, at: int, why: str) -> None:
        super().__init__(f"worker process {pid} {death(exit_code)}")
        self.pid = pid
        self.exit_code = exit_code
        self.at = at
        """The place in the chunk of the element it was at; ``NOT_BEGUN`` or beyond the last one."""
        self.why = why
        """``died``; ``timeout``: its parent has killed it; ``queued``: with another chunk."""


def death(exit_code: int) -> str:
    """How a process ended, in words."""
    if exit_code >= 0:
        return f"ended with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = "a signal"
    memory = ", perhaps by the kernel because memory ran out" if name == "SIGKILL" else ""
    return f"was killed by {name} ({-exit_code}{memory})"


class Launched(Protocol):
    """The process, or its like, of a worker. See ``subprocess.Popen``."""

    pid: int
    returncode: int | Any

    def poll(self) -> int | None:
        """Its exit code, once it has ended."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; raises ``subprocess.TimeoutExpired``."""
        ...

    def kill(self) -> None:
        """End it, where that can be done."""


def worker_code(served_by: str, served: int, block: int) -> str:
    """The code of a worker's interpreter: it calls a function of ``worker.py``."""
    folder = os.path.dirname(os.path.abspath(__file__))
    serve = _SERVE.format(served_by=served_by, socket=served, board=block)
    return _FIND.format(folder=folder) + serve


class WorkerProcess:
    """An interpreter that calls functions. ``start`` gives one that serves."""

    kind = "worker process"

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        block, self._board = board(SLOTS)
        try:
            self._process = self._launched(theirs.fileno(), block)
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
            os.close(block)
        ours.setblocking(False)
        self._socket = ours
        self.pid = self._process.pid
        self._exit = self._exit_descriptor()
        self.name = f"{self.kind} {self.pid}"
        self.calls = 0
        """How many elements it was given; kept by the pool."""
        self.chunks = 0
        """How many it has; kept by the pool."""
        self.doomed = False
        """Whether it is lost; kept by the pool."""
        self.peak = 0
        """The most memory it had, in bytes, as it last said."""
        self._known: set[int] = set()
        self._sending = Lock()
        self._sent = 0  # chunks, numbered from 1
        self._answers = Condition()
        self._answered = 0
        self._killed_for = ""
        self._is_lost = False

    def _launched(self, served: int, block: int) -> Launched:
        code = _IGNORE_INTERRUPTS + worker_code("main", served, block)
        return subprocess.Popen(
            [sys.executable, *_flags(), "-c", code],
            stdin=subprocess.DEVNULL,
            pass_fds=(served, block),
            process_group=0,  # Ctrl-C at a terminal is for the parent alone
        )

    def _exit_descriptor(self) -> int | None:
        """A descriptor that is readable once the process has ended; None where there is none."""
        opened: Any = getattr(os, "pidfd_open", None)
        if opened is None:
            return None
        try:
            return int(opened(self.pid))
        except OSError:
            return None

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
        raise StreamError(
            f"no {cls.kind} could be started, {STARTS} in a row died: standard error has the reason"
        ) from lost

    def _greet(self) -> None:
        self._board[AT] = NOT_BEGUN
        deadline = monotonic() + START_SECONDS
        try:
            paths = [path or os.getcwd() for path in sys.path]
            send(self._socket, paths, NOTHING, self._wait)
            receive(self._socket, partial(self._wait, deadline=deadline))
        except (EOFError, OSError):
            raise self._lost() from None

    def run(self, function: Function, elements: Packed) -> Reply:
        """Call ``function`` for each of the packed ``elements``; raises ``WorkerLost``.

        While one thread waits for its answer, another thread may hand in the next chunk, so that
        the worker has work until the first thread has read the answer.
        """
        number = self._hand_in(function, elements)
        self._answers.wait_for(lambda: self._answered == number - 1)
        try:
            if self._is_lost:
                raise WorkerLost(self.pid, 0, NOT_BEGUN, "queued")
            return self._reply(partial(self._wait, timeout=function.timeout))
        except (EOFError, OSError):
            raise self._lost() from None
        finally:
            with self._answers.lock:
                self._answers.notify_all()
                self._answered = number

    def _hand_in(self, function: Function, elements: Packed) -> int:
        """Send a chunk; its number. What goes wrong is seen where its answer is waited for."""
        with self._sending:
            self._sent += 1
            new = None if function.number in self._known else function.pickled
            self._known.add(function.number)
            timed = function.timeout is not None
            request = self._sent, function.number, new, function.listed, timed
            with suppress(EOFError, OSError):
                send(self._socket, request, elements, self._wait)
            return self._sent

    def _reply(self, wait: Wait) -> Reply:
        head, values = receive(self._socket, wait)
        answer = Answer(*head)
        self.peak = answer.peak * (1 if sys.platform == "darwin" else 1024)
        return Reply(answer, values)

    def ask_to_stop(self) -> None:
        """Let it end its chunks with the call that is under way. Any thread."""
        self._board[STOP] = self._sent

    def kill(self, why: str = "killed") -> None:
        """Kill the worker: calls that wait for its answer raise ``WorkerLost``. Any thread."""
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
        """It has died, or will: the socket has ended. Descriptors stay open for other threads."""
        if not self._has_ended(0.2):
            self.kill()
            self._has_ended(1.0)
        self._is_lost = True
        code = self._process.returncode
        why = self._killed_for if self._killed_for == "timeout" else "died"
        return WorkerLost(self.pid, -9 if code is None else code, self._board[AT], why)

    def _wait(
        self, writing: bool, deadline: float | None = None, timeout: float | None = None
    ) -> None:
        """Wait for the socket; raises ``EOFError`` once the worker has ended or was killed.

        It is killed at the ``deadline``, or when a call takes longer than ``timeout`` seconds.
        """
        poll, sock = select.poll(), self._socket.fileno()
        poll.register(sock, select.POLLOUT if writing else select.POLLIN)
        if self._exit is not None:
            poll.register(self._exit, select.POLLIN)
        while True:
            left = self._left(timeout)
            ready = [one for one, _ in poll.poll(1000 * min(LOOK_SECONDS, max(0.001, left)))]
            if sock in ready:
                return
            if ready or (self._exit is None and self._process.poll() is not None):
                raise EOFError
            if self._left(timeout) <= 0 or (deadline is not None and monotonic() > deadline):
                self.kill("timeout")
                raise EOFError

    def _left(self, timeout: float | None) -> float:
        """Seconds that the call under way still has."""
        if timeout is None:
            return LOOK_SECONDS
        if self._board[AT] == NOT_BEGUN:
            return min(timeout, LOOK_SECONDS)
        return self._board[SINCE] / 1e9 + timeout - monotonic()


def _flags() -> list[str]:
    """Options of this interpreter that a child is to have too."""
    options: Callable[[], list[str]] | None = getattr(
        subprocess, "_args_from_interpreter_flags", None
    )
    return [] if options is None else options()
