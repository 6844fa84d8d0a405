"""The metrics of a system: their names, types, units, labels, help texts, and current values.

``Collector`` gives them to Prometheus, ``Metrics`` to OpenTelemetry. Both read ``METRICS`` and one
``SystemFigures``, so that a metric is described and computed in one place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from actors_rs.engine.run.scope import RunScope
from actors_rs.observability.series import (
    Ended,
    Key,
    gauges_of,
    latencies_of,
    partitions_of,
    stage_sums,
)
from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.eventing.events import Event

if TYPE_CHECKING:
    from actors_rs.engine.run.run import Run
    from actors_rs.engine.run.snapshot import RunSnapshot
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["METRICS", "Metric", "Reading", "Sample", "SystemFigures"]

Kind: TypeAlias = Literal["counter", "level", "gauge"]
"""A counter only grows. Levels of several systems add up; gauges do not."""
Sample: TypeAlias = tuple[tuple[str, ...], float]
"""The values of a metric's labels, in order, and its own value."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric. ``unit`` is ``"s"``, or what is counted in braces, as in ``"{element}"``."""

    area: Literal["runs", "stage", "system"]
    name: str
    kind: Kind
    unit: str
    text: str
    more_labels: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of its labels."""
        return (*_LABELS[self.area], *self.more_labels)


Reading: TypeAlias = Mapping[Metric, Sequence[Sample]]
"""The values of all metrics at one moment."""

_LABELS = {"runs": ("system", "run"), "stage": ("system", "run", "stage"), "system": ("system",)}
_STARTED = Metric("runs", "started", "counter", "{run}", "Runs that have begun.")
_ACTIVE = Metric("runs", "active", "level", "{run}", "Runs going on.")
_ENDED = Metric("runs", "ended", "counter", "{run}", "Runs that have ended.", ("state",))
_STAGE_COUNTERS = tuple(
    Metric("stage", name, "counter", unit, text)
    for name, unit, text in (
        ("elements_in", "{element}", "Elements that came from upstream."),
        ("elements_out", "{element}", "Elements that went downstream."),
        ("inner_elements", "{element}", "Elements of inner streams or groups."),
        ("busy", "s", "Time in functions of the user's, or calls under way over parallelism."),
        ("no_input", "s", "Time without input."),
        ("no_demand", "s", "Time in which downstream asked for nothing."),
        ("call", "s", "Time of all calls, added up."),
        ("resumed", "{element}", "Elements that failed and were passed over."),
        ("restarted", "{restart}", "Restarts, or elements passed over with fresh state."),
        ("retried", "{attempt}", "Calls or partitions that were tried again."),
        ("fallbacks", "{element}", "Elements in place of others whose calls had failed."),
        ("dropped", "{element}", "Elements that were dropped on purpose."),
        ("undelivered", "{element}", "Elements that arrived after downstream had enough."),
        ("dead_letters", "{letter}", "Dead letters of the stage."),
    )
)
_STAGE_LEVELS = (
    Metric("stage", "buffered_elements", "level", "{element}", "Elements that wait in the stage."),
    Metric("stage", "mailbox_messages", "level", "{message}", "Unread messages of its actor."),
    Metric("stage", "calls_under_way", "level", "{call}", "Calls under way."),
)
_STAGE_GAUGES = tuple(
    Metric("stage", name, "gauge", unit, text)
    for name, unit, text in (
        ("window_elements", "{element}", "The most that the stage asks for at a time."),
        ("demand_elements", "{element}", "Elements that downstream waits for."),
        ("requested_elements", "{element}", "Elements that the stage waits for."),
        ("bottleneck", "{stage}", "1 for the stage that limits the rate of its run, else 0."),
    )
)
_LATENCY = Metric(
    "stage",
    "latency",
    "gauge",
    "s",
    "Time that this share of the calls, or of turns with elements, took at most.",
    ("quantile",),
)
_PARTITIONS = Metric(
    "stage", "partitions", "level", "{partition}", "Partitions of a source, by state.", ("state",)
)
_SYSTEM: Mapping[Metric, Callable[[Any], float]] = {
    Metric("system", "workers", "level", "{thread}", "Threads of the pool."): (
        lambda now: now.workers
    ),
    Metric("system", "ready_turns", "level", "{turn}", "Turns that wait for a thread."): (
        lambda now: now.ready
    ),
    Metric("system", "actors", "level", "{actor}", "Actors that are alive."): lambda now: (
        now.actors
    ),
    Metric(
        "system", "actor_restarts", "counter", "{restart}", "Actors that supervisors restarted."
    ): (lambda now: now.restarts),
    Metric("system", "turns", "counter", "{turn}", "Turns of actors."): lambda now: now.turns,
    Metric(
        "system",
        "abandoned_calls",
        "counter",
        "{call}",
        "Calls that had not returned within the grace of a run's end.",
    ): (lambda now: now.abandoned),
    Metric("system", "dead_letters", "counter", "{letter}", "Dead letters."): (
        lambda now: now.dead_letters.total
    ),
}
METRICS: tuple[Metric, ...] = (
    *(_STARTED, _ACTIVE, _ENDED),
    *_STAGE_COUNTERS,
    *_STAGE_LEVELS,
    *_STAGE_GAUGES,
    *(_LATENCY, _PARTITIONS),
    *_SYSTEM,
)
"""All metrics, in the order in which they are shown."""


class SystemFigures:
    """The values of ``METRICS`` for ``system``; runs that have ended still count.

    It counts the runs that are going on when it is made, and all later ones until ``close()``. All
    methods may be called from any thread.
    """

    def __init__(self, system: ActorSystem) -> None:
        self._system = system
        self._lock = RLock()
        self._living: dict[int, tuple[str, Run[Any]]] = {}  # with the name each counts under
        self._ended = Ended()
        self._floor: dict[tuple[str, Key], float] = {}
        self.close = system.events.listen(self._heard)
        """Count no further runs."""
        for activity in system._living_activities():
            if isinstance(activity, RunScope):
                self._began(activity.number, activity.run)

    def read(self) -> Reading:
        """The values at this moment."""
        with self._lock:
            snapshots = [_snapshot(*one) for one in self._living.values()]
            values = {**self._of_runs(snapshots), **self._of_stages(snapshots)}
        now = self._system.statistics()
        values |= {metric: {(): value(now)} for metric, value in _SYSTEM.items()}
        system = self._system.name
        return {
            metric: [((system, *labels), value) for labels, value in values[metric].items()]
            for metric in METRICS
        }

    # What happens

    def _heard(self, event: Event) -> None:
        if event.name == "run_started":
            self._began(event.run_id, event.source)
        elif event.name == "run_ended":
            with self._lock:
                if (known := self._living.pop(event.run_id, None)) is not None:
                    self._ended.add(_snapshot(*known))

    def _began(self, number: int, run: Run[Any]) -> None:
        with self._lock:
            if number not in self._living and not run.done():
                self._living[number] = self._ended.begin(run.name), run

    # The values of each metric by its labels, without the label of the system

    def _of_runs(self, snapshots: Iterable[RunSnapshot]) -> dict[Metric, Mapping[Any, float]]:
        active = Counter(one.name for one in snapshots)
        return {
            _STARTED: {(name,): number for name, number in self._ended.started.items()},
            _ACTIVE: {(name,): active[name] for name in self._ended.started},
            _ENDED: self._ended.states,
        }

    def _of_stages(self, snapshots: Sequence[RunSnapshot]) -> dict[Metric, Mapping[Any, float]]:
        sums = stage_sums(snapshots, self._ended)
        values: dict[Metric, Mapping[Any, float]] = {
            metric: {
                key: self._never_less(metric.name, key, figures[metric.name])
                for key, figures in sums.items()
            }
            for metric in _STAGE_COUNTERS
        }
        for metric in (*_STAGE_LEVELS, *_STAGE_GAUGES):
            gauges = gauges_of(snapshots, metric.name)
            values[metric] = {
                key: float("inf") if value >= UNBOUNDED else value for key, value in gauges.items()
            }
        return {**values, _LATENCY: latencies_of(snapshots), _PARTITIONS: partitions_of(snapshots)}

    def _never_less(self, name: str, key: Key, value: float) -> float:
        """A counter that goes back by a rounding error would count as one that began anew."""
        highest = max(value, self._floor.get((name, key), 0.0))
        self._floor[name, key] = highest
        return highest


def _snapshot(name: str, run: Run[Any]) -> RunSnapshot:
    return replace(run.snapshot(), name=name)
