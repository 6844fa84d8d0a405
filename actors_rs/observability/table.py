"""From snapshots to the rows of a table: pure functions and plain data, no terminal.

A rate is what was counted between two snapshots of one run, divided by the seconds between them;
with one snapshot alone it is the mean since the start. Figures are short and plain ASCII.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from actors_rs.engine.run.snapshot import RunSnapshot, StageSnapshot
from actors_rs.protocol.demand import UNBOUNDED

__all__ = [
    "History",
    "Row",
    "compact",
    "compact_bytes",
    "moved",
    "percent",
    "rows_of",
    "seconds_left",
    "state_of",
    "title_of",
]

RATE_SECONDS = 2.0
"""How far a rate looks back: long enough to stand still, short enough to follow a change."""

_PARTITION_STATES = ("done", "running", "waiting")
_COUNTED = (
    *("retried", "fallbacks", "beyond_budget", "dropped", "passed_over", "missed", "failed"),
    *("unwanted", "undelivered"),
)
_PARTITION_TROUBLE = ("poison", "retried", "skipped")


@dataclass(frozen=True, slots=True)
class Row:
    """One stage as it is shown; ``details`` is empty for most kinds of stages.

    ``bytes`` is the weight of ``buffered``, empty in a system without a memory limit. ``counted``
    has what did not go the usual way, such as ``{"resumed": "3"}``: no zeros.
    """

    name: str
    state: str
    elements_in: str
    elements_out: str
    per_second: str
    demand: str
    buffered: str
    bytes: str
    busy: str
    idle: str
    back_pressured: str
    bottleneck: bool
    details: str
    counted: Mapping[str, str]


class History:
    """The snapshots of the last ``RATE_SECONDS``. One thread at a time."""

    def __init__(self) -> None:
        self._past: deque[RunSnapshot] = deque()

    def before(self, now: RunSnapshot) -> RunSnapshot | None:
        """What to compare ``now`` with, which is kept for later calls.

        ``None`` for the first snapshot and once the run has ended: then the mean is wanted.
        """
        past = self._past
        while len(past) > 1 and now.seconds - past[1].seconds >= RATE_SECONDS:
            past.popleft()
        oldest = past[0] if past else None
        past.append(now)
        return oldest if now.state == "running" else None


def rows_of(now: RunSnapshot, before: RunSnapshot | None = None) -> tuple[Row, ...]:
    """A row for each stage of ``now``, in its order; ``before`` is an earlier one of the run.

    Stages in inner streams come and go in between.
    """
    earlier = {stage.name: stage for stage in before.stages} if before else {}
    slowest = now.bottleneck
    bottleneck = None if slowest is None else slowest.name
    since = now.seconds - (before.seconds if before else 0.0)
    return tuple(
        _row(now, stage, earlier.get(stage.name), since, stage.name == bottleneck)
        for stage in now.stages
    )


def title_of(now: RunSnapshot) -> str:
    """The run, its state, and the part of a memory limit that its elements take."""
    title = f"{now.name} {state_of(now)}, {now.seconds:.1f} s"
    if now.memory_limit is None:
        return title
    held = sum(stage.buffered_bytes for stage in now.stages)
    return f"{title}, holds {compact_bytes(held)} of {compact_bytes(now.memory_limit)}"


def state_of(now: RunSnapshot) -> str:
    """``draining`` while a run drains, which takes no more; else its state."""
    return "draining" if now.draining and now.state == "running" else now.state


def moved(stage: StageSnapshot) -> int:
    """The elements that a stage's rate counts: those it took, or gave if it is a source.

    A whole stream that is one stage has neither a window nor gives any: what its sink took.
    """
    return stage.elements_in if stage.window else stage.elements_out or stage.elements_in


def compact(number: float) -> str:
    """A count in at most five characters: ``1024``, ``12.3k``, ``4.56M``; ``all`` if unbounded."""
    if number >= UNBOUNDED:
        return "all"
    if number < 9999.5:
        return f"{number:.0f}"
    unit = ""
    for larger in "kMGTPE":
        if number < 999.5:
            break
        number, unit = number / 1000, larger
    return f"{number:.{_decimals(number)}f}{unit}"


def compact_bytes(number: float) -> str:
    """Bytes in at most seven characters: ``512B``, ``1.50KiB``, ``64.0MiB``."""
    unit = ""
    for larger in "KMGTPE":
        if number < 999.5:
            break
        number, unit = number / 1024, f"{larger}i"
    return f"{number:.{_decimals(number) if unit else 0}f}{unit}B"


def percent(share: float) -> str:
    """``0.123`` as ``12%``."""
    return f"{share:.0%}"


def _decimals(number: float) -> int:
    """As many as give three digits."""
    return 2 if number < 9.995 else 1 if number < 99.95 else 0


def _row(
    now: RunSnapshot,
    stage: StageSnapshot,
    old: StageSnapshot | None,
    seconds: float,
    bottleneck: bool,
) -> Row:
    weighed = now.memory_limit is not None and (stage.window or stage.buffered_bytes)
    return Row(
        name=stage.name,
        state=stage.state,
        elements_in=compact(stage.elements_in) if stage.window or stage.elements_in else "",
        elements_out=compact(stage.elements_out),
        per_second=_rate(moved(stage), moved(old) if old else 0, seconds),
        demand=compact(stage.demand),
        buffered=f"{compact(stage.buffered)}/{compact(stage.window)}" if stage.window else "",
        bytes=compact_bytes(stage.buffered_bytes) if weighed else "",
        busy=percent(stage.busy),
        idle=percent(stage.idle),
        back_pressured=percent(stage.back_pressured),
        bottleneck=bottleneck,
        details="; ".join(filter(None, _of_its_kind(stage, old, seconds, now.seconds))),
        counted={what: compact(count) for what, count in _counted(stage).items() if count},
    )


def _of_its_kind(
    stage: StageSnapshot, old: StageSnapshot | None, seconds: float, run: float
) -> tuple[str, ...]:
    return _partitions(stage, old, seconds, run), _workers(stage), _inner(stage)


def _partitions(stage: StageSnapshot, old: StageSnapshot | None, seconds: float, run: float) -> str:
    left = _left(stage.details, run) if stage.state == "running" else ""
    return _details(stage.details, old.details if old else {}, seconds) + left


def _workers(stage: StageSnapshot) -> str:
    """Worker processes, their memory, and what of their work is pickling."""
    details = stage.details
    if "workers" not in details or "chunk" not in details:
        return ""
    if details.get("in_process"):
        return "calls in this process, where they are faster"
    parts = [f"{details['workers']} workers with {compact_bytes(details['workers_memory'])}"]
    parts += [f"chunks of {compact(details['chunk'])}", f"{percent(details['pickling'])} pickling"]
    if died := details.get("workers_died"):
        parts.append(f"{compact(died)} died")
    return ", ".join(parts)


def _inner(stage: StageSnapshot) -> str:
    return f"{compact(stage.inner_elements)} in inner streams" if stage.inner_elements else ""


def _counted(stage: StageSnapshot) -> dict[str, int]:
    """Elements that took another way than downstream: passed over, tried again or dropped by its
    policy, or not wanted any more; and its dead letters.
    """
    details = stage.details
    restarted = stage.restarted + details.get("restarts", 0)  # of elements, or of the section
    counts = {"resumed": stage.resumed, "restarted": restarted}
    if "partitions" not in details:  # else ``details`` of the row tell
        counts |= {what.replace("_", " "): details.get(what, 0) for what in _COUNTED}
    return counts | {"dead letters": stage.dead_letters}


def _rate(count: int, before: int, seconds: float) -> str:
    return compact((count - before) / seconds if seconds > 0 else 0)


def _details(now: Mapping[str, Any], before: Mapping[str, Any], seconds: float) -> str:
    """Partitions by state, what went wrong, and rows per second where the stage counts rows."""
    if "partitions" not in now:
        return ""
    if now["partitions"] is None:
        return "partitions not known yet"
    parts = [f"{now[state]} {state}" for state in _PARTITION_STATES if state in now]
    parts += [f"{now[what]} {what}" for what in _PARTITION_TROUBLE if now.get(what)]
    if "rows" in now:
        parts.append(f"{_rate(now['rows'], before.get('rows', 0), seconds)} rows/s")
    return f"{now['partitions']} partitions: " + ", ".join(parts)


def _left(details: Mapping[str, Any], run: float) -> str:
    left = seconds_left(details, run)
    return f", about {timedelta(seconds=round(left))} left" if left else ""


def seconds_left(details: Mapping[str, Any], seconds: float) -> float | None:
    """The seconds that a source of partitions will still take, at the pace of ``seconds`` so far.

    ``details`` come from its ``StageSnapshot``. ``None`` as long as it is not known.
    """
    if details.get("partitions") is None or "done" not in details:
        return None
    gone = details["done"] - details.get("skipped", 0) + details.get("poison", 0)
    left = details["partitions"] - details["done"] - details.get("poison", 0)
    return left * seconds / gone if gone else None
