"""A ``Source.queue(n)`` takes what downstream has asked for, and n more."""

import threading
from typing import Never

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.engine.run.source_queue import SourceQueue
from actors_rs.language.flow import Flow
from actors_rs.language.sources import source
from actors_rs.stages.sources.queue import QueueSource
from actors_rs.testing.probes import SinkProbe
from tests.graph.helpers import SECONDS


@pytest.fixture
def system():
    with ActorSystem() as system:
        yield system


def blocks(queue):
    """Whether ``put`` would wait for ever now, and ``offer`` says no."""
    with pytest.raises(TimeoutError, match="downstream request no more"):
        queue.put("too many", timeout=0.05)
    return not queue.offer("too many")


@pytest.mark.parametrize("capacity", [1, 5])
@pytest.mark.parametrize("asked", [0, 3])
def test_with_a_subscriber_it_takes_what_was_requested_and_its_capacity(system, capacity, asked):
    queue = SourceQueue[int](capacity, "backpressure")
    flow: Flow[Never, int] = source("queue", lambda: QueueSource(queue))
    probe = SinkProbe[int](timeout=SECONDS)
    system.publisher(flow).subscribe(probe)
    probe.expect_subscription()
    if asked:
        probe.request(asked)
    for n in range(asked + capacity):
        queue.put(n, SECONDS)
    assert [probe.expect_next(n) for n in range(asked)] == list(range(asked))
    assert len(queue) == capacity
    assert blocks(queue)
    probe.request(1)
    probe.expect_next(asked)
    queue.put(-1, SECONDS)
    assert blocks(queue)
    probe.cancel()


@pytest.mark.parametrize("window", [1, 7])
def test_with_a_stage_it_takes_what_that_holds_and_has_requested(system, window):
    """One frame is in its hands, and a window of further elements was requested: two windows."""
    held = threading.Event()
    sink = Sink.for_each(lambda _: held.wait(SECONDS)).with_attributes(window=window)
    queue = system.start(Source.queue(1).to(sink)).queue()

    def fill():
        for n in range(2 * window + 2):
            queue.put(n, timeout=0.3)

    with pytest.raises(TimeoutError):
        fill()
    assert len(queue) == 1
    held.set()
    queue.complete()
