# mypy: disable-error-code="arg-type, attr-defined, var-annotated"
"""What an iterator has given goes on its way while the next element is waited for."""

import queue
import threading
from typing import Any

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.stages.ports import Outlet
from tests.graph.helpers import SECONDS, wait_until

END = object()


class Downstream:
    def __init__(self):
        self.signals = []

    def push(self, frame):
        self.signals.append(list(frame))

    def complete(self):
        self.signals.append("complete")

    def fail(self, error):
        self.signals.append(error)


def sent(outlet):
    return outlet._downstream.signals


@pytest.fixture
def outlet():
    outlet = Outlet()
    outlet.connect(Downstream())
    outlet.request(10)
    outlet.gate = threading.Lock()
    return outlet


def test_what_was_sent_ahead_is_not_sent_again_and_counts_once(outlet):
    frame = outlet.making = [1, 2]
    assert outlet.send_ahead()
    frame.append(3)
    assert outlet.send_ahead()
    frame.append(4)
    assert (outlet.count, outlet.demand) == (0, 10), "they count when the frame is emitted"
    outlet.emit(frame)
    assert sent(outlet) == [[1, 2], [3], [4]]
    assert (outlet.count, outlet.demand) == (4, 6)
    assert not outlet.send_ahead()
    outlet.emit([5])
    assert sent(outlet)[3:] == [[5]]


def test_a_frame_that_went_ahead_as_a_whole_leaves_nothing_to_emit(outlet):
    outlet.making = [1, 2]
    outlet.send_ahead()
    assert outlet.send_ahead(), "it is still being made"
    outlet.emit(outlet.making)
    assert sent(outlet) == [[1, 2]]
    assert (outlet.count, outlet.demand) == (2, 8)


@pytest.mark.parametrize("end", ["complete", "fail"])
def test_nothing_goes_ahead_behind_the_end(outlet, end):
    frame = outlet.making = [1]
    outlet.send_ahead()
    frame.append(2)
    error = ValueError()
    outlet.complete() if end == "complete" else outlet.fail(error)
    assert not outlet.send_ahead()
    assert sent(outlet) == [[1], "complete" if end == "complete" else error]
    assert outlet.count == 1


def test_a_frame_of_code_that_does_not_wait_never_goes_ahead(outlet):
    assert not outlet.send_ahead()
    outlet.emit([1])
    assert sent(outlet) == [[1]]


@pytest.mark.parametrize("monitored", [False, True])
@pytest.mark.parametrize("dispatcher", ["pool", "pinned"])
@pytest.mark.parametrize("size", [1, 7, 777, 5_000])
def test_a_burst_arrives_while_the_next_element_is_waited_for(size, dispatcher, monitored):
    waiting, got = queue.SimpleQueue(), []
    source = Source.from_iterable(iter(waiting.get, END)).with_attributes(dispatcher=dispatcher)
    with ActorSystem(workers=2, monitor=monitored) as system:
        run = system.start(source.map(lambda n: n).to(Sink.for_each(got.append)))
        for begin in (0, size):
            for n in range(begin, begin + size):
                waiting.put(n)
            wait_until(lambda begin=begin: len(got) == begin + size)
        waiting.put(END)
        run.result(SECONDS)
    assert got == list(range(2 * size))


def test_a_burst_in_an_inner_stream_arrives_too():
    waiting, got = queue.SimpleQueue(), []
    with ActorSystem(workers=2) as system:
        inner = Source.of(0).flat_map(lambda _: Source.from_iterable(iter(waiting.get, END)))
        run = system.start(inner.to(Sink.for_each(got.append)))
        for n in range(7):
            waiting.put(n)
        wait_until(lambda: len(got) == 7)
        waiting.put(END)
        run.result(SECONDS)


def test_elements_sent_ahead_at_every_moment_come_once_and_in_order():
    over = threading.Event()
    with ActorSystem(workers=2) as system:

        def look():
            while not over.is_set():
                for island in system.children():
                    for outlet in island.planned[0].logic.outlets:
                        outlet.send_ahead()

        looker = threading.Thread(target=look)
        looker.start()
        try:
            numbers = Source.from_iterable(lambda: (n for n in range(100_000)))
            run = system.start(numbers.to(Sink.list()))
            assert run.result(6 * SECONDS) == list(range(100_000))
            run = system.start(numbers.flat_map(lambda n: (m for m in (n, n))).to(Sink.list()))
            assert run.result(6 * SECONDS) == [n for n in range(100_000) for _ in "ab"]
        finally:
            over.set()
            looker.join()


def test_a_source_that_is_cancelled_while_it_waits_leaves_nothing_behind():
    release = threading.Event()

    def elements():
        yield from range(10)
        release.wait(SECONDS)
        yield 10

    with ActorSystem(workers=2) as system:
        got = []
        run = system.start(Source.from_iterable(elements).to(Sink.for_each(got.append)))
        wait_until(lambda: len(got) == 10)
        run.cancel()
        release.set()
        wait_until(lambda: not system.children())
    assert got == list(range(10))


class Subscriber:
    def __init__(self):
        self.subscription: Any = None
        self.got, self.threads, self.ended = [], set(), False

    def on_subscribe(self, subscription):
        self.subscription = subscription

    def on_next(self, element):
        self.threads.add(threading.current_thread().name)
        self.got.append(element)

    def on_complete(self):
        self.ended = True

    def on_error(self, error):
        self.ended = True


@pytest.mark.parametrize("processor", [False, True])
def test_a_subscriber_gets_all_it_asked_for_though_every_frame_goes_ahead(monkeypatch, processor):
    emit, stages = Outlet.emit, []

    def late(outlet, frame):
        if outlet.making is not None:  # here a busy machine may take a thread's core away
            stages.append(outlet)
            wait_until(lambda: outlet.sent_ahead == len(frame))
        emit(outlet, frame)

    monkeypatch.setattr(Outlet, "emit", late)
    subscriber = Subscriber()
    with ActorSystem(workers=2) as system:
        numbers = Source.range(0, 9)
        if processor:
            doubling = system.processor(Flow().map(lambda n: 2 * n))
            doubling.subscribe(subscriber)
            system.publisher(numbers).subscribe(doubling)
        else:
            system.publisher(numbers.map(lambda n: 2 * n)).subscribe(subscriber)
        wait_until(lambda: subscriber.subscription)
        subscriber.subscription.request(100)
        wait_until(lambda: subscriber.ended)
    assert subscriber.got == [2 * n for n in range(9)]
    assert stages
    assert not [name for name in subscriber.threads if "timers" in name], "it may take its time"
