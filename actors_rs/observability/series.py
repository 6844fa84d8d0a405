"""From snapshots of runs to bounded series of figures, for metrics of any kind: pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from actors_rs.engine.run.bottleneck import inner_stages
from actors_rs.engine.run.snapshot import RunSnapshot, StageSnapshot

__all__ = [
    "MOST_SERIES",
    "Ended",
    "Key",
    "gauges_of",
    "latencies_of",
    "partitions_of",
    "stage_sums",
]

Key: TypeAlias = tuple[str, str]
"""The names of a run and of a stage."""
MOST_SERIES = 5_000
"""Runs and stages with series of their own; all further ones share ``OTHERS``."""
MOST_RUN_NAMES = 100
"""Names of runs with series of their own."""
OTHERS: Key = ("others", "others")

_GAUGES: Mapping[str, Callable[[StageSnapshot], float]] = {
    "buffered_elements": lambda stage: stage.buffered,
    "window_elements": lambda stage: stage.window,
    "demand_elements": lambda stage: stage.demand,
    "requested_elements": lambda stage: stage.requested,
    "mailbox_messages": lambda stage: stage.mailbox,
    "calls_under_way": lambda stage: stage.details.get("under_way", 0),
}
_PARTITION_STATES = ("waiting", "running", "done", "poison")


@dataclass
class Ended:
    """The sums of runs that have ended. One thread at a time."""

    started: dict[str, int] = field(default_factory=dict)
    states: dict[tuple[str, str], int] = field(default_factory=dict)
    sums: dict[Key, dict[str, float]] = field(default_factory=dict)

    def begin(self, name: str) -> str:
        """A run of this ``name`` begins; the name that it counts under."""
        shown = name if name in self.started or len(self.started) < MOST_RUN_NAMES else OTHERS[0]
        self.started[shown] = self.started.get(shown, 0) + 1
        return shown

    def add(self, snapshot: RunSnapshot) -> None:
        """A run has ended so."""
        state = snapshot.name, snapshot.state
        self.states[state] = self.states.get(state, 0) + 1
        _add(self.sums, [snapshot])


def stage_sums(snapshots: Iterable[RunSnapshot], ended: Ended) -> dict[Key, dict[str, float]]:
    """The counters of all stages: of runs that go on, and of runs that have ``ended``."""
    sums = {key: {**figures} for key, figures in ended.sums.items()}
    _add(sums, snapshots)
    return sums


def gauges_of(snapshots: Iterable[RunSnapshot], name: str) -> dict[Key, float]:
    """The gauge ``name`` of all stages of runs that go on; of runs of one name, the sum."""
    gauges: dict[Key, float] = {}
    for snapshot in snapshots:
        slowest = snapshot.bottleneck if name == "bottleneck" else None
        for key, stage in _stages(snapshot):
            value = float(stage is slowest) if name == "bottleneck" else _GAUGES[name](stage)
            _count(gauges, _bounded(gauges, key), value)
    return gauges


def latencies_of(snapshots: Iterable[RunSnapshot]) -> dict[tuple[str, str, str], float]:
    """The seconds of each quantile of each stage of runs that go on.

    Of runs of one name it is the highest.
    """
    found: dict[tuple[str, str, str], float] = {}
    known: dict[Key, None] = {}
    for snapshot in snapshots:
        for key, stage in _stages(snapshot):
            run, name = place = _bounded(known, key)
            known[place] = None
            for share, seconds in (("0.5", stage.latency_p50), ("0.99", stage.latency_p99)):
                if seconds is not None:
                    quantile = run, name, share
                    found[quantile] = max(seconds, found.get(quantile, 0.0))
    return found


def partitions_of(snapshots: Iterable[RunSnapshot]) -> dict[tuple[str, str, str], int]:
    """How many partitions of each source are in each state."""
    found: dict[tuple[str, str, str], int] = {}
    for snapshot in snapshots:
        for (run, name), stage in _stages(snapshot):
            if stage.details.get("partitions") is not None:
                for state in _PARTITION_STATES:
                    if state in stage.details:
                        _count(found, (run, name, state), stage.details[state])
    return found


def _stages(snapshot: RunSnapshot) -> Iterator[tuple[Key, StageSnapshot]]:
    """All stages of a run with their keys; stages of inner streams have the key of their kind."""
    inner = inner_stages(snapshot.stages, snapshot.links)
    for stage in snapshot.stages:
        name = f"{stage.kind} (inner)" if stage.name in inner else stage.name
        yield (snapshot.name, name), stage


def _add(sums: dict[Key, dict[str, float]], snapshots: Iterable[RunSnapshot]) -> None:
    for snapshot in snapshots:
        for key, stage in _stages(snapshot):
            figures = sums.setdefault(_bounded(sums, key), {})
            for name, value in _counted(stage).items():
                figures[name] = figures.get(name, 0.0) + value


def _bounded(known: Mapping[Key, object], key: Key) -> Key:
    return key if key in known or len(known) < MOST_SERIES else OTHERS


def _count(sums: dict, key: tuple[str, ...], value: float) -> None:  # type: ignore[type-arg]
    sums[key] = sums.get(key, 0) + value


def _counted(stage: StageSnapshot) -> dict[str, float]:
    details = stage.details
    return {
        "elements_in": stage.elements_in,
        "elements_out": stage.elements_out,
        "inner_elements": stage.inner_elements,
        "busy": stage.busy * stage.seconds,
        "no_input": stage.idle * stage.seconds,
        "no_demand": stage.back_pressured * stage.seconds,
        "call": details.get("call_seconds", 0.0),
        "resumed": stage.resumed,
        "restarted": stage.restarted + details.get("restarts", 0),
        "retried": details.get("retried", 0),
        "fallbacks": details.get("fallbacks", 0),
        "dropped": details.get("dropped", 0),
        "undelivered": details.get("undelivered", 0),
        "dead_letters": stage.dead_letters,
    }
