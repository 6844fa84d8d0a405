"""A run in one line of text, for where a table cannot be shown."""

from __future__ import annotations

from actors_rs.engine.run.snapshot import RunSnapshot
from actors_rs.observability.table import Row, rows_of, state_of

__all__ = ["log_line"]


def log_line(now: RunSnapshot, before: RunSnapshot | None = None) -> str:
    """All stages of ``now`` in one line; rates since ``before``, or the means without it."""
    rows = rows_of(now, before)
    parts = [f"{now.name} {state_of(now)} after {now.seconds:.1f} s", *map(_stage, rows)]
    parts += [f"bottleneck: {row.name}" for row in rows if row.bottleneck]
    return " | ".join(parts)


def _stage(row: Row) -> str:
    counts = f"{row.elements_in} in, " if row.elements_in else ""
    shares = f"busy {row.busy}, idle {row.idle}, held back {row.back_pressured}"
    state = "" if row.state == "running" else f", {row.state}"
    counted = [f"{count} {what}" for what, count in row.counted.items()]
    details = "; ".join(filter(None, (row.details, ", ".join(counted))))
    details = f", {details}" if details else ""
    held = f", {row.bytes} buffered" if row.bytes else ""
    rates = f"{counts}{row.elements_out} out, {row.per_second}/s{held}"
    return f"{row.name}: {rates}, {shares}{details}{state}"
