"""Probes: a test holds one end of a stream and says what it expects of the other."""

import threading

import pytest

from actors_rs import ActorSystem, Flow, Source
from actors_rs.protocol.interfaces import Processor
from actors_rs.testing.misbehaving.publishers import EmitsBeyondDemand, TwoOnSubscribes
from actors_rs.testing.probes import SinkProbe, SourceProbe
from actors_rs.testing.reference import ReferencePublisher, ReferenceSubscriber
from actors_rs.testing.tck import Failure


@pytest.fixture
def source():
    return SourceProbe(timeout=0.3, no_signals_timeout=0.02)


@pytest.fixture
def sink():
    return SinkProbe(timeout=0.3, no_signals_timeout=0.02)


def test_probes_at_both_ends_of_a_flow_see_demand_and_elements_pass():
    source: SourceProbe = SourceProbe(timeout=30)
    sink: SinkProbe = SinkProbe(timeout=30)
    with ActorSystem(workers=2) as system:
        processor: Processor = system.processor(Flow().map(str).with_attributes(window=4))
        processor.subscribe(sink)
        source.subscribe(processor)
        sink.expect_nothing()
        sink.request(2)
        assert source.expect_request() >= 2
        source.send(1, 2)
        assert sink.expect_next("1", "2") == "2"
        sink.cancel()
        source.expect_cancel()


def test_a_source_probe_tells_what_was_requested_and_what_is_outstanding(source):
    subscriber: ReferenceSubscriber = ReferenceSubscriber(window=3)
    source.subscribe(subscriber)
    assert source.expect_request(3) == 3
    source.send("a", "b")
    assert source.outstanding == 1
    source.expect_nothing()
    source.send("c")
    assert source.expect_request() == 3
    source.complete()
    assert subscriber.elements == ["a", "b", "c"]
    assert subscriber.completed
    assert not source.cancelled


def test_a_source_probe_fails_the_stream_with_the_error_it_is_given(source):
    subscriber: ReferenceSubscriber = ReferenceSubscriber()
    source.subscribe(subscriber)
    error = OSError("gone")
    source.fail(error)
    assert subscriber.error is error


def test_a_source_probe_rejects_a_second_subscriber_with_on_error(source, sink):
    source.subscribe(ReferenceSubscriber())
    source.subscribe(sink)
    assert "takes one subscriber" in str(sink.expect_error(ValueError))


def test_a_source_probe_says_what_it_waited_for(source):
    with pytest.raises(Failure, match="expected a subscriber, none came"):
        source.expect_request()
    source.subscribe(ReferenceSubscriber(window=3))
    with pytest.raises(Failure, match="expected a request of 2, got 3"):
        source.expect_request(2)
    with pytest.raises(Failure, match="expected to request elements, it has not"):
        source.expect_request()
    with pytest.raises(Failure, match="expected to cancel, it has not"):
        source.expect_cancel()


def test_a_source_probe_that_expects_nothing_tells_what_was_called():
    source: SourceProbe = SourceProbe(no_signals_timeout=5)
    source.subscribe(ReferenceSubscriber(window=2))
    late = threading.Timer(0.05, source.send, args=("a", "b"))
    late.start()
    with pytest.raises(Failure, match=r"call nothing now: request\(2\)"):
        source.expect_nothing()
    late.join()


def test_a_sink_probe_takes_elements_in_order_and_the_end(sink):
    ReferencePublisher(["a", "b", "c"]).subscribe(sink)
    sink.request(1)
    assert sink.expect_next() == "a"
    sink.expect_nothing()
    sink.request(2)
    sink.expect_next("b", "c")
    sink.expect_complete()
    assert sink.elements == ["a", "b", "c"]


def test_a_sink_probe_sees_the_failure_of_a_source():
    sink: SinkProbe = SinkProbe(timeout=30)
    with ActorSystem(workers=1) as system:
        system.publisher(Source.failed(OSError("gone"))).subscribe(sink)
        assert "gone" in str(sink.expect_error())


@pytest.mark.parametrize(
    ("expect", "said"),
    [
        (lambda sink: sink.expect_next("b"), "expected element 'b', got 'a'"),
        (lambda sink: sink.expect_complete(), "expected on_complete, got on_next"),
        (lambda sink: sink.expect_error(), "expected on_error with a BaseException, got on_next"),
        (lambda sink: sink.expect_nothing(), "expected no signal now, got on_next"),
        (lambda sink: sink.expect_next("a", "b"), "expected an element, nothing came"),
    ],
)
def test_a_sink_probe_says_what_it_expected_and_what_came(sink, expect, said):
    ReferencePublisher(["a", "b"]).subscribe(sink)
    sink.request(1)
    with pytest.raises(Failure, match=said):
        expect(sink)


def test_a_sink_probe_without_a_publisher_says_so(sink):
    with pytest.raises(Failure, match="expected on_subscribe, it did not come"):
        sink.request(1)


@pytest.mark.parametrize(
    ("publisher", "rule"), [(EmitsBeyondDemand, r"rule 1\.1"), (TwoOnSubscribes, r"rule 1\.9")]
)
def test_a_sink_probe_reports_rules_that_its_publisher_breaks(sink, publisher, rule):
    publisher(["a", "b", "c"]).subscribe(sink)
    sink.request(1)
    with pytest.raises(Failure, match=rule):
        sink.expect_next("a")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda _, sink: sink.request("1"), "request: n must be an int, got '1'"),
        (lambda _, sink: sink.request(None), "request: n must be an int, got None"),
        (lambda _, sink: sink.request(1.5), "request: n must be an int, got 1.5"),
        (
            lambda _, sink: sink.expect_error(OSError("x")),
            r"expect_error needs a type of exception, got OSError\('x'\)",
        ),
        (lambda _, sink: sink.expect_error(int), "needs a type of exception, got <class 'int'>"),
        (lambda _, sink: sink.on_subscribe(42), "on_subscribe needs a Subscription, got a int"),
        (
            lambda source, _: source.subscribe(42),
            "rule 1.9: subscribe needs a Subscriber, got a int without on_subscribe, on_next",
        ),
    ],
)
def test_probes_refuse_what_they_cannot_use_with_what_they_need(source, sink, call, said):
    ReferencePublisher(["a"]).subscribe(sink)
    with pytest.raises(TypeError, match=said):
        call(source, sink)
    sink.env.verify_no_async_errors()
    sink.request(1)
    assert sink.expect_next() == "a"


def test_probes_refuse_none_as_the_standard_says(source, sink):
    for signal in (source.subscribe, sink.on_subscribe, sink.on_next, sink.on_error):
        with pytest.raises(TypeError, match="got None"):
            signal(None)
