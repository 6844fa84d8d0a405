"""A hold on a file, by at most one live process.

It is an exclusive transaction on a small SQLite database beside the file: the operating system
gives it up when the process ends, however it ends.
"""

from __future__ import annotations

import os
import sqlite3

__all__ = ["Hold"]

_PATIENCE = 0.25  # seconds; a reader may be checking whether it is held


class Hold:
    """Holds ``path`` from ``take`` to ``release``. Any thread, one at a time."""

    def __init__(self, path: str) -> None:
        self.file = f"{os.path.realpath(path)}.lock"  # one file, through any links
        self._database: sqlite3.Connection | None = None

    def take(self) -> bool:
        """Take the hold. Returns ``False`` if another process or run has it."""
        database = self._connected(_PATIENCE)
        try:
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.DatabaseError as error:
            database.close()
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                return False
            raise
        self._database = database
        return True

    def is_taken(self, *, unknown: bool) -> bool:
        """Whether any process, this one included, has the hold; ``unknown`` if unreadable."""
        if not os.path.exists(self.file):
            return False
        try:
            database = self._connected(0.0)
        except sqlite3.DatabaseError:  # it may not be opened
            return unknown
        try:
            database.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.DatabaseError as error:
            return unknown or error.sqlite_errorcode == sqlite3.SQLITE_BUSY
        finally:
            database.close()
        return False

    def release(self) -> None:
        """Give it up; later calls do nothing."""
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def _connected(self, patience: float) -> sqlite3.Connection:
        return sqlite3.connect(
            self.file, timeout=patience, isolation_level=None, check_same_thread=False
        )
