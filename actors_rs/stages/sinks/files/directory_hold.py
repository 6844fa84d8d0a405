"""A hold on a directory, by at most one sink: a lock on a hidden file that tells who has it.

The operating system gives the lock up when the process ends, however it ends. Where there are no
locks, on some network file systems for one, nobody is kept out.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import IO
from weakref import WeakSet

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

__all__ = ["LOCK", "DirectoryHold"]

LOCK = ".actors_rs_lock"
"""The file that is locked; it is there as long as the hold is."""


class DirectoryHold:
    """Holds ``directory`` from ``take`` to ``release``. One thread at a time."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / LOCK
        self._file: IO[bytes] | None = None
        _holds.add(self)

    def take(self, who: str) -> None:
        """Raise ``BlockingIOError``, which names the holder, if another sink holds the directory.

        Other sinks' errors give ``who``, with the number of this process.
        """
        while fcntl is not None and self._file is None:
            file = self._opened()
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                with file:
                    raise BlockingIOError(_held_by(file)) from None
            except OSError:  # no locks here
                file.close()
                self._path.unlink(missing_ok=True)
                return
            if _is_at(file, self._path):
                self._file = file
                with suppress(OSError):  # another user's, whose process was killed
                    os.truncate(file.fileno(), 0)
                    file.write(f"{os.getpid()} {who}".encode())
                    file.flush()
            else:  # its holder has just removed it
                file.close()

    def release(self) -> None:
        """Give it up; later calls do nothing."""
        file, self._file = self._file, None
        if file is not None:
            with file, suppress(OSError):
                self._path.unlink()

    def leave_to_parent(self) -> None:
        """In a forked child: the lock is to end with the process that took it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> IO[bytes]:
        try:
            return self._path.open("a+b", buffering=0)
        except PermissionError:
            if not self._path.exists():
                raise
            return self._path.open("rb", buffering=0)


def _held_by(file: IO[bytes]) -> str:
    file.seek(0)
    process, _, who = file.read().decode(errors="replace").partition(" ")
    by = "this process" if process == str(os.getpid()) else f"process {process}"
    holder = f"{who} of {by}" if who else "another sink"  # which has taken it just now
    return (
        f"expected a directory that no other sink is writing to, but {holder} is: "
        "wait until that has ended, or give each sink a directory of its own"
    )


def _is_at(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


_holds: WeakSet[DirectoryHold] = WeakSet()


def _leave_all() -> None:
    for hold in list(_holds):
        hold.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all)
