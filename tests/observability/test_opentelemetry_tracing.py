"""Runs as traces, read with the exporter of OpenTelemetry's SDK that keeps spans in memory."""

import threading
from concurrent.futures import Future

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import StatusCode

from actors_rs import ActorSystem, Backoff, Sink, Source
from actors_rs.errors import ArgumentTypeError, InvalidArgumentError
from actors_rs.observability.opentelemetry import Tracing
from actors_rs.observability.opentelemetry.spans import MOST_EVENTS
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
        Tracing(system, provider, call_ratio=1)
        yield system


def reciprocal(n):
    return 1 / n


def runs(exporter):
    return [one for one in exporter.get_finished_spans() if one.name.startswith("run ")]


def calls(exporter):
    return [one for one in exporter.get_finished_spans() if one.name.startswith("call ")]


def the_span(exporter):
    wait_until(lambda: runs(exporter))
    (span,) = runs(exporter)
    return span


def test_a_run_is_a_span_below_that_of_its_caller(system, provider, exporter):
    with provider.get_tracer("test").start_as_current_span("request") as caller:
        system.start(Source.of(1, 2).to(Sink.sum())).result(SECONDS)
        span = the_span(exporter)
        assert trace.get_current_span() is caller
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


def test_a_cancelled_run_is_no_error(system, exporter):
    run = system.start(Source.tick(0.001).to(Sink.ignore()))
    run.cancel()
    span = the_span(exporter)
    assert span.status.status_code is StatusCode.UNSET
    assert span.attributes["actors.run.state"] == "cancelled"
    assert span.attributes["actors.cancelled"] is True
    assert span.events == ()


class UnsaidError(Exception):
    def __str__(self):
        raise ValueError


def test_an_error_without_a_text_ends_the_span_all_the_same(system, exporter):
    def fail(n):
        raise UnsaidError

    system.start(Source.of(0).map_async(fail).to(Sink.list())).wait(SECONDS)
    assert the_span(exporter).status.status_code is StatusCode.ERROR
    (call,) = calls(exporter)
    assert call.events[0].name == "exception"
    assert call.events[0].attributes["exception.type"] == "UnsaidError"


def test_elements_that_are_passed_over_are_events(system, exporter):
    kept = Source.of(1, 0).map(reciprocal).on_failure("resume")
    assert system.start(kept.to(Sink.list())).result(SECONDS) == [1.0]
    span = the_span(exporter)
    assert [event.name for event in span.events] == ["element_resumed"]
    assert not any(name.startswith("actors.omitted") for name in span.attributes)


def test_events_are_bounded_and_the_rest_is_a_number(system, exporter):
    over = MOST_EVENTS + 1_000
    kept = Source.repeat(0).take(over).map(reciprocal).named("invert").on_failure("resume")
    failing = kept.concat(Source.of(0)).map(reciprocal)
    system.start(failing.to(Sink.list())).wait(SECONDS)
    span = the_span(exporter)
    names = [event.name for event in span.events]
    assert names == ["element_resumed"] * MOST_EVENTS + ["stage_failed", "exception"]
    assert span.attributes["actors.omitted.element_resumed"] == 1_000


def test_nothing_is_traced_after_the_end(provider, exporter):
    with ActorSystem(workers=2) as system:
        Tracing(system, provider).close()
        system.start(Source.of(1).to(Sink.sum())).result(SECONDS)
    assert exporter.get_finished_spans() == ()


def test_close_ends_the_spans_of_runs_and_calls_that_go_on(provider, exporter):
    begun, gate = threading.Event(), threading.Event()

    def wait(n):
        begun.set()
        return gate.wait(SECONDS)

    with ActorSystem(workers=2) as system:
        tracing = Tracing(system, provider)
        run = system.start(Source.of(1).map_async(wait).to(Sink.list()))
        assert begun.wait(SECONDS)
        tracing.close()
        call, span = exporter.get_finished_spans()
        gate.set()
        assert run.result(SECONDS) == [True]
    assert span.attributes["actors.run.state"] == "running"
    assert call.attributes["actors.unfinished"] is True
    assert call.parent.span_id == span.context.span_id
    assert len(exporter.get_finished_spans()) == 2


# Calls of map_async


def test_each_call_is_a_span_below_its_run_with_its_error(system, exporter):
    graph = Source.of(1, 0, 2).map_async(reciprocal).named("invert").on_failure("resume")
    assert system.start(graph.to(Sink.list())).result(SECONDS) == [1.0, 0.5]
    run = the_span(exporter)
    found = {one.attributes["actors.position"]: one for one in calls(exporter)}
    assert found.keys() == {0, 1, 2}
    for position, one in found.items():
        assert one.name == "call invert"
        assert one.parent.span_id == run.context.span_id
        assert one.attributes["actors.stage"] == "invert"
        failed = one.status.status_code is StatusCode.ERROR
        assert failed == (position == 1)
    (error,) = found[1].events
    assert error.attributes["exception.type"] == "ZeroDivisionError"


def test_each_attempt_is_a_span_with_its_number(system, exporter):
    tries = []

    def third_time(n):
        tries.append(n)
        if len(tries) < 3:
            raise OSError("not now")
        return n

    wait = Backoff(0.001, 0.001)
    graph = Source.of(7).map_async(third_time, retry=wait, max_attempts=3).to(Sink.list())
    assert system.start(graph).result(SECONDS) == [7]
    the_span(exporter)
    attempts = [(one.attributes["actors.attempt"], one.status.is_ok) for one in calls(exporter)]
    assert attempts == [(1, False), (2, False), (3, True)]


def test_a_call_that_exceeds_its_time_is_a_span_with_that_error(system, exporter):
    gate = threading.Event()
    graph = Source.of(1).map_async(lambda n: gate.wait(SECONDS), timeout=0.01).to(Sink.list())
    system.start(graph).wait(SECONDS)
    the_span(exporter)
    gate.set()
    (call,) = calls(exporter)
    assert call.events[0].attributes["exception.type"].endswith("CallTimeout")


def test_a_call_that_outlives_its_run_ends_with_it(system, exporter):
    begun: Future[Future[None]] = Future()

    def never(n):
        pending: Future[None] = Future()
        begun.set_result(pending)
        return pending

    run = system.start(Source.of(1).map_async(never).to(Sink.list()))
    begun.result(SECONDS)
    run.cancel()
    the_span(exporter)
    (call,) = calls(exporter)
    assert call.status.status_code is StatusCode.UNSET
    assert call.attributes.keys() & {"actors.unfinished", "actors.cancelled"}


def test_by_default_one_call_in_a_hundred_is_a_span_the_first_included(provider, exporter):
    with ActorSystem(workers=2) as system:
        Tracing(system, provider)
        system.start(Source.range(0, 2_000).map_async(abs).to(Sink.count())).result(SECONDS)
        the_span(exporter)
    positions = [one.attributes["actors.position"] for one in calls(exporter)]
    assert 0 in positions
    assert 18 <= len(positions) <= 22


def test_no_call_is_a_span_with_a_ratio_of_nothing_or_a_run_that_is_not_sampled(exporter):
    unsampled = TracerProvider(sampler=ALWAYS_OFF)
    unsampled.add_span_processor(SimpleSpanProcessor(exporter))
    sampled = TracerProvider()
    sampled.add_span_processor(SimpleSpanProcessor(exporter))
    for provider, ratio in ((unsampled, 1), (sampled, 0)):
        with ActorSystem(workers=2) as system:
            Tracing(system, provider, call_ratio=ratio)
            system.start(Source.range(0, 10).map_async(abs).to(Sink.count())).result(SECONDS)
    assert calls(exporter) == []


def test_what_is_no_system_is_refused(provider):
    with pytest.raises(ArgumentTypeError, match="Tracing needs an ActorSystem"):
        Tracing(42, provider)  # type: ignore[arg-type]


@pytest.mark.parametrize("ratio", [-0.1, 1.5, float("nan"), "all", True])
def test_what_is_no_share_is_refused(system, provider, ratio):
    with pytest.raises(InvalidArgumentError, match="call_ratio must be a share from 0 to 1"):
        Tracing(system, provider, call_ratio=ratio)
