"""What runs in a worker process: it calls a function for each element of a chunk.

A ``Request`` comes with the elements of a chunk, an ``Answer`` goes back with the values. An
element whose call raises fails alone. The board, which both processes see, tells which element the
worker is at, so that its parent knows what it died of, and since when, for a ``timeout``. There the
parent also asks for the end of a chunk whose results have become useless.

This module runs in workers as it is: it imports nothing of ours but ``wire``.
"""

from __future__ import annotations

import mmap
import os
import pickle
import resource
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import monotonic_ns, perf_counter, sleep
from typing import Any, NamedTuple

from .wire import NOTHING, Packed, pack, receive, send, unpack

__all__ = ["AT", "NOT_BEGUN", "SINCE", "SLOTS", "STOP", "main", "serve"]

AT, SINCE, STOP, SLOTS = range(4)
"""The board: the element that the worker runs, since when (ns), the last chunk to stop."""
NOT_BEGUN = -1
"""Of ``AT``: no call of the chunk has begun."""
WATCH_SECONDS = 0.5
"""How often a worker looks whether its parent lives."""

Request = tuple[int, int, bytes | None, bool, bool]
"""The number of the chunk and of its function, that itself with its initializer if it is new here,
whether its results are iterables to be listed, and whether its calls are timed."""
Failure = tuple[int, bytes | None, bytes | None, str, str]
"""The place of an element in its chunk, its error pickled, its class and arguments pickled, in one
line, and with its traceback."""


class Answer(NamedTuple):
    """The head of the values. It is sent as a plain tuple: the class has another name there."""

    status: str
    """``done``; ``unread``: the elements could not be unpickled; ``unusable``: the function, or its
    initializer; ``unwritable``: the values could not be pickled."""
    failures: list[Failure]
    pickling: float
    """Seconds it took to unpickle the elements and to pickle the values."""
    calling: float
    """Seconds in calls."""
    peak: int
    """Most memory it had, in KiB (bytes on macOS)."""


def main(descriptor: int, board_descriptor: int) -> None:
    """Serve the parent, in a process of its own, until it goes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    threading.Thread(target=_end_with, args=[os.getppid()], daemon=True).start()
    serve(descriptor, board_descriptor)


def serve(descriptor: int, board_descriptor: int) -> None:
    """Answer what comes through the socket until the other side has closed it."""
    sock = socket.socket(fileno=descriptor)
    board = memoryview(mmap.mmap(board_descriptor, mmap.PAGESIZE))[: 8 * SLOTS].cast("q")
    os.close(board_descriptor)
    with sock, suppress(EOFError, ConnectionError):
        sys.path[:], _ = receive(sock, _no_wait)
        pack(None)  # imports cloudpickle now: a worker that is killed then has had no chunk yet
        send(sock, os.getpid(), NOTHING, _no_wait)
        functions: dict[int, Callable[[Any], Any]] = {}
        while True:
            _serve(sock, board, functions)


def _no_wait(writing: bool) -> None:
    """The socket blocks by itself."""


def _end_with(parent: int) -> None:
    """A parent that is killed says nothing, and a function may never return."""
    while os.getppid() == parent:
        sleep(WATCH_SECONDS)
    os._exit(1)


def _serve(
    sock: socket.socket, board: memoryview, functions: dict[int, Callable[[Any], Any]]
) -> None:
    request, segments = receive(sock, _no_wait)
    chunk, number, new, listed, timed = request
    began = perf_counter()
    status, failures, values = "unusable", list[Failure](), list[Any]()
    try:
        if new is not None:
            f, initializer = pickle.loads(new)
            if initializer is not None:
                initializer()
            functions[number] = f
        f = functions[number]
        status = "unread"
        elements = unpack(segments)
        del segments
    except BaseException as error:
        _answer(sock, Answer(status, [_failure(0, error)], 0.0, 0.0, _peak()), pack([]))
        return
    read = perf_counter()
    calls = _Calls(f, chunk, listed, timed, board)
    calls.make(elements, values, failures)
    called = perf_counter()
    try:
        packed, status = pack(values), "done"
    except BaseException as error:
        packed, status = pack([]), "unwritable"
        failures = [_failure(0, error)]
    pickling = read - began + perf_counter() - called
    board[AT] = NOT_BEGUN  # of the next chunk
    _answer(sock, Answer(status, failures, pickling, called - read, _peak()), packed)


def _answer(sock: socket.socket, answer: Answer, packed: Packed) -> None:
    send(sock, tuple(answer), packed, _no_wait)


class _Calls(NamedTuple):
    """Calls of one chunk."""

    f: Callable[[Any], Any]
    chunk: int
    listed: bool
    timed: bool
    board: memoryview

    def make(self, elements: Sequence[Any], values: list[Any], failures: list[Failure]) -> None:
        f, chunk, listed, timed, board = self
        keep = values.append
        for at, element in enumerate(elements):
            if board[STOP] >= chunk:
                return
            if timed:
                board[SINCE] = monotonic_ns()
            board[AT] = at
            try:
                value = f(element)
                keep(list(value) if listed else value)
            except BaseException as error:  # a SystemExit would end the worker
                keep(None)
                failures.append(_failure(at, error))
        board[AT] = len(elements)


def _failure(at: int, error: BaseException) -> Failure:
    trace = "".join(traceback.format_exception(error)).rstrip()
    line = traceback.format_exception_only(error)[-1].rstrip()
    parts = type(error), error.args
    error.__traceback__ = error.__cause__ = error.__context__ = None
    return at, _dumped(error), _dumped(parts), line, trace


def _dumped(value: object) -> bytes | None:
    """``value``, pickled, if it can be read again."""
    from cloudpickle import dumps

    try:
        pickled = bytes(dumps(value, protocol=5))
        pickle.loads(pickled)
    except BaseException:
        return None
    return pickled


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
