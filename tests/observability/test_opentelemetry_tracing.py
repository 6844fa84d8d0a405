"""Runs as traces, read with the exporter of OpenTelemetry's SDK that keeps spans in memory."""

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from actors_rs import ActorSystem, Sink, Source
from actors_rs.observability.opentelemetry import Tracing
from tests.graph.helpers import SECONDS, wait_until


@pytest.fixture
def exporter():
    return InMemorySpanExporter()


@pytest.fixture
def provider(exporter):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return provider


@pytest.fixture
def system(provider):
    with ActorSystem(workers=2, name="shop") as system:
        Tracing(system, provider)
        yield system


def reciprocal(n):
    return 1 / n


def the_span(exporter):
    wait_until(exporter.get_finished_spans)
    (span,) = exporter.get_finished_spans()
    return span


def test_a_run_is_a_span_below_that_of_its_caller(system, provider, exporter):
    with provider.get_tracer("test").start_as_current_span("request") as caller:
        system.start(Source.of(1, 2).to(Sink.sum())).result(SECONDS)
        span = the_span(exporter)
    assert span.name == "run run"
    assert span.parent.span_id == caller.get_span_context().span_id
    assert span.attributes["actors.system"] == "shop"
    assert span.attributes["actors.run.state"] == "completed"
    assert span.status.status_code is StatusCode.UNSET


def test_a_failed_run_records_its_error_and_the_stage(system, exporter):
    system.start(Source.of(0).map(reciprocal).named("invert").to(Sink.list())).wait(SECONDS)
    span = the_span(exporter)
    assert span.status.status_code is StatusCode.ERROR
    assert [event.name for event in span.events] == ["stage_failed", "exception"]
    assert span.events[0].attributes["actors.stage"] == "invert"
    assert span.events[0].attributes["actors.position"] == 0


def test_elements_that_are_passed_over_are_events(system, exporter):
    kept = Source.of(1, 0).map(reciprocal).on_failure("resume")
    assert system.start(kept.to(Sink.list())).result(SECONDS) == [1.0]
    assert [event.name for event in the_span(exporter).events] == ["element_resumed"]


def test_nothing_is_traced_after_the_end(provider, exporter):
    with ActorSystem(workers=2) as system:
        Tracing(system, provider).close()
        system.start(Source.of(1).to(Sink.sum())).result(SECONDS)
    assert exporter.get_finished_spans() == ()
