"""Metrics of a system for Prometheus: ``REGISTRY.register(Collector(system))``.

Needs the extra ``prometheus``. Labels are the names of the system, of runs and of stages; stages of
inner streams are one series for each kind of stage. Runs of one name share their series.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from actors_rs.engine.run.scope import RunLife
from actors_rs.errors import MissingExtraError
from actors_rs.observability.series import (
    RUN_COUNTERS,
    STAGE_COUNTERS,
    STAGE_GAUGES,
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
from actors_rs.runtime.settings import check_kind

if TYPE_CHECKING:
    from prometheus_client import Metric

    from actors_rs.engine.run.run import Run
    from actors_rs.engine.run.snapshot import RunSnapshot
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["Collector", "exposition"]


class Collector:
    """Gives Prometheus the figures of all runs of ``system``, those that have ended included.

    Register it once and let it live as long as the system. It begins to count with the runs that
    are going on when it is made; ``close()`` ends that. All methods may be called from any thread.
    Raises ``MissingExtraError`` without ``prometheus-client``, and ``ArgumentTypeError`` for what
    is no system.

    >>> from actors_rs import ActorSystem, Sink, Source
    >>> from prometheus_client import CollectorRegistry
    >>> registry = CollectorRegistry()
    >>> with ActorSystem(name="shop") as system:
    ...     registry.register(Collector(system))
    ...     system.start(Source.of(1, 2).to(Sink.sum())).result()
    3
    >>> labels = {"system": "shop", "run": "run", "stage": "sum"}
    >>> registry.get_sample_value("actors_stage_elements_in_total", labels)
    2.0
    """

    def __init__(self, system: ActorSystem) -> None:
        _prometheus()
        check_kind(system, "events", "Collector needs an ActorSystem")
        self._system = system
        self._lock = RLock()
        self._living: dict[int, Run[Any]] = {}
        self._ended = Ended()
        self._floor: dict[tuple[str, Key], float] = {}
        self.close = system.events.listen(self._heard)
        """Count no further runs."""
        for activity in system._living_activities():
            if isinstance(activity, RunLife):
                self._began(activity.number, activity.run)

    def describe(self) -> list[Metric]:
        """Nothing: names are known when figures are asked for."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The figures of this moment; called by the registry at each scrape."""
        with self._lock:
            snapshots = [run.snapshot() for run in self._living.values()]
            yield from self._of_runs(snapshots)
            yield from self._of_stages(snapshots)
        yield from self._of_system()

    # What happens

    def _heard(self, event: Event) -> None:
        if event.name == "run_started":
            self._began(event.run_id, event.source)
        elif event.name == "run_ended":
            with self._lock:
                if self._living.pop(event.run_id, None) is not None:
                    self._ended.add(event.source.snapshot())

    def _began(self, number: int, run: Run[Any]) -> None:
        with self._lock:
            if number not in self._living and not run.done():
                self._living[number] = run
                self._ended.started[run.name] = self._ended.started.get(run.name, 0) + 1

    # Families

    def _of_runs(self, snapshots: list[RunSnapshot]) -> Iterator[Metric]:
        client = _prometheus()
        labels = ["system", "run"]
        started = client.CounterMetricFamily(
            "actors_runs_started", RUN_COUNTERS["runs_started"], labels=labels
        )
        active = client.GaugeMetricFamily("actors_runs_active", "Runs going on.", labels=labels)
        ended = client.CounterMetricFamily(
            "actors_runs_ended", RUN_COUNTERS["runs_ended"], labels=[*labels, "state"]
        )
        for name, number in self._ended.started.items():
            started.add_metric([self._system.name, name], number)
            going_on = sum(one.name == name for one in snapshots)
            active.add_metric([self._system.name, name], going_on)
        for (name, state), number in self._ended.states.items():
            ended.add_metric([self._system.name, name, state], number)
        yield from (started, active, ended)

    def _of_stages(self, snapshots: list[RunSnapshot]) -> Iterator[Metric]:
        client = _prometheus()
        labels = ["system", "run", "stage"]
        sums = stage_sums(snapshots, self._ended)
        for name, text in STAGE_COUNTERS.items():
            family = client.CounterMetricFamily(f"actors_stage_{name}", text, labels=labels)
            for key, figures in sums.items():
                family.add_metric(
                    [self._system.name, *key], self._never_less(name, key, figures[name])
                )
            yield family
        for name, text in STAGE_GAUGES.items():
            gauge = client.GaugeMetricFamily(f"actors_stage_{name}", text, labels=labels)
            for key, value in gauges_of(snapshots, name).items():
                shown = float("inf") if value >= UNBOUNDED else value
                gauge.add_metric([self._system.name, *key], shown)
            yield gauge
        latency = client.GaugeMetricFamily(
            "actors_stage_latency_seconds",
            "Time that this part of the calls, or of turns with elements, took at most.",
            labels=[*labels, "quantile"],
        )
        for place, seconds in latencies_of(snapshots).items():
            latency.add_metric([self._system.name, *place], seconds)
        yield latency
        partitions = client.GaugeMetricFamily(
            "actors_stage_partitions",
            "Partitions of a source, by state.",
            labels=[*labels, "state"],
        )
        for place, number in partitions_of(snapshots).items():
            partitions.add_metric([self._system.name, *place], number)
        yield partitions

    def _never_less(self, name: str, key: Key, value: float) -> float:
        """A counter that goes back by a rounding error would count as one that began anew."""
        highest = max(value, self._floor.get((name, key), 0.0))
        self._floor[name, key] = highest
        return highest

    def _of_system(self) -> Iterator[Metric]:
        client = _prometheus()
        now = self._system.statistics()
        gauges = {
            "actors_system_workers": ("Threads of the pool.", now.workers),
            "actors_system_ready_turns": ("Turns that wait for a thread.", now.ready),
            "actors_system_actors": ("Actors that live.", now.actors),
        }
        counters = {
            "actors_system_turns": ("Turns of actors.", now.turns),
            "actors_system_abandoned_calls": ("Calls that nobody waits for.", now.abandoned),
            "actors_system_dead_letters": ("Dead letters.", now.dead_letters.total),
        }
        for name, (text, value) in gauges.items():
            gauge = client.GaugeMetricFamily(name, text, labels=["system"])
            gauge.add_metric([self._system.name], value)
            yield gauge
        for name, (text, value) in counters.items():
            counter = client.CounterMetricFamily(name, text, labels=["system"])
            counter.add_metric([self._system.name], value)
            yield counter


def exposition(collector: Collector, accept: str = "") -> tuple[bytes, str]:
    """The body and the content type of an answer to ``GET /metrics``.

    ``accept`` is the request's ``Accept`` header: Prometheus asks for OpenMetrics by it.

    >>> from actors_rs import ActorSystem
    >>> with ActorSystem(name="shop") as system:
    ...     body, kind = exposition(Collector(system))
    >>> b'actors_system_turns_total{system="shop"}' in body
    True
    """
    from prometheus_client import CollectorRegistry
    from prometheus_client.exposition import choose_encoder

    registry = CollectorRegistry()
    registry.register(collector)
    encode, kind = choose_encoder(accept)
    return encode(registry), kind


def _prometheus() -> Any:
    try:
        import prometheus_client.core
    except ImportError:
        raise MissingExtraError(
            "metrics for Prometheus need prometheus-client, which is not installed: "
            "pip install 'actors-rs[prometheus]'"
        ) from None
    return prometheus_client.core
