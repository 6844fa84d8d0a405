"""How far a run has come, where the total is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from actors_rs.engine.run.snapshot import RunSnapshot, StageSnapshot
from actors_rs.observability.table import seconds_left

__all__ = ["progress_of"]

_TOTALS = (("bytes_read", "bytes_total", "bytes"), ("elements", "total", "elements"))
"""Details of a source that say how much of how much it has given, and in what unit."""


def progress_of(now: RunSnapshot) -> dict[str, Any] | None:
    """``done``, ``total``, ``unit``, ``left`` (seconds) of the first source that knows its total.

    ``None`` if no source does.
    """
    for stage in now.stages:
        if (found := _partitions(stage, now.seconds) or _elements(stage, now.seconds)) is not None:
            return {"stage": stage.name, **found}
    return None


def _partitions(stage: StageSnapshot, seconds: float) -> dict[str, Any] | None:
    details = stage.details
    if not isinstance(details.get("partitions"), int) or "done" not in details:
        return None
    gone = details["done"] + details.get("poison", 0)
    left = seconds_left(details, seconds) if stage.state == "running" else None
    return {"done": gone, "total": details["partitions"], "unit": "partitions", "left": left}


def _elements(stage: StageSnapshot, seconds: float) -> dict[str, Any] | None:
    details: Mapping[str, Any] = {"elements": stage.elements_out, "total": stage.total}
    details = {**details, **stage.details}
    for done_name, total_name, unit in _TOTALS:
        done, total = details.get(done_name), details.get(total_name)
        if isinstance(done, int) and isinstance(total, int) and total > 0:
            running = stage.state == "running" and done
            left = max(0, total - done) * seconds / done if running else None
            return {"done": done, "total": total, "unit": unit, "left": left}
    return None
