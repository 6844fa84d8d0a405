"""Metrics of a system for Prometheus: ``REGISTRY.register(Collector(system))``.

Needs the extra ``prometheus``. Labels are the names of the system, of runs and of stages; stages of
inner streams are one series for each kind of stage. Runs of one name share their series.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from actors_rs.errors import MissingExtraError
from actors_rs.observability.metrics import METRICS, Metric, SystemFigures
from actors_rs.runtime.settings import check_kind

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client import Metric as MetricFamily

    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["Collector", "exposition"]


class Collector:
    """Gives Prometheus the figures of all runs of ``system``, also after their end.

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
        self._figures = SystemFigures(system)
        self.close = self._figures.close
        """Count no further runs."""

    def describe(self) -> list[MetricFamily]:
        """Nothing: names are known when figures are asked for."""
        return []

    def collect(self) -> Iterator[MetricFamily]:
        """The figures of this moment; called by the registry at each scrape."""
        client, reading = _prometheus(), self._figures.read()
        for metric in METRICS:
            counter = metric.kind == "counter"
            family = (client.CounterMetricFamily if counter else client.GaugeMetricFamily)(
                _name_of(metric), metric.text, labels=metric.labels
            )
            for labels, value in reading[metric]:
                family.add_metric(labels, value)
            yield family


def _name_of(metric: Metric) -> str:
    """By the conventions of Prometheus, which adds ``_total`` to counters."""
    return f"actors_{metric.area}_{metric.name}{'_seconds' if metric.unit == 's' else ''}"


def exposition(collector: Collector | CollectorRegistry, accept: str = "") -> tuple[bytes, str]:
    """The body and the content type of an answer to ``GET /metrics``.

    ``collector`` is a ``Collector``, or a registry that has one and metrics of your own.
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
