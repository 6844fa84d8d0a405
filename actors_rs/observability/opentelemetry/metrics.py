"""A system's metrics for OpenTelemetry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from actors_rs.observability.metrics import METRICS, Metric, Reading, SystemFigures
from actors_rs.observability.opentelemetry.needs import api
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.settings import check_kind

if TYPE_CHECKING:
    from opentelemetry.metrics import MeterProvider, Observation

    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["Metrics"]


class Metrics:
    """Gives OpenTelemetry the figures of all runs of ``system``, ended ones included.

    The instruments are observable: nothing is counted twice, and a collection reads each run once.
    It begins with the runs that are going on when it is made. ``provider`` is a ``MeterProvider``
    (default: the global one, which may be set later). All methods may be called from any thread.
    Raises ``MissingExtraError`` without ``opentelemetry-api``, ``ArgumentTypeError`` for no system.

    >>> from actors_rs import ActorSystem, Sink, Source
    >>> with ActorSystem(name="shop") as system:
    ...     metrics = Metrics(system)
    ...     system.start(Source.of(1, 2).to(Sink.sum())).result()
    3
    """

    def __init__(self, system: ActorSystem, provider: MeterProvider | None = None) -> None:
        api("metrics")
        check_kind(system, "events", "Metrics needs an ActorSystem")
        self._figures = SystemFigures(system)
        self._instruments = _instruments_of(provider)
        self._instruments.add(self._figures)

    def close(self) -> None:
        """Report nothing of the system any more."""
        self._figures.close()
        self._instruments.remove(self._figures)


class _Instruments:
    """The instruments of one provider, which has one of each name for all systems."""

    def __init__(self, provider: MeterProvider | None) -> None:
        module = api("metrics")
        self._observation = module.Observation
        self._lock = RLock()
        self._systems: list[SystemFigures] = []
        self._readings: list[Reading] = []
        self._given: set[Metric] = set(METRICS)  # of the last reading
        meter = module.get_meter("actors_rs", meter_provider=provider)
        make = {
            "counter": meter.create_observable_counter,
            "level": meter.create_observable_up_down_counter,
            "gauge": meter.create_observable_gauge,
        }
        for metric in METRICS:
            make[metric.kind](
                f"actors.{metric.area}.{metric.name}",
                callbacks=[partial(self._observe, metric)],
                unit=metric.unit,
                description=metric.text,
            )

    def add(self, figures: SystemFigures) -> None:
        with self._lock:
            self._systems.append(figures)
            self._given.update(METRICS)

    def remove(self, figures: SystemFigures) -> None:
        with self._lock:
            self._systems = [one for one in self._systems if one is not figures]
            self._given.update(METRICS)

    def _observe(self, metric: Metric, _: object = None) -> Iterable[Observation]:
        """Called for each metric in each collection.

        A metric that the last reading has given already is asked for by another collection.
        """
        with self._lock:
            if metric in self._given:
                self._readings = [figures.read() for figures in self._systems]
                self._given.clear()
            self._given.add(metric)
            readings = self._readings
        return list(self._observations(metric, readings))

    def _observations(self, metric: Metric, readings: list[Reading]) -> Iterator[Observation]:
        for reading in readings:
            for labels, value in reading[metric]:
                yield self._observation(value, dict(zip(metric.labels, labels, strict=True)))


_lock = RLock()
_known: WeakKeyDictionary[Any, _Instruments] = WeakKeyDictionary()
_of_global: list[_Instruments] = []


def _instruments_of(provider: MeterProvider | None) -> _Instruments:
    """The instruments of ``provider``; a second set of the same names would report nothing.

    The global provider may be set after its instruments were made, so it is known by that.
    """
    now_global = api("metrics").get_meter_provider()
    with _lock:
        if _of_global and provider in (None, now_global):
            return _of_global[0]
        key = now_global if provider is None else provider
        if key not in _known:
            _known[key] = _Instruments(provider)
        if provider is None:
            _of_global.append(_known[key])
        return _known[key]
