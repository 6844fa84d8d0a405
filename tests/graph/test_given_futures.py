"""A future that is given to ``from_future`` outlives the runs that wait for it."""

import gc
import weakref
from concurrent.futures import Future

import pytest

from actors_rs import ActorSystem, Sink, Source
from tests.graph.helpers import SECONDS, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def ended_source(system, future):
    """A weak reference to the source of ``future`` in a run that was cancelled."""
    run = system.start(Source.from_future(future).to(Sink.list()))
    [stage] = [stage for stage in run._stages if stage.kind == "from_future"]
    wait_until(lambda: stage.logic._future is future)
    run.cancel()
    assert run.wait(SECONDS)
    return weakref.ref(stage.logic)


def test_a_future_that_is_never_done_keeps_no_run_alive_that_has_ended(system):
    future: Future[int] = Future()
    source = ended_source(system, future)

    def is_gone():
        gc.collect()
        return source() is None

    wait_until(is_gone)
