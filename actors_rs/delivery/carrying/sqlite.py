"""SQLite, a unit a transaction: its rows and the note that they are there, together or not at all.

The note is a row of the table ``actors_rs_delivered``, for each run, sink and unit: a unit that is
delivered again is recognized by it and not written a second time. If the source keeps a ledger in
this very file, and no other sink has anything of the unit, the ledger's entry is part of the
transaction too.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from actors_rs.delivery.ack import Unit
from actors_rs.delivery.carrying.units import PassesOver, UnitSink
from actors_rs.delivery.outputs import DELIVERED_TABLE, Output
from actors_rs.stages.sinks.files.sqlite_statement import Statement

__all__ = ["UnitSqlite"]

_NOTES = (
    f"CREATE TABLE IF NOT EXISTS {DELIVERED_TABLE} "
    "(run TEXT NOT NULL, sink TEXT NOT NULL, unit TEXT NOT NULL, "
    "PRIMARY KEY (run, sink, unit)) WITHOUT ROWID"
)


class _Rows(NamedTuple):
    """The rows of a unit."""

    rows: list[Any]
    passes_over: PassesOver


class UnitSqlite(UnitSink[_Rows]):
    """The rows of each unit in one transaction; the result is how many rows were committed."""

    def __init__(self, path: str, sql: str, setup: str | None) -> None:
        super().__init__()
        self._path = path
        self.output = Output("sqlite", path)
        self._statement = Statement(path, sql, setup)

    def start(self) -> None:
        self._statement.open(self.context)
        super().start()

    def is_of_the_file(self, error: BaseException) -> bool:
        return self._statement.is_of_the_file(error)

    def begin(self, unit: Unit, passes_over: PassesOver) -> _Rows:
        return _Rows([], passes_over)

    def add(self, held: _Rows, value: Any, /) -> None:
        held.rows.append(value)

    def commit(self, unit: Unit, held: _Rows, /, *, last: bool) -> None:
        self._statement.write(
            held.rows,
            lambda number, error: held.passes_over(number, held.rows[number], error),
            first_only=not self.may_pass_over,
            within=partial(self._within, unit, last),
        )

    def finish(self) -> int:
        self._statement.close()
        return self.elements

    def stop(self, error: BaseException | None) -> None:
        super().stop(error)
        self._statement.close()

    def _within(
        self, unit: Unit, last: bool, database: sqlite3.Connection, run: Callable[[], None]
    ) -> None:
        """Write the rows of ``unit`` unless they are there, and that they are, in one transaction.

        Rows that cannot be written are looked for in here too: where the rows are there already,
        each would be one.
        """
        if self._is_new(unit, database):
            run()
        if last and self._is_ledger(unit):
            unit.entry.commit_within(database)  # type: ignore[union-attr]

    def _is_new(self, unit: Unit, database: sqlite3.Connection) -> bool:
        """Note ``unit`` in the open transaction; whether it was not noted before."""
        if unit.entry is None:
            return True
        database.execute(_NOTES)
        noted = database.execute(
            f"INSERT OR IGNORE INTO {DELIVERED_TABLE} VALUES (?, ?, ?)",
            (unit.entry.run_key, self.context.name, str(unit.key)),
        )
        return noted.rowcount == 1

    def _is_ledger(self, unit: Unit) -> bool:
        """Whether the ledger of ``unit`` lies in the file that is written here."""
        entry = unit.entry
        return entry is not None and os.path.realpath(entry.path) == os.path.realpath(self._path)
