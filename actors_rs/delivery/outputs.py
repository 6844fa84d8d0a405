"""Where the elements of a run go: noted in its ledger, and looked at when the run goes on.

A ledger knows what is committed and skips it. In another sink that would be missing, and so it
would where the output was removed. What tells that something of a run is there is what its sinks
leave beside their rows: a hidden file with its key, a row of a table.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from actors_rs.graph.spec import StageSpec

__all__ = [
    "DELIVERED_TABLE", "OWNER_FILE", "START_OVER", "Output", "difference", "note", "note_delivered",
    "noted", "outputs_of",
]  # fmt: skip

OWNER_FILE = ".actors_rs_run"
"""The file in a directory of parts that names the run and the sink they belong to."""
DELIVERED_TABLE = "actors_rs_delivered"
"""The table of a database with a row for each run, sink and unit of which the rows are there."""
START_OVER = (
    "give the ledger another path or on_other_plan='start_over', and the run an empty output"
)
"""What helps where a run cannot go on."""
_FILES = frozenset(("csv", "jsonl", "lines", "parquet", "sqlite"))
"""Kinds of sinks whose target is a path."""


@dataclass(frozen=True, slots=True)
class Output:
    """One sink; ``target`` is where it writes to, if anybody can tell."""

    kind: str
    target: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.target}".rstrip()

    def is_gone(self, run_key: str) -> bool:
        """Whether nothing is left of what the run delivered here; False if nobody can tell."""
        if self.kind == "parquet":
            return _has_no_owner(Path(self.target, OWNER_FILE), run_key)
        return self.kind == "sqlite" and _has_row(self.target, run_key) is False

    def holds(self, run_key: str) -> bool:
        """Whether this is a database with rows of the run; False if nobody can tell.

        The sink of a directory refuses the directory of another run itself.
        """
        return self.kind == "sqlite" and _has_row(self.target, run_key) is True


def outputs_of(sinks: Iterable[StageSpec]) -> frozenset[Output]:
    """The outputs of ``sinks``; a sink made of several gives the outputs of its parts."""
    return frozenset(_outputs_of(sinks))


def _outputs_of(sinks: Iterable[StageSpec]) -> Iterator[Output]:
    for spec in sinks:
        parts = getattr(spec.make, "specs", None) if spec.kind == "fan" else None
        if parts is None:
            yield Output(spec.kind, spec.target)
        else:
            yield from _outputs_of(parts)


def note(database: sqlite3.Connection, run: int, outputs: Iterable[Output]) -> None:
    """``run`` writes into ``outputs``, in place of those it had if nothing of it is committed."""
    outputs = set(map(_resolved, outputs))
    if not outputs:
        return
    if not _is_any_committed(database, run):
        database.execute("DELETE FROM ledger_outputs WHERE run = ?", (run,))
    if not noted(database, run):
        database.executemany(
            "INSERT INTO ledger_outputs (run, kind, target) VALUES (?, ?, ?)",
            [(run, one.kind, _from_here(database, one)) for one in outputs],
        )


def note_delivered(database: sqlite3.Connection, run: int, output: Output, now: float) -> None:
    """Something of ``run`` is in ``output``, for good."""
    output = _resolved(output)
    database.execute(
        "UPDATE ledger_outputs SET delivered = COALESCE(delivered, ?) "
        "WHERE run = ? AND kind = ? AND target = ?",
        (now, run, output.kind, _from_here(database, output)),
    )


def noted(database: sqlite3.Connection, run: int) -> dict[Output, bool]:
    """The outputs of ``run``, and whether something was delivered there.

    Symbolic links in paths are resolved. A ledger from before these notes has none.
    """
    rows = database.execute(
        "SELECT kind, target, delivered FROM ledger_outputs WHERE run = ? ORDER BY kind, target",
        (run,),
    )
    here = _here(database)
    return {
        Output(
            kind, os.path.normpath(os.path.join(here, target)) if kind in _FILES else target
        ): delivered is not None
        for kind, target, delivered in rows
    }


def difference(
    database: sqlite3.Connection, run: int, outputs: Collection[Output], run_key: str
) -> str:
    """In words, why ``run`` cannot go on into ``outputs``; "" if it can."""
    there = noted(database, run)
    if not outputs or not there or not _is_any_committed(database, run):
        return ""
    if there.keys() != set(map(_resolved, outputs)):
        return (
            f"the ledger belongs to a run into {_listed(there)}, and this run writes into "
            f"{_listed(outputs)}, where the committed partitions would be missing: use the sinks "
            f"of the first run, or {START_OVER}"
        )
    for output in outputs:
        if there[_resolved(output)] and output.is_gone(run_key):
            return (
                f"{output} no longer holds the committed partitions of this run: restore it, or "
                f"{START_OVER}"
            )
    return ""


def _listed(outputs: Iterable[Output]) -> str:
    return " and ".join(sorted(map(str, outputs)))


def _resolved(output: Output) -> Output:
    """The same for the same sink, through any links to its file."""
    if output.kind not in _FILES:
        return output
    return replace(output, target=os.path.realpath(output.target))


def _here(database: sqlite3.Connection) -> str:
    """The directory of the ledger."""
    files: dict[str, str] = {
        name: file for _, name, file in database.execute("PRAGMA database_list")
    }
    return os.path.dirname(os.path.realpath(files["main"]))


def _from_here(database: sqlite3.Connection, output: Output) -> str:
    """The target, a path as seen from the directory of the ledger: both may be moved."""
    if output.kind not in _FILES:
        return output.target
    return os.path.relpath(output.target, _here(database))


def _is_any_committed(database: sqlite3.Connection, run: int) -> bool:
    found = database.execute(
        "SELECT 1 FROM ledger_partitions WHERE run = ? AND state = 'committed' LIMIT 1", (run,)
    )
    return found.fetchone() is not None


def _has_no_owner(owner: Path, run_key: str) -> bool:
    try:
        return not owner.read_text("utf-8").startswith(f"{run_key} ")
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def _has_row(path: str, run_key: str) -> bool | None:
    """Whether the run has delivered something into the database; None if nobody can tell."""
    if not os.path.isfile(path):
        return False
    address = f"{Path(path).absolute().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            table = database.execute(
                "SELECT 1 FROM sqlite_master WHERE name = ?", (DELIVERED_TABLE,)
            )
            if not table.fetchone():
                return False
            row = database.execute(
                f"SELECT 1 FROM {DELIVERED_TABLE} WHERE run = ? LIMIT 1", (run_key,)
            )
            return row.fetchone() is not None
    except sqlite3.Error:
        return None
