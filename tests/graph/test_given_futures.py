"""A future given to ``from_future`` outlives the runs that wait for it; it is none of asyncio."""

import asyncio
import gc
import weakref
from concurrent.futures import Future
from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def ended_source(system, future):
    """A weak reference to the source of ``future`` in a run that was cancelled."""
    run = system.start(Source.from_future(future).to(Sink.list()))
    [stage] = [stage for stage in run._scope.stages() if stage.kind == "from_future"]
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


class OfAnotherThread(asyncio.Future):
    """Notes who uses it although only its loop may."""

    def __init__(self, **options):
        super().__init__(**options)
        self.used = []

    def add_done_callback(self, *args, **options):
        self.used.append("add_done_callback")
        super().add_done_callback(*args, **options)

    def cancel(self, *args):
        self.used.append("cancel")
        return super().cancel(*args)


def test_a_future_of_asyncio_is_refused_and_left_to_the_thread_of_its_loop(system):
    async def run_with_it():
        future = OfAnotherThread(loop=asyncio.get_running_loop())
        make: Any = lambda: future  # noqa: E731 - a type checker refuses it too
        run = system.start(Source.from_future(make).to(Sink.list()))
        assert run.wait(SECONDS)
        return run, future.used

    run, used = asyncio.run(run_with_it())
    assert used == []
    with pytest.raises(StageError, match=r"or a coroutine, got .*run_coroutine_threadsafe") as got:
        run.result()
    assert isinstance(got.value.__cause__, TypeError)
