"""The failure of a foreign publisher reaches whoever waits for the run that it feeds."""

import pytest

from actors_rs import ActorSystem, Flow, Sink
from actors_rs.testing.probes import SinkProbe, SourceProbe
from tests.graph.helpers import SECONDS


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


@pytest.fixture
def source():
    return SourceProbe(timeout=SECONDS)


def test_the_run_of_a_subscriber_ends_with_the_very_error(system, source):
    subscriber = system.subscriber(Sink.list())
    source.subscribe(subscriber)
    error = OSError("upstream")
    source.fail(error)
    with pytest.raises(OSError, match="upstream") as raised:
        subscriber.run.result(SECONDS)
    assert raised.value is error
    assert subscriber.run.state == "failed"


def test_the_run_of_a_processor_ends_with_the_very_error_behind_what_came_before(system, source):
    processor = system.processor(Flow().map(str))
    sink: SinkProbe = SinkProbe(timeout=SECONDS)
    processor.subscribe(sink)
    source.subscribe(processor)
    sink.request(1)
    source.expect_request()
    source.send(1)
    error = OSError("upstream")
    source.fail(error)
    assert sink.expect_next() == "1"
    assert sink.expect_error(OSError) is error
    with pytest.raises(OSError, match="upstream"):
        processor.run.result(SECONDS)
