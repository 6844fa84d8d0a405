# mypy: disable-error-code="attr-defined, union-attr, var-annotated"
"""Foreign peers that break rules: their link ends with the rule's name, and nothing else does."""

import threading

import pytest

from actors_rs import UNBOUNDED, ActorSystem, Flow, Sink
from actors_rs.errors import ProtocolViolation
from tests.conformance.asking import ask_inside_on_next
from tests.graph.helpers import SECONDS, Book, Feed, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2, window=4, shutdown_timeout=SECONDS) as system:
        yield system


def emits_more_than_asked(subscriber):
    for n in range(5):
        subscriber.on_next(n)


def sends_none(subscriber):
    with pytest.raises(TypeError, match=r"rule 2\.13"):
        subscriber.on_next(None)


def fails_with_a_text(subscriber):
    with pytest.raises(TypeError, match=r"rule 2\.13"):
        subscriber.on_error("out of order")


@pytest.mark.parametrize(
    ("misbehave", "rule"),
    [(emits_more_than_asked, "1.1"), (sends_none, "2.13"), (fails_with_a_text, "2.13")],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_a_publisher_that_breaks_a_rule_ends_its_link_and_no_other(system, misbehave, rule):
    sink, honest = (system.subscriber(Sink.list()) for _ in range(2))
    processor, book = system.processor(Flow()), Book(first=UNBOUNDED)
    processor.subscribe(book)
    feeds = [Feed(), Feed(), Feed()]
    for feed, subscriber in zip(feeds, (sink, honest, processor), strict=True):
        feed.subscribe(subscriber)
        wait_until(lambda feed=feed: feed.requests)
    misbehave(sink)
    misbehave(processor)
    with pytest.raises(ProtocolViolation, match=f"rule {rule}: "):
        sink.run.result(SECONDS)
    assert f"rule {rule}: " in str(book.wait())
    assert feeds[0].cancelled.wait(SECONDS)
    assert feeds[2].cancelled.wait(SECONDS)
    honest.on_next(1)
    honest.on_complete()
    assert honest.run.result(SECONDS) == [1]


class EndsTwice(Feed):
    """Gives an element, then both ends, all inside the first request."""

    def request(self, n):
        super().request(n)
        self.subscriber.on_next(1)
        self.subscriber.on_complete()
        self.subscriber.on_error(OSError("too late"))


class GoesOnBehindItsEnd(Feed):
    """Gives an element, its end and one more, all inside the first request."""

    def request(self, n):
        super().request(n)
        self.subscriber.on_next(1)
        self.subscriber.on_complete()
        self.subscriber.on_next(2)


@pytest.mark.parametrize("publisher", [EndsTwice, GoesOnBehindItsEnd])
def test_a_signal_behind_the_end_ends_the_link_with_the_rule(system, publisher):
    sink, honest = (system.subscriber(Sink.list()) for _ in range(2))
    processor, book = system.processor(Flow()), Book(first=1)
    processor.subscribe(book)
    for subscriber in (sink, processor):
        publisher().subscribe(subscriber)
    Feed().subscribe(honest)
    with pytest.raises(ProtocolViolation, match=r"rule 1\.7: "):
        sink.run.result(SECONDS)
    assert "rule 1.7: " in str(book.wait())
    honest.on_complete()
    assert honest.run.result(SECONDS) == []


def test_a_signal_behind_the_end_that_comes_when_all_is_over_is_reported_with_the_rule(system):
    sink, feed = system.subscriber(Sink.list()), Feed()
    feed.subscribe(sink)
    sink.on_complete()
    assert sink.run.result(SECONDS) == []
    sink.on_error(OSError("too late"))
    wait_until(lambda: any("rule 1.7" in letter.why for letter in system.dead_letters.recent()))


def test_signals_of_two_threads_that_overlap_end_their_link():
    """On the calling thread ``on_next`` is still under way while the sink's function waits."""
    inside, leave = threading.Event(), threading.Event()

    def stay(_):
        inside.set()
        assert leave.wait(SECONDS)

    with ActorSystem(dispatcher="calling_thread") as system:
        sink, feed = system.subscriber(Sink.for_each(stay)), Feed()
        feed.subscribe(sink)
        first = threading.Thread(target=sink.on_next, args=(1,))
        first.start()
        assert inside.wait(SECONDS)
        sink.on_next(2)
        leave.set()
        first.join(SECONDS)
        with pytest.raises(ProtocolViolation, match=r"rule 1\.3: .*another thread"):
            sink.run.result(SECONDS)
        assert feed.cancelled.wait(SECONDS)


def test_a_publisher_that_signals_inside_request_overlaps_with_nothing():
    class Nested(Feed):
        def request(self, n):
            super().request(n)
            self.subscriber.on_next(len(self.requests))
            if len(self.requests) == 3:
                self.subscriber.on_complete()

    with ActorSystem(dispatcher="calling_thread", window=1) as system:
        sink = system.subscriber(Sink.list())
        Nested().subscribe(sink)
        assert sink.run.result(SECONDS) == [1, 2, 3]


def test_a_million_requests_inside_on_next_do_not_grow_the_stack():
    subscriber = ask_inside_on_next(1_000_000, seconds=60)
    assert subscriber.asked == 1_000_000
    assert len(subscriber.depths) == 1
