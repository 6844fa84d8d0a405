"""How far a run has come, where the total is known."""

from __future__ import annotations

from typing import Any, NamedTuple

from actors_rs.engine.run.bottleneck import inner_stages
from actors_rs.engine.run.snapshot import RunSnapshot, StageSnapshot

__all__ = ["progress_of"]

_TOTALS = (("bytes_read", "bytes_total", "bytes"), ("elements", "total", "elements"))
"""Details of a source that say how much of how much it has given, and in what unit."""


class _Known(NamedTuple):
    """What one stage has done of how much; ``fresh`` is the part that this run has done."""

    stage: StageSnapshot
    done: int
    total: int
    unit: str
    fresh: int
    given_up: int = 0


def progress_of(now: RunSnapshot) -> dict[str, Any] | None:
    """``done``, ``total``, ``unit`` and ``left`` (seconds) of the sources that know their totals.

    ``given_up`` of what is ``done`` are Spark partitions that failed for good.
    A run that completes without a drain has done all of it: ``total`` is ``done`` then. Otherwise
    it would end below 100 % where a filter drops elements, or a stage needs fewer.
    Sources with the unit of the first one are summed. ``None`` if no source knows its total.
    Stages of inner streams do not count: nobody knows how many streams will come.
    """
    counted = _first_on_each_way(now)
    if not counted:
        return None
    unit = counted[0].unit
    summed = [one for one in counted if one.unit == unit]
    done, total = sum(one.done for one in summed), sum(one.total for one in summed)
    fresh = sum(one.fresh for one in summed)
    if now.state == "completed" and not now.draining:
        total = min(done, total)
    running = any(one.stage.state == "running" for one in summed)
    known_left = running and fresh and done <= total  # a total that the user says may be too small
    left = (total - done) * now.seconds / fresh if known_left else None
    names = ", ".join(one.stage.name for one in summed)
    lost = sum(one.given_up for one in summed)
    amounts = {"done": done, "given_up": lost, "total": total}
    return {"stage": names, **amounts, "unit": unit, "left": left}


def _first_on_each_way(now: RunSnapshot) -> list[_Known]:
    """The stages that know their totals; only the first one where several are in a row."""
    inner = inner_stages(now.stages, now.links)
    upstream: dict[str, list[str]] = {}
    for link in now.links:
        upstream.setdefault(link.downstream, []).append(link.upstream)
    found: list[_Known] = []
    covered: set[str] = set()
    for stage in now.stages:  # each after its inputs
        if stage.name in inner:
            continue
        if not covered.isdisjoint(upstream.get(stage.name, ())):
            covered.add(stage.name)
        elif (known := _partitions(stage) or _elements(stage)) is not None:
            found.append(known)
            covered.add(stage.name)
    return found


def _partitions(stage: StageSnapshot) -> _Known | None:
    details = stage.details
    if not isinstance(details.get("partitions"), int) or "done" not in details:
        return None
    poison = details.get("poison", 0)
    gone = details["done"] + poison
    fresh = gone - details.get("skipped", 0)
    return _Known(stage, gone, details["partitions"], "partitions", fresh, poison)


def _elements(stage: StageSnapshot) -> _Known | None:
    details = {"elements": stage.elements_out, "total": stage.total, **stage.details}
    for done_name, total_name, unit in _TOTALS:
        done, total = details.get(done_name), details.get(total_name)
        if isinstance(done, int) and isinstance(total, int) and total > 0:
            return _Known(stage, done, total, unit, done)
    return None
