"""What Prometheus gets of a system."""

import re
import threading
from itertools import count

import pytest
from prometheus_client import CollectorRegistry, Counter
from prometheus_client.parser import text_string_to_metric_families

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError
from actors_rs.observability import series
from actors_rs.observability.prometheus import Collector, exposition
from tests.graph.helpers import SECONDS, wait_until

SUM = {"system": "shop", "run": "run", "stage": "sum"}


@pytest.fixture
def system():
    with ActorSystem(workers=2, name="shop") as system:
        yield system


@pytest.fixture
def registry(system):
    registry = CollectorRegistry()
    registry.register(Collector(system))
    return registry


def families(registry):
    return {family.name: family for family in registry.collect()}


def test_counters_of_runs_that_have_ended_stay_and_add_up(system, registry):
    for _ in range(3):
        system.start(Source.range(0, 10).to(Sink.sum())).result(SECONDS)
    ended = {"system": "shop", "run": "run", "state": "completed"}
    wait_until(lambda: registry.get_sample_value("actors_runs_ended_total", ended) == 3)
    assert registry.get_sample_value("actors_stage_elements_in_total", SUM) == 30
    assert registry.get_sample_value("actors_runs_started_total", without(SUM)) == 3
    assert registry.get_sample_value("actors_runs_active", without(SUM)) == 0


def without(labels):
    return {name: value for name, value in labels.items() if name != "stage"}


def test_a_run_that_goes_on_is_counted_with_those_that_have_ended(system, registry):
    gate = threading.Event()
    graph = Source.range(0, 3).map_async(lambda n: gate.wait(SECONDS), 3).to(Sink.count())
    run = system.start(graph)
    calls = {"system": "shop", "run": "run", "stage": "map_async"}
    try:
        wait_until(lambda: registry.get_sample_value("actors_stage_calls_under_way", calls) == 3)
        assert registry.get_sample_value("actors_stage_elements_in_total", calls) == 3
        assert registry.get_sample_value("actors_runs_active", without(SUM)) == 1
        wait_until(lambda: registry.get_sample_value("actors_stage_bottleneck", calls) == 1)
    finally:
        gate.set()
    assert run.result(SECONDS) == 3


def test_the_latency_of_a_stage_is_known_while_its_run_goes_on(system, registry):
    run = system.start(Source.tick(0.001).map_async(lambda n: n, 2).to(Sink.ignore()))
    half = {"system": "shop", "run": "run", "stage": "map_async", "quantile": "0.5"}
    most = {**half, "quantile": "0.99"}

    def latency(labels):
        return registry.get_sample_value("actors_stage_latency_seconds", labels)

    wait_until(lambda: latency(most) is not None)
    assert latency(half) > 0
    run.cancel()
    wait_until(lambda: latency(half) is None)


def test_a_collector_that_comes_later_knows_the_runs_that_go_on(system):
    run = system.start(Source.tick(0.01).to(Sink.ignore()))
    registry = CollectorRegistry()
    registry.register(Collector(system))
    assert registry.get_sample_value("actors_runs_active", without(SUM)) == 1
    run.cancel()
    wait_until(lambda: registry.get_sample_value("actors_runs_active", without(SUM)) == 0)


def test_names_and_units_follow_the_conventions(system, registry):
    system.start(Source.of(1).to(Sink.sum())).result(SECONDS)
    for family in registry.collect():
        assert re.fullmatch(r"actors_(runs|stage|system)_[a-z_]+", family.name)
        assert family.documentation
        assert "_ms" not in family.name
        for sample in family.samples:
            assert sample.name.endswith("_total") == (family.type == "counter")
            assert sample.labels.keys() <= {"system", "run", "stage", "state", "quantile"}


def test_inner_streams_are_one_series_for_each_kind(system, registry):
    inner = Source.range(0, 50).flat_map(lambda n: Source.of(n).map(abs), breadth=4)
    system.start(inner.to(Sink.count())).result(SECONDS)
    stages = {one.labels["stage"] for one in families(registry)["actors_stage_elements_in"].samples}
    assert stages <= {"range", "flat_map", "count", "of (inner)", "map (inner)"}
    assert "map (inner)" in stages


def test_a_stage_that_runs_inner_streams_within_one_is_in_the_series_of_its_kind(system, registry):
    def rows(n):
        return Source.range(n, 50).flat_map(lambda m: Source.from_iterable(count()), breadth=2)

    run = system.start(Source.of(1, 2).flat_map(rows).to(Sink.ignore()))
    wait_until(lambda: run.snapshot().stages[2].elements_in > 0)
    stages = {one.labels["stage"] for one in families(registry)["actors_stage_elements_in"].samples}
    run.cancel()
    assert stages == {
        "of",
        "flat_map",
        "ignore",
        "range (inner)",
        "flat_map (inner)",
        "from_iterable (inner)",
    }


def test_series_are_bounded(system, registry, monkeypatch):
    monkeypatch.setattr(series, "MOST_SERIES", 4)
    for number in range(10):
        system.start(Source.of(1).to(Sink.sum().named(f"sum {number}"))).result(SECONDS)
    wait_until(lambda: registry.get_sample_value("actors_runs_active", without(SUM)) == 0)
    samples = families(registry)["actors_stage_elements_in"].samples
    assert len(samples) == 5
    assert sum(one.value for one in samples) == 10


def test_counters_never_go_back(system, registry):
    run = system.start(Source.range(0, 10**9).map(abs).to(Sink.ignore()))
    names = ["busy_seconds", "no_input_seconds", "no_demand_seconds", "call_seconds"]
    labels = {"system": "shop", "run": "run", "stage": "map"}

    def read():
        return [registry.get_sample_value(f"actors_stage_{name}_total", labels) for name in names]

    wait_until(lambda: None not in read())
    before = read()
    for _ in range(50):
        now = read()
        assert all(new >= old for new, old in zip(now, before, strict=True))
        before = now
    run.cancel()


def test_the_answer_to_a_scrape_is_text_that_prometheus_reads(system):
    collector = Collector(system)
    system.start(Source.of(1, 2).to(Sink.sum())).result(SECONDS)
    body, kind = exposition(collector)
    assert kind.startswith("text/plain")
    names = {family.name for family in text_string_to_metric_families(body.decode())}
    assert {"actors_runs_started", "actors_stage_busy_seconds", "actors_system_actors"} <= names


def test_the_answer_to_a_scrape_may_be_that_of_a_registry_with_metrics_of_ones_own(registry):
    Counter("orders", "Orders taken.", registry=registry).inc()
    body, _ = exposition(registry)
    assert b"orders_total 1.0" in body
    assert b'actors_system_turns_total{system="shop"}' in body


def test_the_answer_is_open_metrics_if_that_is_asked_for(system):
    _, kind = exposition(Collector(system), "application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text")


def test_a_closed_collector_counts_no_further_runs(system):
    collector = Collector(system)
    registry = CollectorRegistry()
    registry.register(collector)
    collector.close()
    system.start(Source.of(1).to(Sink.sum())).result(SECONDS)
    assert registry.get_sample_value("actors_runs_started_total", without(SUM)) is None


def test_what_is_no_system_is_refused():
    with pytest.raises(ArgumentTypeError, match="Collector needs an ActorSystem"):
        Collector(42)  # type: ignore[arg-type]


def test_names_of_runs_beyond_the_first_few_share_one_label(system, registry, monkeypatch):
    monkeypatch.setattr(series, "MOST_RUN_NAMES", 2)
    graph = Source.range(0, 10).to(Sink.sum())
    for name in ("nightly", "hourly", "order-1", "order-2", "nightly"):
        system.start(graph, name=name).result(SECONDS)

    def value(metric, run):
        return registry.get_sample_value(metric, {"system": "shop", "run": run})

    def ended(run):
        labels = {"system": "shop", "run": run, "state": "completed"}
        return registry.get_sample_value("actors_runs_ended_total", labels)

    wait_until(lambda: (ended("nightly"), ended("hourly"), ended("others")) == (2, 1, 2))
    assert value("actors_runs_started_total", "others") == 2
    assert value("actors_runs_active", "others") == 0
    assert value("actors_runs_started_total", "order-1") is None
    taken = {**SUM, "run": "others"}
    assert registry.get_sample_value("actors_stage_elements_in_total", taken) == 20
    assert (
        registry.get_sample_value("actors_stage_elements_in_total", {**SUM, "run": "order-1"})
        is None
    )
