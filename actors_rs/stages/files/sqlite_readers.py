"""The readers of a SQLite database: sources of this process, which can release it, and processes.

Without a write-ahead log, a reader blocks all commits until its last row. A source of this process
that is asked to release the file copies the remaining rows of its query into a temporary file and
goes on from there. So its rows are still the rows of the moment at which it began.
"""

from __future__ import annotations

import marshal
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from os.path import realpath
from tempfile import SpooledTemporaryFile
from typing import IO, Any

__all__ = ["Rows", "are_there", "ask_to_release", "holders"]

_AT_ONCE = 1_000
_IN_MEMORY = 1 << 24
"""Bytes that are kept in memory, before there is a file."""

_readers: dict[int, Rows] = {}
"""The queries that sources of this process read just now, by their identity."""


class Rows:
    """The rows of ``cursor``, which reads the file ``path``.

    ``turn`` runs a function in the turns of the stage that reads, where all but ``ask`` is called.
    """

    def __init__(
        self,
        path: str,
        cursor: sqlite3.Cursor,
        turn: Callable[[Callable[[], None]], None],
    ) -> None:
        self.file = realpath(path)
        self._cursor = cursor
        self._rest: Iterator[Any] = iter(())
        self._turn = turn
        self._asked = self._releasing = False

    def __iter__(self) -> Iterator[Any]:
        _readers[id(self)] = self
        try:
            yield from self._cursor
            yield from self._rest
        finally:
            _readers.pop(id(self), None)

    def ask(self) -> bool:
        """Ask it to release its file in its next turn. Any thread.

        Returns ``False`` if it was asked before and has not begun, so that no two turns wait for
        each other.
        """
        first, self._asked = not self._asked, True
        if first:
            self._turn(self._release)
        return first or self._releasing

    def _release(self) -> None:
        if id(self) not in _readers:
            return
        self._releasing = True
        rest: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed by who reads it
        while rows := self._cursor.fetchmany(_AT_ONCE):
            marshal.dump(rows, rest)
        self._rest = _rows_in(rest)  # the cursor has come to its end, and so has its lock
        _readers.pop(id(self), None)


def _rows_in(rest: IO[bytes]) -> Iterator[Any]:
    with rest:
        end = rest.tell()
        rest.seek(0)
        while rest.tell() < end:
            yield from marshal.load(rest)


def are_there(path: str) -> bool:
    """Whether sources of this process read ``path``."""
    file = realpath(path)
    return any(reader.file == file for reader in tuple(_readers.values()))


def ask_to_release(path: str) -> bool:
    """Ask sources of this process that read ``path``; whether one does so. Does not wait."""
    found = [reader.ask() for reader in tuple(_readers.values()) if reader.file == realpath(path)]
    return any(found)


def holders(path: str) -> list[int]:
    """The numbers of other processes that have locks on ``path``, as far as Linux tells."""
    files = set()
    for name in (path, f"{path}-shm"):
        with suppress(OSError):
            there = os.stat(name)
            device = f"{os.major(there.st_dev):02x}:{os.minor(there.st_dev):02x}"
            files.add(f"{device}:{there.st_ino}")
    found = set()
    with suppress(OSError, ValueError, IndexError), open("/proc/locks") as locks:
        for line in locks:
            words = line.replace("-> ", "").split()
            if words[5] in files and int(words[4]) > 0:
                found.add(int(words[4]))
    return sorted(found - {os.getpid()})
