# mypy: disable-error-code="arg-type, misc, union-attr, var-annotated, return-value"
"""``Source.from_callback``: what a callback API gives, bounded, with a registration that ends."""

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors_rs import Sink, Source
from actors_rs.errors import BlockingError, BufferOverflowError, RunCancelled, StageError
from tests.graph.helpers import SECONDS, wait_until
from tests.graph.models import quick, windows


class Sensor:
    """Calls its listeners on the caller's thread; it knows who is registered."""

    def __init__(self):
        self.emit = None
        self.registered = self.unregistered = 0

    def register(self, emit):
        self.emit = emit
        self.registered += 1
        return self.unregister

    def unregister(self):
        self.unregistered += 1


def started(system, sink=None, **options):
    sensor = Sensor()
    run = system.start(Source.from_callback(sensor.register, **options).to(sink or Sink.list()))
    wait_until(lambda: sensor.emit)
    return sensor, sensor.emit, run


def stuck(system, **options):
    """One whose sink asks for no more, and its emitter with a full buffer."""
    held = threading.Event()
    sink = Sink.for_each(lambda _: held.wait(SECONDS)).with_attributes(window=1)
    _, emit, run = started(system, sink, **options)
    queue = emit._queue
    for n in range(2):  # one is in the sink's hands then, one in its inlet
        assert emit(n)
        wait_until(lambda: not len(queue))
    for n in range(queue.capacity):
        assert emit(n)
    return emit, run, held


@quick
@given(xs=st.lists(st.integers(), max_size=50), window=windows)
def test_what_is_emitted_comes_out_in_order_in_each_run(shared, xs, window):
    def register(emit):
        def feed():
            for x in xs:
                assert emit(x)
            emit.complete()

        thread = threading.Thread(target=feed)
        thread.start()
        return thread.join

    graph = Source.from_callback(register, 100).to(Sink.list().with_attributes(window=window))
    for _ in range(2):
        assert shared.start(graph).result(SECONDS) == xs


def test_register_may_emit_before_it_returns_and_return_nothing(shared):
    def register(emit):
        emit(1)
        emit.complete()

    assert shared.start(Source.from_callback(register).to(Sink.list())).result(SECONDS) == [1]


ENDS = {
    "complete": lambda emit, run: emit.complete(),
    "fail": lambda emit, run: emit.fail(KeyError("mine")),
    "cancel": lambda emit, run: run.cancel(),
    "drain": lambda emit, run: run.drain(),
    "enough": lambda emit, run: [emit(n) for n in range(3)],
}


@pytest.mark.parametrize("end", ENDS)
def test_the_registration_ends_once_at_any_end_and_nothing_is_taken_from_then_on(shared, end):
    sensor = Sensor()
    run = shared.start(Source.from_callback(sensor.register).take(2).to(Sink.list()))
    wait_until(lambda: sensor.emit)
    ENDS[end](sensor.emit, run)
    assert run.wait(SECONDS)
    assert (sensor.registered, sensor.unregistered) == (1, 1)
    assert sensor.emit.closed
    assert not sensor.emit(7)
    assert not asyncio.run(sensor.emit.put_async(7))


def test_the_error_comes_after_what_was_emitted(shared):
    seen = []
    _, emit, run = started(shared, Sink.for_each(seen.append))
    emit(1)
    emit.fail(KeyError("mine"))
    with pytest.raises(StageError, match="mine"):
        run.result(SECONDS)
    assert seen == [1]


@pytest.mark.parametrize(
    ("overflow", "left", "dropped"),
    [("drop_oldest", [1, 2, 9], 1), ("drop_newest", [0, 1, 2], 1), ("drop_all", [9], 3)],
)
def test_what_is_dropped_is_what_overflow_says_and_is_counted(shared, overflow, left, dropped):
    emit, run, held = stuck(shared, buffer=3, overflow=overflow)
    assert emit(9) == (overflow != "drop_newest")
    assert [*emit._queue._waiting] == left
    (figures,) = [s.details for s in run.snapshot().stages if s.name == "from_callback"]
    assert emit.dropped == figures["dropped"] == dropped
    run.cancel()
    held.set()
    assert run.wait(SECONDS)


def test_by_default_a_full_buffer_fails_the_stream(shared):
    emit, run, held = stuck(shared, buffer=3)
    assert not emit(9)
    held.set()
    with pytest.raises(BufferOverflowError, match=r"from_callback\(3, overflow='fail'\)"):
        run.result(SECONDS)


def test_with_backpressure_emit_waits_for_room(shared):
    emit, run, held = stuck(shared, buffer=1, overflow="backpressure")
    with pytest.raises(BlockingError, match=r"write `await emit.put_async"):
        asyncio.run(_calls(emit))
    taken = []
    feeder = threading.Thread(target=lambda: taken.append(emit(9)))
    feeder.start()
    held.set()
    feeder.join(SECONDS)
    assert taken == [True]
    assert asyncio.run(emit.put_async(10))
    emit.complete()
    assert run.result(SECONDS) == 5


async def _calls(emit):
    emit(9)


def test_who_waits_for_room_hears_of_the_end(shared):
    emit, run, held = stuck(shared, buffer=1, overflow="backpressure")
    taken = []
    feeder = threading.Thread(target=lambda: taken.append(emit(9)))
    feeder.start()
    run.cancel()
    feeder.join(SECONDS)
    held.set()
    assert taken == [False]
    with pytest.raises(RunCancelled):
        run.result(SECONDS)


def test_what_register_raises_fails_the_stream(shared):
    def register(emit):
        raise OSError("no sensor")

    with pytest.raises(StageError, match="no sensor"):
        shared.start(Source.from_callback(register).to(Sink.list())).result(SECONDS)


def test_what_ends_the_registration_and_raises_fails_the_run(shared):
    def unregister():
        raise OSError("already gone")

    def register(emit):
        emit.complete()
        return unregister

    with pytest.raises(StageError, match="already gone"):
        shared.start(Source.from_callback(register).to(Sink.list())).result(SECONDS)


def test_what_is_no_function_is_refused(shared):
    with pytest.raises(StageError, match="expected a function that ends the registration"):
        shared.start(Source.from_callback(lambda _: 7).to(Sink.list())).result(SECONDS)
    with pytest.raises(TypeError, match=r"^Source.from_callback: register must be callable"):
        Source.from_callback(7)
    with pytest.raises(ValueError, match=r"^Source.from_callback: buffer must be at least 1"):
        Source.from_callback(print, buffer=0)
    with pytest.raises(ValueError, match=r"^Source.from_callback: overflow must be one of"):
        Source.from_callback(print, overflow="lose")


def test_it_is_no_queue_of_the_run(shared):
    sensor = Sensor()
    merged = Source.from_callback(sensor.register).merge(Source.queue(3)).to(Sink.list())
    run = shared.start(merged)
    wait_until(lambda: sensor.emit)
    run.queue().put(1)
    run.queue().complete()
    sensor.emit.complete()
    assert run.result(SECONDS) == [1]
