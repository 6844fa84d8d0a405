"""A hold on a file, by at most one live process.

It is an exclusive transaction on a small SQLite database beside the file: the operating system
gives it up when the process ends, however it ends.
"""

from __future__ import annotations

import sqlite3

__all__ = ["Hold"]


class Hold:
    """Holds ``path`` from ``take`` to ``release``. Any thread, one at a time."""

    def __init__(self, path: str) -> None:
        self._path = f"{path}.lock"
        self._database: sqlite3.Connection | None = None

    def take(self) -> bool:
        """Whether it is held now; False if somebody else holds it."""
        database = sqlite3.connect(
            self._path, timeout=0, isolation_level=None, check_same_thread=False
        )
        try:
            database.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            database.close()
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                return False
            raise
        self._database = database
        return True

    def release(self) -> None:
        """Give it up; later calls do nothing."""
        database, self._database = self._database, None
        if database is not None:
            database.close()
