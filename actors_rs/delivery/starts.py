"""The starts of each run in a ledger: a run that is resumed has several.

A start is running, completed, failed, cancelled, or killed: it left no end, and a later one came.
"""

from __future__ import annotations

import os
import sqlite3
from typing import Any

__all__ = ["END_OF_START", "add_older_starts", "has_column", "note_start", "read_starts"]

END_OF_START = (
    "UPDATE ledger_starts SET state = :state, error = :error, code = :code, ended = :now "
    "WHERE run = :run AND start = (SELECT MAX(start) FROM ledger_starts WHERE run = :run)"
)
_ADDED = ("process", "to_verify", "verified", "code")


def has_column(database: sqlite3.Connection, table: str, column: str) -> bool:
    """Whether the ledger was made since there is this column, or was given it."""
    columns = database.execute(f"PRAGMA table_info({table})").fetchall()
    return any(name == column for _, name, *_ in columns)


def add_older_starts(database: sqlite3.Connection) -> None:
    """Give each run of an older ledger, which has no starts, the one that it says of itself."""
    with database:
        database.execute(
            "INSERT INTO ledger_starts (run, start, started, state, ended, error) "
            "SELECT run, 1, started, state, ended, error FROM ledger_runs "
            "WHERE run NOT IN (SELECT run FROM ledger_starts)"
        )


def note_start(database: sqlite3.Connection, run: int, now: float) -> None:
    """Note that ``run`` starts, within a transaction; starts without an end were killed."""
    database.execute("UPDATE ledger_starts SET state = 'killed' WHERE state = 'running'")
    database.execute(
        "INSERT INTO ledger_starts (run, start, started, state, process) "
        "SELECT ?, COALESCE(MAX(start), 0) + 1, ?, 'running', ? FROM ledger_starts WHERE run = ?",
        (run, now, os.getpid(), run),
    )


def read_starts(database: sqlite3.Connection) -> tuple[dict[str, Any], ...]:
    """All starts of all runs, the oldest first: times in seconds since the epoch.

    ``committed`` counts the partitions of the start, ``rows`` their rows, and ``done`` the
    partitions that earlier starts of its run had committed. ``process`` is the number of its
    process. ``to_verify`` finished partitions are computed again before the first new one, and
    ``verified`` of them are done; both are ``None`` in a start that verifies none. ``code`` is the
    code of its error, such as ``ARS-005``, if it has one. All four are ``None`` where the ledger is
    older than such notes.
    """
    names = (
        *("run", "start", "state", "started", "ended", "error", "partitions"),
        *("committed", "rows", "done", *_ADDED),
    )
    added = (f"s.{one}" if has_column(database, "ledger_starts", one) else "NULL" for one in _ADDED)
    found = database.execute(
        "WITH spans AS (SELECT *, LEAD(started) OVER (PARTITION BY run ORDER BY start) AS until "
        "FROM ledger_starts) "
        "SELECT s.run, s.start, s.state, s.started, s.ended, s.error, r.partitions, "
        "COALESCE(SUM(p.committed >= s.started), 0), "
        "COALESCE(SUM(p.rows * (p.committed >= s.started)), 0), "
        f"COALESCE(SUM(p.committed < s.started), 0), {', '.join(added)} "
        "FROM spans s JOIN ledger_runs r ON r.run = s.run "
        "LEFT JOIN ledger_partitions p ON p.run = s.run AND p.state = 'committed' "
        "AND (s.until IS NULL OR p.committed < s.until) "
        "GROUP BY s.run, s.start ORDER BY s.run, s.start"
    )
    return tuple(dict(zip(names, row, strict=True)) for row in found)
