"""Why a run is not faster: one sentence for people that names the stage and says what to do."""

from __future__ import annotations

from actors_rs.engine.run.bottleneck import AT_LIMIT
from actors_rs.engine.run.snapshot import RunSnapshot, StageSnapshot
from actors_rs.observability.table import moved, percent

__all__ = ["seconds_in_words", "sentence"]


def sentence(
    now: RunSnapshot, slowest: StageSnapshot | None, before: RunSnapshot | None = None
) -> str:
    """Why the run is not faster: its bottleneck ``slowest``, or what all stages wait for."""
    if now.state != "running":
        return f"The run has ended after {seconds_in_words(now.seconds)}: {now.state}."
    if slowest is None:
        return _without_bottleneck(now)
    calls = slowest.details.get("under_way")
    rate = _rate_of(slowest, now, before)
    if calls:
        parallelism = slowest.details.get("parallelism", calls)
        each = f", {seconds_in_words(calls / rate)} each" if rate else ""
        remedy = "raise parallelism or make it faster"
        return (
            f"`{slowest.name}` is at its limit: {calls} of {parallelism} calls under way"
            f"{each}; {remedy}."
        )
    if isinstance(slowest.details.get("partitions"), int):
        return _partitions(slowest)
    each = f", {seconds_in_words(slowest.busy / rate)} for an element" if rate else ""
    if slowest.busy < AT_LIMIT:
        return f"`{slowest.name}` lets elements wait: {_waits(slowest)}."
    busy = f"busy {percent(slowest.busy)}{each}"
    return f"`{slowest.name}` is at its limit: {busy}; {_remedy(slowest)}."


def _partitions(slowest: StageSnapshot) -> str:
    running, at_a_time = slowest.details.get("running", 0), slowest.details.get("in_flight", 0)
    each = slowest.latency_p50
    typical = f", {seconds_in_words(each)} each" if each else ""
    remedy = "give Spark more cores, raise in_flight, or make its query faster"
    return (
        f"`{slowest.name}` is at its limit: {running} of {at_a_time} partitions under way"
        f"{typical}; {remedy}."
    )


def seconds_in_words(seconds: float) -> str:
    """``0.041`` as ``41 ms``, ``4000`` as ``1 h 6 min``."""
    if seconds < 1:
        for unit, size in (("ms", 1e-3), ("µs", 1e-6)):
            if seconds >= size:
                number = seconds / size
                return f"{number:.1f} {unit}" if number < 9.95 else f"{number:.0f} {unit}"
        return f"{seconds / 1e-9:.0f} ns"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _waits(stage: StageSnapshot) -> str:
    if stage.kind == "throttle":
        return "its rate is reached; raise the rate"
    if stage.details.get("inner"):
        more = "raise breadth, or " if stage.kind == "flat_map" else ""
        return f"it waits for its inner streams; {more}make their stages faster"
    return "stages upstream wait for its demand, and it is not busy itself; see what it waits for"


def _remedy(stage: StageSnapshot) -> str:
    if not stage.window:
        return "make the source faster, or split it into several"
    if not stage.elements_out and stage.elements_in:
        return "make the sink faster, for instance by writing batches"
    return "make it faster, or make its calls in parallel with map_async"


def _rate_of(stage: StageSnapshot, now: RunSnapshot, before: RunSnapshot | None) -> float:
    earlier = {one.name: one for one in before.stages}.get(stage.name) if before else None
    seconds = now.seconds - (before.seconds if before and earlier else 0.0)
    return (moved(stage) - (moved(earlier) if earlier else 0)) / seconds if seconds > 0 else 0.0


def _without_bottleneck(now: RunSnapshot) -> str:
    if any(stage.back_pressured > 0.5 for stage in now.stages):
        return "No stage is at its limit: downstream requests no more for now."
    return "No stage is at its limit: the run waits for input."
