"""Which run a ledger goes on with: the newest one, if its plan and its sinks are the same.

A resumed run skips committed partitions, so it must write where their rows are.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection

from actors_rs.delivery.outputs import DELIVERED_TABLE, START_OVER, Output, difference, note
from actors_rs.delivery.plan import Plan
from actors_rs.delivery.starts import note_start
from actors_rs.errors import LedgerError
from actors_rs.runtime._primitives import wall_clock
from actors_rs.texts import repr_of

__all__ = ["key_of", "run_of"]


def run_of(
    database: sqlite3.Connection,
    path: str,
    plan: Plan,
    outputs: Collection[Output],
    *,
    start_over: bool,
) -> int:
    """The number of the run of ``plan`` into ``outputs`` in the ledger ``path``.

    Raises ``LedgerError`` where the newest run is another one, unless it is to ``start_over`` and
    no rows of an older run are where it writes.
    """
    newest = database.execute(
        "SELECT run, fingerprint, schema, partitions, plan, remarks FROM ledger_runs "
        "ORDER BY run DESC LIMIT 1"
    ).fetchone()
    if newest is None:
        return _begin_run(database, plan, outputs)
    run, fingerprint, *there = newest
    if fingerprint != plan.fingerprint:
        differs = plan.difference(Plan(*there))
        other = f"the ledger belongs to another plan: {differs}; to begin again, {START_OVER}"
    else:
        other = difference(database, run, outputs, key_of(database, run))
    if not other:
        _take_over(database, run, outputs)
        return int(run)
    if not start_over:
        raise LedgerError(f"{path}: {other}")
    _expect_no_older_rows(database, path, outputs)
    return _begin_run(database, plan, outputs)


def key_of(database: sqlite3.Connection, run: int) -> str:
    """What tells ``run`` from every other one, in any ledger."""
    found = database.execute("SELECT fingerprint, started FROM ledger_runs WHERE run = ?", (run,))
    fingerprint, started = found.fetchone()
    return f"{fingerprint[:16]}-{run}-{started:.6f}"


def _expect_no_older_rows(
    database: sqlite3.Connection, path: str, outputs: Collection[Output]
) -> None:
    """Raise ``LedgerError`` if an older run of the ledger has rows in one of ``outputs``.

    The new run would add its own: no row of it is known there.
    """
    runs = database.execute("SELECT run FROM ledger_runs ORDER BY run DESC").fetchall()
    for (run,) in runs:
        key = key_of(database, run)
        for output in sorted(outputs, key=str):
            if output.holds(key):
                raise LedgerError(
                    f"{path}: {output} has rows of run {run} of this ledger, and a run that starts "
                    "over would add its own: write into another database; or empty the table, or "
                    f"take another one, and execute DELETE FROM {DELIVERED_TABLE} WHERE run = "
                    f"{repr_of(key)} there"
                )


def _begin_run(database: sqlite3.Connection, plan: Plan, outputs: Collection[Output]) -> int:
    now = wall_clock()
    with database:
        run = database.execute(
            "INSERT INTO ledger_runs "
            "(fingerprint, schema, plan, partitions, remarks, state, holder, started) "
            "VALUES (?, ?, ?, ?, ?, 'running', ?, ?)",
            (
                *(plan.fingerprint, plan.schema, plan.plan, plan.partitions, plan.remarks),
                *(os.getpid(), now),
            ),
        ).lastrowid
        database.executemany(
            "INSERT INTO ledger_partitions (run, partition) VALUES (?, ?)",
            ((run, partition) for partition in range(plan.partitions)),
        )
        note_start(database, int(run or 0), now)
        note(database, int(run or 0), outputs)
    return int(run or 0)


def _take_over(database: sqlite3.Connection, run: int, outputs: Collection[Output]) -> None:
    """Continue ``run``. Poison stays poison until an attempt begins: this start may do none."""
    with database:
        database.execute(
            "UPDATE ledger_runs SET state = 'running', holder = ?, ended = NULL, error = NULL "
            "WHERE run = ?",
            (os.getpid(), run),
        )
        database.execute(
            "UPDATE ledger_partitions SET state = 'pending' WHERE run = ? AND state = 'running'",
            (run,),
        )
        database.execute("UPDATE ledger_partitions SET attempts_in_start = 0 WHERE run = ?", (run,))
        note_start(database, run, wall_clock())
        note(database, run, outputs)
