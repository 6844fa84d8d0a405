"""``interrupt=``: what makes an iterator return that waits, when nobody needs its next element."""

import queue
import threading

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError, RunCancelled, StreamTimeoutError
from tests.graph.stuck import FAR_BELOW_A_CALL, Stuck, letters, stuck_system
from tests.runtime.support import eventually


class Consumer:
    """Waits for messages; ``close`` ends that, with an error if so told."""

    def __init__(self, error=None):
        self.error = error
        self.messages: queue.Queue = queue.Queue()
        self.messages.put(1)
        self.asked = threading.Semaphore(0)
        self.drawn_on: list[threading.Thread] = []
        self.closed_on: list[threading.Thread] = []

    def __iter__(self):
        return self

    def __next__(self):
        self.drawn_on.append(threading.current_thread())
        self.asked.release()
        if (message := self.messages.get()) is not None:
            return message
        raise self.error or StopIteration

    def close(self):
        self.closed_on.append(threading.current_thread())
        self.messages.put(None)

    def wait_for_the_second_element(self):
        for _ in range(2):
            assert self.asked.acquire(timeout=20)


SOURCES = {
    "from_iterable": lambda it: Source.from_iterable(it, interrupt=it.close),
    "a function": lambda it: Source.from_iterable(lambda: it, interrupt=it.close),
    "unfold": lambda it: Source.unfold(0, lambda n: _pair(it, n), interrupt=it.close),
    "unfold_resource": lambda it: Source.unfold_resource(
        lambda: it, lambda it: next(it, None), id, interrupt=lambda it: it.close()
    ),
    "inner": lambda it: Source.of(1).flat_map(
        lambda _: Source.from_iterable(it, interrupt=it.close)
    ),
    "fused": lambda it: Source.from_iterable(it, interrupt=it.close).map(abs).fuse(),
}
every_source = pytest.mark.parametrize("kind", SOURCES)
both_ends = pytest.mark.parametrize("error", [None, OSError("bad file descriptor")])


def _pair(it, n):
    return None if (element := next(it, None)) is None else (element, n + 1)


@every_source
@both_ends
def test_a_cancelled_source_is_interrupted_at_once_on_another_thread(kind, error):
    it = Consumer(error)
    with ActorSystem(cancel_grace=1000.0) as system:
        run = system.start(SOURCES[kind](it).to(Sink.list()))
        it.wait_for_the_second_element()
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(FAR_BELOW_A_CALL)
        run.cancel()
        run.drain()
        assert system.statistics().abandoned == 0
    (thread,) = it.closed_on
    assert thread not in it.drawn_on
    assert "timers" not in thread.name


@every_source
@both_ends
def test_a_drained_source_is_interrupted_and_what_it_had_given_is_delivered(kind, error):
    it = Consumer(error)
    with ActorSystem() as system:
        run = system.start(SOURCES[kind](it).to(Sink.list()))
        it.wait_for_the_second_element()
        run.drain()
        assert run.result(FAR_BELOW_A_CALL) == [1]
        raised = letters(system, "raised when it was interrupted")
        assert [letter.error for letter in raised] == [error] * (error is not None)
    assert len(it.closed_on) == 1


def test_a_source_of_which_no_more_is_needed_is_interrupted():
    it = Consumer()
    with ActorSystem(cancel_grace=1000.0) as system:
        source = Source.from_iterable(it, interrupt=it.close)
        assert system.start(source.take(1).to(Sink.list())).result(FAR_BELOW_A_CALL) == [1]
    assert len(it.closed_on) == 1


class Cancels:
    """A foreign Subscriber that takes what comes."""

    def on_subscribe(self, subscription):
        self.subscription = subscription
        subscription.request(9)

    def on_next(self, element):
        pass

    def on_error(self, error):
        pass

    def on_complete(self):
        pass


@every_source
def test_a_source_whose_foreign_subscriber_cancels_is_interrupted_at_once(kind):
    it, subscriber = Consumer(), Cancels()
    with ActorSystem() as system:
        system.publisher(SOURCES[kind](it)).subscribe(subscriber)
        it.wait_for_the_second_element()
        subscriber.subscription.cancel()
        eventually(lambda: it.closed_on)
        eventually(lambda: not system.children())
    assert len(it.closed_on) == 1


def test_a_source_is_interrupted_when_another_stage_has_failed():
    it = Consumer()
    with ActorSystem(cancel_grace=1000.0) as system:
        source = Source.from_iterable(it, interrupt=it.close).idle_timeout(0.05)
        with pytest.raises(StreamTimeoutError):
            system.start(source.to(Sink.list())).result(FAR_BELOW_A_CALL)
    assert len(it.closed_on) == 1


def test_an_inner_source_is_interrupted_when_its_stream_is_switched_off():
    first, second = Consumer(), Consumer()
    with ActorSystem(cancel_grace=1000.0) as system:
        run = system.start(
            Source.queue(4)
            .switch_map(lambda it: Source.from_iterable(it, interrupt=it.close))
            .to(Sink.list())
        )
        run.queue().put(first)
        first.wait_for_the_second_element()
        run.queue().put(second)
        second.wait_for_the_second_element()
        eventually(lambda: first.closed_on)
        assert not second.closed_on
        run.drain()
        assert run.result(FAR_BELOW_A_CALL)[-1] == 1  # what the first gave may have been too late


def test_a_source_that_has_ended_is_not_interrupted():
    calls: list[int] = []
    with ActorSystem() as system:
        source = Source.from_iterable(iter([1, 2]), interrupt=lambda: calls.append(1))
        run = system.start(source.to(Sink.list()))
        assert run.result(20) == [1, 2]
        run.cancel()
        run.drain()
    assert not calls


def test_an_interrupt_that_fails_is_a_dead_letter():
    stuck = Stuck()

    def fails():
        raise ValueError("mine")

    with stuck_system(stuck) as system:
        run = system.start(Source.from_iterable(stuck.iterator, interrupt=fails).to(Sink.list()))
        assert stuck.begun.wait(20)
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(FAR_BELOW_A_CALL)
        (letter,) = letters(system, "its interrupt failed")
        assert isinstance(letter.error, ValueError)
        assert letter.where == "stage 'from_iterable'"


def test_an_interrupt_that_blocks_holds_nobody_up(caplog):
    stuck, interrupt = Stuck(), Stuck()
    with stuck_system(stuck) as system:
        source = Source.from_iterable(stuck.iterator, interrupt=interrupt)
        run = system.start(source.to(Sink.list()))
        assert stuck.begun.wait(20)
        run.cancel()
        assert interrupt.begun.wait(20)
        with pytest.raises(RunCancelled):
            run.result(FAR_BELOW_A_CALL)
        eventually(lambda: system.statistics().abandoned == 2)
    interrupt.release()
    assert "still busy" not in caplog.text


def test_the_iterator_is_closed_at_the_end_unless_that_was_the_interrupt():
    closed: list[str] = []

    class Closeable:
        def __iter__(self):
            return iter([1])

        def close(self):
            closed.append("closed")

    def numbers():
        try:
            yield 1
        finally:
            closed.append("ended")

    with ActorSystem() as system:
        for it in (numbers(), Closeable()):
            source = Source.from_iterable(it, interrupt=lambda: None)
            assert system.start(source.to(Sink.list())).result(20) == [1]
    assert closed == ["ended"]


@pytest.mark.parametrize(
    "make",
    [
        lambda what: Source.from_iterable([], interrupt=what),
        lambda what: Source.unfold(1, lambda n: None, interrupt=what),
        lambda what: Source.unfold_resource(int, lambda _: None, str, interrupt=what),
    ],
)
def test_an_interrupt_can_be_called(make):
    with pytest.raises(ArgumentTypeError, match="interrupt must be callable"):
        make("close")
