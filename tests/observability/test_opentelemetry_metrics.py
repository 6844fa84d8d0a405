"""Metrics as OpenTelemetry gets them, read with the SDK's reader that keeps them in memory."""

import gc
import json
import re
import subprocess
import sys
import threading
import weakref

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client import CollectorRegistry

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError
from actors_rs.observability.opentelemetry import Metrics
from actors_rs.observability.prometheus import Collector
from tests.graph.helpers import SECONDS, wait_until

RUN = {"system": "shop", "run": "run"}
SUM = {**RUN, "stage": "sum"}


@pytest.fixture
def reader():
    return InMemoryMetricReader()


@pytest.fixture
def provider(reader):
    provider = MeterProvider([reader])
    yield provider
    provider.shutdown()


@pytest.fixture
def system():
    with ActorSystem(workers=2, name="shop") as system:
        yield system


def collected(reader):
    """All metrics of one collection by name."""
    data = reader.get_metrics_data()
    scopes = [scope for one in data.resource_metrics for scope in one.scope_metrics] if data else []
    return {metric.name: metric for scope in scopes for metric in scope.metrics}


def value(reader, name, attributes):
    metric = collected(reader).get(name)
    points = metric.data.data_points if metric is not None else ()
    return next((one.value for one in points if one.attributes == attributes), None)


def test_counters_of_runs_that_have_ended_stay_and_add_up(system, provider, reader):
    Metrics(system, provider)
    for _ in range(3):
        system.start(Source.range(0, 10).to(Sink.sum())).result(SECONDS)
    ended = {**RUN, "state": "completed"}
    wait_until(lambda: value(reader, "actors.runs.ended", ended) == 3)
    assert value(reader, "actors.stage.elements_in", SUM) == 30
    assert value(reader, "actors.runs.started", RUN) == 3
    assert value(reader, "actors.runs.active", RUN) == 0


def test_a_run_that_goes_on_is_counted_also_by_metrics_that_come_later(system, provider, reader):
    gate = threading.Event()
    graph = Source.range(0, 3).map_async(lambda n: gate.wait(SECONDS), 3).to(Sink.count())
    run = system.start(graph)
    Metrics(system, provider)
    calls = {**RUN, "stage": "map_async"}
    try:
        wait_until(lambda: value(reader, "actors.stage.calls_under_way", calls) == 3)
        assert value(reader, "actors.stage.elements_in", calls) == 3
        assert value(reader, "actors.runs.active", RUN) == 1
    finally:
        gate.set()
    assert run.result(SECONDS) == 3


def prometheus_name(metric):
    """The name that OpenTelemetry's rules for Prometheus give to ``metric``, and its type."""
    monotonic = getattr(metric.data, "is_monotonic", False)
    unit = "_seconds" if metric.unit == "s" else ""
    assert unit or re.fullmatch(r"\{[a-z]+\}", metric.unit)
    name = metric.name.replace(".", "_") + unit + ("_total" if monotonic else "")
    return name, "counter" if monotonic else "gauge"


def test_both_give_the_same_metrics_under_the_names_of_prometheus(system, provider, reader):
    registry = CollectorRegistry()
    registry.register(Collector(system))
    Metrics(system, provider)
    run = system.start(Source.tick(0.001).map_async(lambda n: n, 2).to(Sink.ignore()))
    wait_until(lambda: all(one.latency_p50 is not None for one in run.snapshot().stages))
    metrics = {prometheus_name(one): one for one in collected(reader).values()}
    families = {}
    for family in registry.collect():
        suffix = "_total" if family.type == "counter" else ""
        families[family.name + suffix, family.type] = family
    without_samples = {name for name, family in families.items() if not family.samples}
    assert metrics.keys() == families.keys() - without_samples
    for name, metric in metrics.items():
        assert metric.description == families[name].documentation
        labels = {frozenset(one.labels.items()) for one in families[name].samples}
        assert {frozenset(one.attributes.items()) for one in metric.data.data_points} == labels
    run.cancel()


def test_a_collection_reads_the_system_once(system, provider, reader, monkeypatch):
    reads = []
    statistics = system.statistics

    def counted():
        reads.append(1)
        return statistics()

    monkeypatch.setattr(system, "statistics", counted)
    Metrics(system, provider)
    for number in range(1, 4):
        collected(reader)
        assert len(reads) == number


def test_each_of_two_readers_gets_figures_of_its_moment(system):
    first, second = InMemoryMetricReader(), InMemoryMetricReader()
    provider = MeterProvider([first, second])
    Metrics(system, provider)
    for number in range(1, 4):
        system.start(Source.of(1).to(Sink.sum())).result(SECONDS)
        assert value(first, "actors.runs.started", RUN) == number
        assert value(second, "actors.runs.started", RUN) == number
    provider.shutdown()


def test_two_systems_share_the_instruments_of_a_provider(system, provider, reader, caplog):
    Metrics(system, provider)
    with ActorSystem(workers=2, name="bar") as other:
        closed = Metrics(other, provider)
        other.start(Source.of(1).to(Sink.sum())).result(SECONDS)
        assert value(reader, "actors.runs.started", {**RUN, "system": "bar"}) == 1
        assert value(reader, "actors.system.actors", {"system": "shop"}) is not None
        closed.close()
        assert value(reader, "actors.runs.started", {**RUN, "system": "bar"}) is None
        assert value(reader, "actors.system.actors", {"system": "shop"}) is not None
    assert not [one for one in caplog.records if one.name.startswith("opentelemetry")]


def test_a_system_is_released_after_close(provider):
    with ActorSystem(workers=2) as system:
        metrics = Metrics(system, provider)
        metrics.close()
    gone = weakref.ref(system)
    del system, metrics
    wait_until(lambda: gc.collect() is not None and gone() is None)


GLOBAL = """
import json
from opentelemetry import metrics
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from actors_rs import ActorSystem
from actors_rs.observability.opentelemetry import Metrics

reader = InMemoryMetricReader()
with ActorSystem(name="early") as early, ActorSystem(name="late") as late:
    Metrics(early)
    metrics.set_meter_provider(MeterProvider([reader]))
    Metrics(late)
    with ActorSystem(name="named") as named:
        Metrics(named, metrics.get_meter_provider())
        (one,) = reader.get_metrics_data().resource_metrics
names = {m.name: m for m in one.scope_metrics[0].metrics}
points = names["actors.system.actors"].data.data_points
print(json.dumps(sorted(point.attributes["system"] for point in points)))
"""


def test_the_global_provider_may_be_set_before_or_after():
    ended = subprocess.run(
        [sys.executable, "-c", GLOBAL], check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert json.loads(ended.stdout) == ["early", "late", "named"]
    assert "already" not in ended.stderr


def test_what_is_no_system_is_refused(provider):
    with pytest.raises(ArgumentTypeError, match="Metrics needs an ActorSystem"):
        Metrics(42, provider)  # type: ignore[arg-type]
