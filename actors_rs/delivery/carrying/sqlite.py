"""SQLite, a unit a transaction: its rows and the note that it is done, together or not at all.

Where the note lies depends on the source. If it keeps a ledger in this very file, the ledger's
entry is the note. Else it is a row of a table of its own, ``actors_rs_delivered``, and a
unit that is delivered again is recognized by it and not written a second time.
"""

from __future__ import annotations

import os
import sqlite3
from typing import Any

from actors_rs.delivery.ack import Unit
from actors_rs.delivery.carrying.units import UnitSink
from actors_rs.stages.sinks.files import naming

__all__ = ["UnitSqlite"]

_BUSY_SECONDS = 60.0
_NOTES = (
    "CREATE TABLE IF NOT EXISTS actors_rs_delivered "
    "(run TEXT NOT NULL, unit TEXT NOT NULL, PRIMARY KEY (run, unit)) WITHOUT ROWID"
)


class UnitSqlite(UnitSink[list[Any]]):
    """The rows of each unit in one transaction; the result is how many rows were committed."""

    def __init__(self, path: str, sql: str, setup: str | None) -> None:
        super().__init__()
        self._path = path
        self._sql = sql
        self._setup = setup
        self._database: sqlite3.Connection | None = None

    def start(self) -> None:
        with naming(self._path):
            self._database = sqlite3.connect(
                self._path, timeout=_BUSY_SECONDS, check_same_thread=False
            )
            if self._setup is not None:
                self._database.executescript(self._setup)
        super().start()

    def begin(self, unit: Unit) -> list[Any]:
        return []

    def add(self, held: list[Any], value: Any, /) -> None:
        held.append(value)

    def commit(self, unit: Unit, held: list[Any], /) -> None:
        database = self._database
        if database is None:
            return
        with naming(self._path), database:  # commits, or rolls back if it raises
            if self._is_new(unit, database):
                database.executemany(self._sql, held)

    def finish(self) -> int:
        self._close()
        return self.elements

    def stop(self, error: BaseException | None) -> None:
        super().stop(error)
        self._close()

    def _is_new(self, unit: Unit, database: sqlite3.Connection) -> bool:
        """Note ``unit`` in the open transaction; whether it was not noted before."""
        entry = unit.entry
        if entry is None:
            return True
        if os.path.realpath(entry.path) == os.path.realpath(self._path):
            return entry.commit_within(database)
        database.execute(_NOTES)
        noted = database.execute(
            "INSERT OR IGNORE INTO actors_rs_delivered VALUES (?, ?)",
            (entry.run_key, str(unit.key)),
        )
        return noted.rowcount == 1

    def _close(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            database.close()
