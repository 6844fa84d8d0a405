"""How far a run has come, where the total is known."""

from __future__ import annotations

from typing import Any, NamedTuple

from actors_rs.engine.run.bottleneck import inner_stages
from actors_rs.engine.run.snapshot import RunSnapshot, StageSnapshot

__all__ = ["progress_of"]


class _Known(NamedTuple):
    """What one stage has done of how much; ``fresh`` is the part that this run has done."""

    stage: StageSnapshot
    done: int
    total: int
    unit: str
    fresh: int
    given_up: int = 0


def progress_of(now: RunSnapshot) -> dict[str, Any] | None:
    """``done``, ``total``, ``unit`` and ``left`` (seconds) of the stages that know their totals.

    ``given_up`` of what is ``done`` are Spark partitions that failed for good.
    A run that completes without a drain has done all of it: ``total`` is ``done`` then. Otherwise
    it would end below 100 % where a filter drops elements, or a stage needs fewer.
    Sources with the unit of the first one are summed. A ``with_total`` counts instead of all totals
    upstream of it. ``None`` if no total is known.
    Stages of inner streams do not count: nobody knows how many streams will come.
    """
    counted = _known_on_each_way(now)
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


def _known_on_each_way(now: RunSnapshot) -> list[_Known]:
    """One stage that knows its total on each way: the last ``with_total``, or else the source."""
    inner = inner_stages(now.stages, now.links)
    upstream: dict[str, list[str]] = {}
    for link in now.links:
        upstream.setdefault(link.downstream, []).append(link.upstream)
    found: dict[str, _Known] = {}
    covered: dict[str, set[str]] = {}  # of each stage, the stages with totals that lead to it
    for stage in now.stages:  # each after its inputs
        before = {name for up in upstream.get(stage.name, ()) for name in covered.get(up, ())}
        known = None if stage.name in inner else _elements(stage) or _details(stage)
        if known is not None and (not before or stage.total is not None):
            for name in before:
                found.pop(name, None)
            found[stage.name], before = known, {stage.name}
        covered[stage.name] = before
    return list(found.values())


def _elements(stage: StageSnapshot) -> _Known | None:
    """By ``total``, which the user or a sequence gives."""
    done, total = stage.elements_out, stage.total
    return _Known(stage, done, total, "elements", done) if total else None


def _details(stage: StageSnapshot) -> _Known | None:
    """By the details of a source."""
    details = stage.details
    if isinstance(details.get("partitions"), int) and "done" in details:
        poison = details.get("poison", 0)
        gone = details["done"] + poison
        fresh = gone - details.get("skipped", 0)
        return _Known(stage, gone, details["partitions"], "partitions", fresh, poison)
    done, total = details.get("bytes_read"), details.get("bytes_total")
    if isinstance(done, int) and isinstance(total, int) and total > 0:
        return _Known(stage, done, total, "bytes", done)
    return None
