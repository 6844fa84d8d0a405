"""A ledger's run in words: what a person wants to know of a night's work in the morning."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from actors_rs.delivery.schema import Entry, Report

__all__ = ["told"]

MOST_CAUSES = 20
"""Poison partitions, or last errors, that are told one by one."""


def told(report: Report, now: float) -> Iterator[str]:
    """The lines; ``now`` in seconds since the epoch, for a run that has not ended."""
    counts, total = report.counts, len(report.partitions)
    yield f"run {report.run} {_state(report)}, plan {report.fingerprint[:12]}"
    yield f"began {_time(report.started)}, {_duration(report, now)}"
    rest = [f"{counts[s]} {s}" for s in ("running", "pending", "poison") if counts[s]]
    done = f"{counts['committed']} of {total} partitions committed ({_share(report)})"
    yield ", ".join([done, *rest])
    yield _work(report, now)
    again = sum(max(0, entry.attempts - 1) for entry in report.partitions)
    if again:
        yield f"{again} attempts were repetitions"
    if report.error:
        yield f"error: {report.error}"
    yield from _causes([e for e in report.partitions if e.state == "poison"], "poison")
    waiting = [e for e in report.partitions if e.last_error and e.state != "poison"]
    yield from _causes(waiting, "failed, to be tried again")


def _state(report: Report) -> str:
    if report.state != "running":
        return report.state
    return f"running, held by process {report.holder}"


def _share(report: Report) -> str:
    total = len(report.partitions)
    return f"{report.counts['committed'] / total:.1%}" if total else "of none"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _duration(report: Report, now: float) -> str:
    if report.ended is not None:
        return f"took {_span(report.ended - report.started)}"
    return f"{_span(now - report.started)} ago, and has not written its end"


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _work(report: Report, now: float) -> str:
    done = [entry for entry in report.partitions if entry.state == "committed"]
    rows, size = sum(e.rows for e in done), sum(e.bytes for e in done)
    line = f"{rows:,} rows, {size:,} bytes"
    times = [e.committed for e in done if e.committed is not None]
    if len(times) < 2 or max(times) <= min(times):
        return line
    rate = rows / (max(times) - min(times))
    left = sum(1 for e in report.partitions if e.state in ("pending", "running"))
    line += f", {rate:,.0f} rows/s"
    if left and report.state == "running":
        per_partition = (max(times) - min(times)) / (len(times) - 1)
        line += f", about {_span(left * per_partition)} left"
    return line


def _causes(entries: list[Entry], what: str) -> Iterator[str]:
    for entry in entries[:MOST_CAUSES]:
        yield (
            f"partition {entry.partition} {what} ({entry.attempts} attempts): {entry.last_error}"
        )
    if len(entries) > MOST_CAUSES:
        yield f"... and {len(entries) - MOST_CAUSES} more {what}"
