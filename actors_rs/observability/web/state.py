"""From snapshots of a run to what the page shows of it: pure functions, plain data for JSON.

Loads and rates are those between two snapshots, as far apart as ``History`` says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from actors_rs.engine.run.snapshot import LinkSnapshot, RunSnapshot, StageSnapshot
from actors_rs.graph.drawing.layout import hosts_of, layout
from actors_rs.observability.table import moved, state_of
from actors_rs.observability.web.bottleneck import sentence
from actors_rs.observability.web.progress import progress_of
from actors_rs.protocol.demand import UNBOUNDED

__all__ = ["MOST_STAGES", "About", "recent", "run_state"]

MOST_STAGES = 1_000
"""Stages that the page shows of a run; the others, of inner streams, are counted."""
_SHARES = ("busy", "idle", "back_pressured")
_FAILED = ("failed", "poison")
_DROPPED = ("dropped", "unwanted", "undelivered", "passed_over", "missed")


@dataclass(frozen=True, slots=True)
class About:
    """What no snapshot says of a stage; ``partitions`` has a letter for each Spark partition."""

    island: int = 0
    paused: bool = False
    source: bool = False
    adjustable: Mapping[str, float] = field(default_factory=dict)
    partitions: str = ""
    attempts: str = ""
    """A digit for each Spark partition: how often it was tried."""
    ledger: Sequence[Mapping[str, Any]] = ()
    """The starts in the ledger of a source, the newest last."""


def recent(now: RunSnapshot, before: RunSnapshot | None) -> RunSnapshot:
    """``now`` with the loads of the time since ``before`` in place of those since the start."""
    if before is None or now.seconds <= before.seconds:
        return now
    earlier = {stage.name: stage for stage in before.stages}
    stages = tuple(
        _since(stage, earlier[stage.name], now.seconds, before.seconds)
        if stage.name in earlier
        else stage
        for stage in now.stages
    )
    return replace(now, stages=stages)


def _since(stage: StageSnapshot, old: StageSnapshot, now: float, then: float) -> StageSnapshot:
    if "under_way" in stage.details:  # busy is how many calls are under way at this moment
        return stage
    spent = [
        max(0.0, getattr(stage, share) * now - getattr(old, share) * then) for share in _SHARES
    ]
    if not (total := sum(spent)):
        return stage
    busy, idle, held_back = (part / total for part in spent)
    return replace(stage, busy=busy, idle=idle, back_pressured=held_back)


def run_state(
    now: RunSnapshot,
    before: RunSnapshot | None = None,
    about: Mapping[str, About] | None = None,
) -> dict[str, Any]:
    """The page's view of a run: ``now``, with rates and loads since ``before``."""
    about = about or {}
    shown = recent(replace(now, stages=now.stages[:MOST_STAGES]), before)
    earlier = {stage.name: stage for stage in before.stages} if before else {}
    seconds = now.seconds - (before.seconds if before else 0.0)
    slowest = shown.bottleneck if now.state == "running" else None
    stages = [
        _stage(stage, earlier.get(stage.name), seconds, now.seconds, about.get(stage.name))
        for stage in shown.stages
    ]
    old_links = {_ends(link): link.elements for link in before.links} if before else {}
    names = {stage.name: number for number, stage in enumerate(shown.stages)}
    links = [
        _link(link, names, link.elements - old_links.get(_ends(link), 0), seconds)
        for link in shown.links
        if link.upstream in names and link.downstream in names
    ]
    return {
        "name": now.name,
        "state": state_of(now),
        "seconds": round(now.seconds, 3),
        "stages": stages,
        "links": links,
        "layout": _layout(shown, names, links, about),
        "bottleneck": None if slowest is None else slowest.name,
        "sentence": sentence(shown, slowest, before),
        "progress": progress_of(now),
        "omitted": len(now.stages) - len(shown.stages),
    }


def _ends(link: LinkSnapshot) -> tuple[str, str, str, str]:
    return link.upstream, link.outlet, link.downstream, link.inlet


def _rate(count: float, seconds: float) -> float:
    return round(max(0.0, count) / seconds, 3) if seconds > 0 else 0.0


def _counted(number: float) -> float | None:
    """``None`` for demand without a bound, which no picture can show."""
    return number if number < UNBOUNDED else None


def _stage(
    stage: StageSnapshot,
    old: StageSnapshot | None,
    seconds: float,
    run_seconds: float,
    about: About | None,
) -> dict[str, Any]:
    about, details = about or About(), stage.details
    return {
        "name": stage.name,
        "kind": stage.kind,
        "state": stage.state,
        "load": _load(stage),
        "in": stage.elements_in,
        "out": stage.elements_out,
        "rate": _rate(moved(stage) - (moved(old) if old else 0), seconds),
        "average": _rate(moved(stage), run_seconds),
        "demand": _counted(stage.demand),
        "requested": _counted(stage.requested),
        "buffered": stage.buffered,
        "window": _counted(stage.window),
        "mailbox": stage.mailbox,
        "busy": round(stage.busy, 3),
        "idle": round(stage.idle, 3),
        "held": round(stage.back_pressured, 3),
        "p50": stage.latency_p50,
        "p99": stage.latency_p99,
        "calls": details.get("under_way"),
        "parallelism": details.get("parallelism"),
        "failed": _sum(details, _FAILED),
        "resumed": stage.resumed,
        "retried": _sum(details, ("retried",)),
        "fallbacks": _sum(details, ("fallbacks",)),
        "restarted": stage.restarted + _sum(details, ("restarts",)),
        "dropped": _sum(details, _DROPPED),
        "dead": stage.dead_letters,
        "inner": stage.inner_elements,
        "island": about.island,
        "paused": about.paused,
        "source": about.source,
        "adjustable": dict(about.adjustable),
        "partitions": about.partitions,
        "attempts": about.attempts,
        "ledger": [dict(run) for run in about.ledger],
    }


def _sum(details: Mapping[str, Any], names: Sequence[str]) -> int:
    found = (details.get(name, 0) for name in names)
    return sum(one for one in found if isinstance(one, int))


def _load(stage: StageSnapshot) -> str:
    """The main activity of the stage: the colour of its box."""
    if stage.state != "running":
        return stage.state
    if stage.back_pressured >= max(stage.busy, stage.idle, 0.001):
        return "held"
    return "busy" if stage.busy >= max(stage.idle, 0.001) else "idle"


def _link(
    link: LinkSnapshot, names: Mapping[str, int], elements: int, seconds: float
) -> dict[str, Any]:
    return {
        "from": names[link.upstream],
        "to": names[link.downstream],
        "outlet": "" if link.outlet == "out" else link.outlet,
        "elements": link.elements,
        "rate": _rate(elements, seconds),
        "buffered": link.buffered,
        "window": _counted(link.window),
        "closed": link.closed,
    }


def _layout(
    now: RunSnapshot,
    names: Mapping[str, int],
    links: Sequence[Mapping[str, Any]],
    about: Mapping[str, About],
) -> dict[str, Any]:
    pairs = [(link["from"], link["to"]) for link in links]
    started_by = {
        number: hosts
        for number, stage in enumerate(now.stages)
        if (hosts := [names[host] for host in stage.started_by if host in names])
    }
    islands: dict[int, list[int]] = {}
    for number, stage in enumerate(now.stages):
        if (known := about.get(stage.name)) is not None:
            islands.setdefault(known.island, []).append(number)
    return asdict(layout(len(names), pairs, hosts_of(pairs, started_by), islands.values()))
