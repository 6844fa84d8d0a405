"""A ledger's run in words, as a person reads it in the morning after."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import groupby, pairwise, repeat
from typing import Any

from actors_rs.delivery.schema import Entry, Report
from actors_rs.texts import attempts_text, counted, text_of

__all__ = ["dead_letters_said", "left_over", "nothing_left", "partition_lines", "report_lines"]

LATELY = 100
"""Partitions committed last, from which the rate of a live run is computed."""
MOST_STARTS = 20
"""The newest starts, which are listed one by one."""
MOST_CAUSES = 20
"""Partitions of a kind, such as poison, that are listed one by one."""


def report_lines(report: Report, now: float) -> Iterator[str]:
    """The lines of ``report`` for a person; ``now`` in seconds since the epoch, for a live run.

    >>> from actors_rs.delivery import Report, report_lines
    >>> report = Report(1, "5f3a", "completed", None, 1.8e9, 1.8e9 + 3, None, ())
    >>> next(report_lines(report, now=1.8e9 + 60))
    'run 1 completed, plan 5f3a'
    """
    counts, total = report.counts, len(report.partitions)
    yield f"run {report.run} {_state(report)}, plan {report.fingerprint[:12]}"
    if report.path:
        yield f"ledger {report.path}"
    yield f"began {_time(report.started)}, {_duration(report, now)}{_into(report)}"
    rest = [
        f"{counts[s]} {_word(s, report)}" for s in ("running", "pending", "poison") if counts[s]
    ]
    done = f"{counts['committed']} of {total} partitions committed ({_share(report)})"
    yield ", ".join([done, *rest])
    yield from _at_present(report, now)
    yield _work(report, now)
    if dead := dead_letters_said(sum(entry.dead_lettered or 0 for entry in report.partitions)):
        yield dead
    again = sum(max(0, entry.attempts - 1) for entry in report.partitions)
    if again:
        were = "was a repetition" if again == 1 else "were repetitions"
        yield f"{counted(again, 'attempt')} {were}"
    yield from _starts(report)
    if report.error:
        code = report.starts[-1].get("code") if report.starts else None
        yield f"error: {text_of(report.error)}{f' [{code}]' if code else ''}"
    failed = [entry for entry in report.partitions if entry.last_error]
    for state, what in _after_failure(report).items():
        yield from _causes([entry for entry in failed if entry.state == state], what)


def partition_lines(report: Report) -> Iterator[str]:
    """A line for each partition of ``report``: its state, when and by which start, last failure.

    Adjacent partitions that no start has begun yet share a line.

    >>> from actors_rs.delivery import Entry, Report, partition_lines
    >>> done = Entry(0, "committed", 1, 120, 4_096, 1.8e9, 1.8e9 + 2, None)
    >>> list(partition_lines(Report(1, "5f3a", "completed", None, 1.8e9, 1.8e9 + 3, None, (done,))))
    ['partition 0 committed 2027-01-15 08:00:02 UTC: 120 rows, 4,096 bytes, 1 attempt']
    """
    for untouched, found in groupby(report.partitions, _is_untouched):
        entries = [*found]
        yield from [_untouched(entries)] if untouched else map(partial(_line, report), entries)


def _is_untouched(entry: Entry) -> bool:
    """Whether there is nothing to say of it but that it is pending."""
    return entry.state == "pending" and entry.started is None and entry.last_error is None


def _untouched(entries: list[Entry]) -> str:
    first, last = entries[0].partition, entries[-1].partition
    return f"partition {first} pending" if first == last else f"partitions {first}-{last} pending"


def _line(report: Report, entry: Entry) -> str:
    line = f"partition {entry.partition} {_word(entry.state, report)}"
    if entry.committed is not None:
        line += f" {_time(entry.committed)}{_by(report, entry.committed)}: "
        line += f"{entry.rows:,} rows, {entry.bytes:,} bytes, {_tries(entry)}"
        if entry.dead_lettered:
            line += f", {counted(entry.dead_lettered, 'element')} dead-lettered"
    elif entry.started is not None:
        line += f", last begun {_time(entry.started)}{_by(report, entry.started)}: "
        line += _tries(entry)
    return line + (f"; last failure: {text_of(entry.last_error)}" if entry.last_error else "")


def dead_letters_said(count: int) -> str:
    """A sentence about dead letters in partitions that count as done; "" where there are none."""
    if not count:
        return ""
    became = "element of committed partitions" if count == 1 else "elements of committed partitions"
    return f"{count:,} {became} became dead letters: no sink has them, and no run repeats them"


def _after_failure(report: Report) -> dict[str, str]:
    """What to say of a partition that has failed, by its state."""
    return {
        "poison": "poison",
        "pending": "failed, to be tried again",
        "running": f"{_word('running', report)}, after a failure",
        "committed": "committed after a failure",
    }


def _by(report: Report, when: float) -> str:
    """Which start did it, and its process, where there were several starts."""
    own = [one for one in _own_starts(report) if one["started"] <= when]
    if not own:
        return ""
    process = f" (process {own[-1]['process']})" if own[-1].get("process") else ""
    return f" by start {own[-1]['start']}{process}"


def _own_starts(report: Report) -> list[dict[str, Any]]:
    return [one for one in report.starts if one["run"] == report.run]


def _tries(entry: Entry) -> str:
    """Its attempts: in the newest start and in all, if earlier starts made attempts too."""
    return attempts_text(
        entry.attempts_in_start or entry.attempts, entry.attempts, "the newest start"
    )


def _starts(report: Report) -> Iterator[str]:
    """A line for each of several starts, the newest last."""
    if len(report.starts) > 1:
        if (older := len(report.starts) - MOST_STARTS) > 0:
            yield f"{counted(older, 'older start')}, and"
        for one in report.starts[-MOST_STARTS:]:
            state = one["state"]
            if state == "running" and report.holder is None:
                state = "killed"
            took = "" if one["ended"] is None else f", took {_span(one['ended'] - one['started'])}"
            yield (
                f"start {one['start']} of run {one['run']} {state}, began {_time(one['started'])}"
                f"{_process(one)}{took}: {one['committed']} of {one['partitions']} partitions "
                f"committed, {one['rows']:,} rows"
            )


def _process(start: dict[str, Any]) -> str:
    number = start.get("process")
    return "" if number is None else f" by process {number}"


def nothing_left(report: Report) -> str:
    """A sentence, where all partitions of a run that is gone on with are committed; else "".

    It is asked for as a run without a row looks as if it had done something.
    """
    times = [entry.committed for entry in report.partitions if entry.committed is not None]
    if not times or len(times) < len(report.partitions):
        return ""
    return (
        f"all {len(times)} partitions were done before, the last one {_time(max(times))}"
        f"{_into(report)}: nothing is left to do; to run all of them again, for instance after a "
        "change of the code, give another ledger and another output"
    )


def left_over(report: Report) -> str:
    """A sentence about the partitions that a run has not done nor given up; "" if there is none."""
    left = report.counts["pending"] + report.counts["running"]
    are = "is" if left == 1 else "are"
    return f"{counted(left, 'partition')} {are} left for the next run" if left else ""


def _into(report: Report) -> str:
    return f", into {' and '.join(report.outputs)}" if report.outputs else ""


def _state(report: Report) -> str:
    if report.state == "completed" and (left := left_over(report)):
        return f"completed by drain(): {left}"
    if report.state != "running":
        return report.state
    if report.holder is None:
        return "was killed, or could not write its end: no process holds the ledger"
    return f"running, held by process {report.holder}"


def _at_present(report: Report, now: float) -> Iterator[str]:
    """Lines about the present work of the process that holds the ledger."""
    if report.state != "running" or report.holder is None:
        return
    start = report.starts[-1] if report.starts else {}
    count, total = start.get("verified"), start.get("to_verify")
    if count is not None and total is not None and count < total:
        yield f"verifying finished partitions before the first new one: {count} of {total} verified"
    begun = sorted(
        (entry.started, entry.partition)
        for entry in report.partitions
        if entry.state == "running" and entry.started is not None
    )
    if begun:
        (when, partition), *others = begun
        more = f", {len(others)} more" if others else ""
        yield f"running longest: partition {partition} for {_span(now - when)}{more}"


def _word(state: str, report: Report) -> str:
    return "running when it ended" if state == "running" and not report.holder else state


def _share(report: Report) -> str:
    total = len(report.partitions)
    return f"{report.counts['committed'] / total:.1%}" if total else "of none"


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _duration(report: Report, now: float) -> str:
    if report.ended is None:
        return f"{_span(now - report.started)} ago"
    starts = _own_starts(report)
    if len(starts) < 2:
        return f"took {_span(report.ended - report.started)}"
    until = [*(one["started"] for one in starts[1:]), float("inf")]
    took = _span(sum(map(_seconds, repeat(report), starts, until)))
    return f"ended {_time(report.ended)}, took {took} in {len(starts)} starts"


def _seconds(report: Report, start: dict[str, Any], until: float) -> float:
    """How long ``start`` ran; of a killed one, until its last entry before ``until``."""
    began: float = start["started"]
    if start["ended"] is not None:
        return float(max(0.0, start["ended"] - began))
    times = [time for one in report.partitions for time in (one.started, one.committed) if time]
    return max((time for time in times if began <= time < until), default=began) - began


def _span(seconds: float) -> str:
    return str(timedelta(seconds=max(0, round(seconds))))  # a clock may have been set back


def _work(report: Report, now: float) -> str:
    done = [entry for entry in report.partitions if entry.state == "committed"]
    rows, size = sum(e.rows for e in done), sum(e.bytes for e in done)
    line = f"{rows:,} rows, {size:,} bytes"
    goes_on = report.state == "running" and report.holder is not None
    done = sorted(done, key=_committed)[-LATELY if goes_on else 0 :]
    seconds = _at_work(done)
    if not seconds:
        return line
    line += f", {sum(e.rows for e in done) / seconds:,.0f} rows/s while computing"
    left = sum(1 for e in report.partitions if e.state in ("pending", "running"))
    if left and goes_on:
        line += f", about {_span(left * seconds / (len(done) - 1))} left"
    return line


def _at_work(done: list[Entry]) -> float:
    """Seconds, from the first commit to the last, in which one of ``done`` was being computed.

    ``done`` is in the order of its commits. The time in which no process ran does not count.
    """
    seconds = 0.0
    begun = float("inf")  # the earliest of this entry and later ones
    for entry, one_before in pairwise([*reversed(done)]):
        begun = min(begun, entry.started or 0.0)
        seconds += max(0.0, _committed(entry) - max(_committed(one_before), begun))
    return seconds


def _committed(entry: Entry) -> float:
    return entry.committed or 0.0


def _causes(entries: list[Entry], what: str) -> Iterator[str]:
    for entry in entries[:MOST_CAUSES]:
        tried = f"partition {entry.partition} {what} ({_tries(entry)})"
        yield f"{tried}: {text_of(entry.last_error)}"
    if len(entries) > MOST_CAUSES:
        yield f"... and {len(entries) - MOST_CAUSES} more {what}"
