"""The tables of a ledger, and how they are read."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from actors_rs.delivery.outputs import noted
from actors_rs.delivery.starts import has_column, read_starts
from actors_rs.errors import LedgerError

__all__ = [
    "SCHEMA", "Entry", "Report", "State", "add_columns", "check_version", "read_report",
]  # fmt: skip

State = Literal["pending", "running", "committed", "poison"]

VERSION = 1
SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS ledger_runs (
    run INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL, schema TEXT NOT NULL, plan TEXT NOT NULL,
    partitions INTEGER NOT NULL, state TEXT NOT NULL, holder INTEGER, started REAL NOT NULL,
    ended REAL, error TEXT, remarks TEXT NOT NULL DEFAULT '', files TEXT NOT NULL DEFAULT '{{}}');
CREATE TABLE IF NOT EXISTS ledger_partitions (
    run INTEGER NOT NULL, partition INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'pending',
    attempts INTEGER NOT NULL DEFAULT 0, rows INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0, started REAL, committed REAL, last_error TEXT, checksum TEXT,
    attempts_in_start INTEGER NOT NULL DEFAULT 0, dead_lettered INTEGER,
    PRIMARY KEY (run, partition)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger_outputs (
    run INTEGER NOT NULL, kind TEXT NOT NULL, target TEXT NOT NULL, delivered REAL,
    PRIMARY KEY (run, kind, target)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger_starts (
    run INTEGER NOT NULL, start INTEGER NOT NULL, started REAL NOT NULL, state TEXT NOT NULL,
    ended REAL, error TEXT, process INTEGER, to_verify INTEGER, verified INTEGER,
    code TEXT, PRIMARY KEY (run, start)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger_schemas (
    run INTEGER NOT NULL, sink TEXT NOT NULL, schema BLOB NOT NULL, PRIMARY KEY (run, sink));
CREATE TABLE IF NOT EXISTS ledger_version (version INTEGER PRIMARY KEY);
INSERT OR IGNORE INTO ledger_version VALUES ({VERSION});
COMMIT;
"""
"""Fit to lie in one file with tables of the user's. Times are seconds since the epoch. A run is
running, completed, failed or cancelled; one that was killed stays "running", held by nobody. The
path of an output is as seen from the directory of the ledger.
The transaction locks at once: to go from reading to writing, SQLite waits for nobody."""

_ADDED = (
    ("ledger_partitions", "checksum", "TEXT"),
    ("ledger_partitions", "attempts_in_start", "INTEGER NOT NULL DEFAULT 0"),
    ("ledger_partitions", "dead_lettered", "INTEGER"),
    ("ledger_runs", "remarks", "TEXT NOT NULL DEFAULT ''"),
    ("ledger_runs", "files", "TEXT NOT NULL DEFAULT '{}'"),
    ("ledger_starts", "process", "INTEGER"),
    ("ledger_starts", "to_verify", "INTEGER"),
    ("ledger_starts", "verified", "INTEGER"),
    ("ledger_starts", "code", "TEXT"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """The ledger's row of one partition.

    ``partition`` is its number. ``state`` is ``"pending"``, ``"running"``, ``"committed"`` or
    ``"poison"``. ``attempts`` counts how often it was begun in all starts, ``attempts_in_start`` in
    the newest one. ``rows`` and ``bytes`` are its size once it is committed. ``started`` (of the
    last attempt) and ``committed`` are seconds since the epoch, or ``None``. ``last_error`` is the
    text of the last failure, or why a second attempt began beside a late one, or ``None``; it
    stays when a later attempt is committed.

    >>> from actors_rs.delivery import Entry
    >>> entry = Entry(7, "poison", 3, 0, 0, 1.8e9, None, "division by zero")
    >>> entry.attempts, entry.last_error
    (3, 'division by zero')
    """

    partition: int
    state: State
    attempts: int
    rows: int
    bytes: int
    started: float | None
    committed: float | None
    last_error: str | None
    checksum: str | None = None
    """Of the rows, in any order; None where there is none."""
    attempts_in_start: int | None = None
    """None where the ledger is older than such notes."""
    dead_lettered: int | None = None
    """Elements that became dead letters, once it is committed; None where none did."""


@dataclass(frozen=True, slots=True)
class Report:
    """The newest run of a ledger, as ``status`` gives it.

    ``run`` is its number, ``fingerprint`` identifies its plan. ``state`` is ``"running"``,
    ``"completed"``, ``"failed"`` or ``"cancelled"``. ``holder`` is the number of the process that
    holds the ledger, or ``None``: a run with the state ``"running"`` and no holder was killed.
    ``started`` and ``ended`` are seconds since the epoch, ``error`` is the text of the failure.
    ``partitions`` has an ``Entry`` for each partition. ``path`` is the absolute path of the ledger.

    >>> from actors_rs.delivery import Entry, Report
    >>> done = Entry(0, "committed", 1, 120, 4_096, 1.8e9, 1.8e9 + 2, None)
    >>> Report(1, "5f3a", "completed", None, 1.8e9, 1.8e9 + 3, None, (done,)).counts
    {'pending': 0, 'running': 0, 'committed': 1, 'poison': 0}
    """

    run: int
    fingerprint: str
    state: str
    holder: int | None
    started: float
    ended: float | None
    error: str | None
    partitions: tuple[Entry, ...]
    outputs: tuple[str, ...] = ()
    """Kind and target of each sink; none where the ledger is older than such notes."""
    starts: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    """All starts in the ledger, the oldest first; none where it is older than such notes."""
    path: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """How many partitions are in each state.

        Poison of an earlier start counts as poison until a later start tries the partition again.
        """
        counts = {"pending": 0, "running": 0, "committed": 0, "poison": 0}
        for entry in self.partitions:
            counts[entry.state] += 1
        return counts

    def as_dict(self) -> dict[str, Any]:
        """Plain data, fit for JSON.

        >>> from actors_rs.delivery import Report
        >>> Report(1, "5f3a", "completed", None, 1.8e9, 1.8e9 + 3, None, ()).as_dict()["state"]
        'completed'
        """
        return {**asdict(self), "counts": self.counts}


def check_version(database: sqlite3.Connection, path: str) -> bool:
    """Whether ``database`` holds a ledger; raises ``LedgerError`` for one of another version."""
    if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'ledger_version'").fetchone():
        return False
    versions = [row[0] for row in database.execute("SELECT version FROM ledger_version")]
    if versions != [VERSION]:
        raise LedgerError(
            f"{path}: expected a ledger of version {VERSION}, found {versions}: use the version of "
            "actors_rs that made it, or another path"
        )
    return True


def add_columns(database: sqlite3.Connection) -> None:
    """Add the columns that an older ledger lacks."""
    for table, column, kind in _ADDED:
        if not has_column(database, table, column):
            with database:
                database.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")


def read_report(database: sqlite3.Connection) -> Report | None:
    """The newest run, or ``None`` if there was none yet."""
    found = database.execute(
        "SELECT run, fingerprint, state, holder, started, ended, error FROM ledger_runs "
        "ORDER BY run DESC LIMIT 1"
    ).fetchone()
    if found is None:
        return None
    newer = [
        one if has_column(database, "ledger_partitions", one) else "NULL"
        for one in ("checksum", "attempts_in_start", "dead_lettered")
    ]
    entries = database.execute(
        "SELECT partition, state, attempts, rows, bytes, started, committed, last_error, "
        f"{', '.join(newer)} FROM ledger_partitions WHERE run = ? ORDER BY partition",
        (found[0],),
    )
    fields: tuple[Any, ...] = (*found, tuple(Entry(*entry) for entry in entries))
    starts = read_starts(database) if has_column(database, "ledger_starts", "start") else ()
    return replace(Report(*fields), outputs=_outputs(database, found[0]), starts=starts)


def _outputs(database: sqlite3.Connection, run: int) -> tuple[str, ...]:
    if not has_column(database, "ledger_outputs", "kind"):
        return ()
    return tuple(map(str, noted(database, run)))
