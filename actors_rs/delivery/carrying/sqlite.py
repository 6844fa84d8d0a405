"""SQLite, a unit a transaction: its rows and the note that they are there, together or not at all.

The note is a row of the table ``actors_rs_delivered``, for each run, sink and unit: a unit that is
delivered again is recognized by it and not written a second time. If the source keeps a ledger in
this very file, and no other sink has anything of the unit, the ledger's entry is part of the
transaction too.
"""

from __future__ import annotations

import os
import sqlite3
from typing import Any

from actors_rs.delivery.ack import Unit
from actors_rs.delivery.carrying.units import UnitSink
from actors_rs.stages.sinks.sqlite import Parameters
from actors_rs.stages.sqlite_files import connected, transaction, writing

__all__ = ["UnitSqlite"]

_BUSY_SECONDS = 60.0
_NOTES = (
    "CREATE TABLE IF NOT EXISTS actors_rs_delivered "
    "(run TEXT NOT NULL, sink TEXT NOT NULL, unit TEXT NOT NULL, "
    "PRIMARY KEY (run, sink, unit)) WITHOUT ROWID"
)


class UnitSqlite(UnitSink[list[Any]]):
    """The rows of each unit in one transaction; the result is how many rows were committed."""

    def __init__(self, path: str, sql: str, setup: str | None) -> None:
        super().__init__()
        self._path = path
        self._sql = sql
        self._parameters = Parameters(sql)
        self._setup = setup
        self._database: sqlite3.Connection | None = None

    def start(self) -> None:
        with writing(self._path):
            self._database = connected(self._path, _BUSY_SECONDS)
            if self._setup is not None:
                self._database.executescript(self._setup)
                self._database.commit()
        super().start()

    def begin(self, unit: Unit) -> list[Any]:
        return []

    def add(self, held: list[Any], value: Any, /) -> None:
        self._parameters.check((value,))  # here, where it is this element that is at fault
        held.append(value)

    def commit(self, unit: Unit, held: list[Any], /, *, last: bool) -> None:
        database = self._database
        if database is None:
            return
        with transaction(database, self._path):
            if self._is_new(unit, database):
                database.executemany(self._sql, held)
            if last and self._is_ledger(unit):
                unit.entry.commit_within(database)  # type: ignore[union-attr]
            with self.context.committing():
                database.commit()

    def finish(self) -> int:
        self._close()
        return self.elements

    def stop(self, error: BaseException | None) -> None:
        super().stop(error)
        self._close()

    def _is_new(self, unit: Unit, database: sqlite3.Connection) -> bool:
        """Note ``unit`` in the open transaction; whether it was not noted before."""
        if unit.entry is None:
            return True
        database.execute(_NOTES)
        noted = database.execute(
            "INSERT OR IGNORE INTO actors_rs_delivered VALUES (?, ?, ?)",
            (unit.entry.run_key, self.context.name, str(unit.key)),
        )
        return noted.rowcount == 1

    def _is_ledger(self, unit: Unit) -> bool:
        """Whether the ledger of ``unit`` lies in the file that is written here."""
        entry = unit.entry
        return entry is not None and os.path.realpath(entry.path) == os.path.realpath(self._path)

    def _close(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            database.close()
