"""The entries of a ledger as values: made at once, written when there is time."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from actors_rs.runtime._primitives import wall_clock
from actors_rs.texts import repr_of_fields

__all__ = [
    "COMMIT", "FIND_SCHEMA", "Note", "begun", "committed", "dead_lettered", "failed",
    "input_files", "late", "schema_of", "verified",
]  # fmt: skip

COMMIT = (
    "UPDATE ledger_partitions SET state = 'committed', rows = :rows, bytes = :size, "
    "checksum = :checksum, committed = :now "
    "WHERE run = :run AND partition = :partition AND state <> 'committed'"
)
_BEGUN = (
    "UPDATE ledger_partitions SET attempts = attempts + 1, "
    "attempts_in_start = attempts_in_start + 1, started = :now, "
    "state = CASE state WHEN 'committed' THEN state ELSE 'running' END "
    "WHERE run = :run AND partition = :partition"
)
"""A sink that commits the entry itself may do so before this is written."""
_FAILED = (
    "UPDATE ledger_partitions SET state = :state, last_error = :error "
    "WHERE run = :run AND partition = :partition AND state <> 'committed'"
)
_LATE = (
    "UPDATE ledger_partitions SET last_error = :error "
    "WHERE run = :run AND partition = :partition AND state <> 'committed'"
)
_DEAD_LETTERED = (
    "UPDATE ledger_partitions SET dead_lettered = :count "
    "WHERE run = :run AND partition = :partition"
)
"""Apart from the commit, which a sink may have made before the source knows the count."""
_FILES = "UPDATE ledger_runs SET files = :files WHERE run = :run"

_SCHEMA = "INSERT OR IGNORE INTO ledger_schemas (run, sink, schema) VALUES (:run, :sink, :schema)"
FIND_SCHEMA = "SELECT schema FROM ledger_schemas WHERE run = ? AND sink = ?"
_VERIFIED = (
    "UPDATE ledger_starts SET to_verify = :total, verified = :count WHERE run = :run "
    "AND start = (SELECT MAX(start) FROM ledger_starts WHERE run = :run)"
)


@dataclass(frozen=True, slots=True)
class Note:
    """One statement; ``durable`` if it must survive the end of the machine."""

    sql: str
    values: dict[str, Any]
    durable: bool = False
    now: float = field(default_factory=wall_clock)

    __repr__ = repr_of_fields


def begun(partition: int) -> Note:
    """An attempt at ``partition`` begins."""
    return Note(_BEGUN, {"partition": partition})


def failed(partition: int, error: str, *, poison: bool) -> Note:
    """An attempt failed; with ``poison`` there will be no further one in this run."""
    state = "poison" if poison else "pending"
    return Note(_FAILED, {"partition": partition, "error": error, "state": state})


def late(partition: int, error: str) -> Note:
    """A second attempt begins beside the first one, which goes on; ``error`` says why."""
    return Note(_LATE, {"partition": partition, "error": error})


def committed(partition: int, rows: int, size: int, checksum: str | None = None) -> Note:
    """``partition`` is done, for good: ``rows`` rows of ``size`` bytes, and what they sum up to."""
    values = {"partition": partition, "rows": rows, "size": size, "checksum": checksum}
    return Note(COMMIT, values, durable=True)


def dead_lettered(partition: int, count: int) -> Note:
    """So many elements of ``partition``, which is done, became dead letters."""
    return Note(_DEAD_LETTERED, {"partition": partition, "count": count})


def input_files(files: dict[str, int]) -> Note:
    """The run reads ``files``, of so many bytes each."""
    return Note(_FILES, {"files": json.dumps(files)}, durable=True)


def verified(count: int, total: int) -> Note:
    """Of ``total`` finished partitions that are computed again, ``count`` have the same rows."""
    return Note(_VERIFIED, {"count": count, "total": total})


def schema_of(sink: str, schema: bytes) -> Note:
    """All that ``sink`` writes in the run has this schema, unless it has one already."""
    return Note(_SCHEMA, {"sink": sink, "schema": schema}, durable=True)
