# mypy: disable-error-code="attr-defined, func-returns-value, union-attr"
"""Flows of ours as Processors, between foreign peers."""

import pytest

from actors_rs import UNBOUNDED, ActorSystem, Flow, Source
from actors_rs.engine.boundary.fan_out import FanOut
from actors_rs.errors import IllegalStateError, ProtocolViolation
from tests.graph.helpers import SECONDS, Book, Feed, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def test_a_processor_asks_only_when_it_is_asked(system):
    processor = system.processor(Flow().map(lambda n: n * 2))
    feed, book = Feed(), Book()
    feed.subscribe(processor)
    processor.subscribe(book)
    wait_until(lambda: book.subscription)
    assert feed.requests == []
    book.request(1)
    wait_until(lambda: feed.requests)
    processor.on_next(21)
    processor.on_complete()
    assert book.wait() == "complete"
    assert book.elements == [42]


def test_a_processor_hands_errors_and_cancellation_through(system):
    processor, book, feed = system.processor(Flow()), Book(first=1), Feed()
    feed.subscribe(processor)
    processor.subscribe(book)
    error = ValueError("upstream")
    processor.on_error(error)
    assert book.wait() is error
    processor, book, feed = system.processor(Flow().map(str)), Book(first=1), Feed()
    feed.subscribe(processor)
    processor.subscribe(book)
    wait_until(lambda: book.subscription)
    book.subscription.cancel()
    assert feed.cancelled.wait(SECONDS)


def test_a_processor_serves_all_subscribers_at_the_pace_of_the_slowest(system):
    processor, fast, slow = system.processor(Flow()), Book(first=1000), Book()
    processor.subscribe(fast)
    processor.subscribe(slow)
    system.publisher(Source.range(0, 1000)).subscribe(processor)
    wait_until(lambda: slow.subscription)
    assert fast.elements == []
    for n in range(1, 11):
        slow.request(1)
        wait_until(lambda n=n: len(slow.elements) == len(fast.elements) == n)
    slow.subscription.cancel()
    assert fast.wait() == "complete"
    assert fast.elements == list(range(1000))
    assert slow.elements == list(range(10))


def test_a_late_subscriber_of_a_processor_hears_how_the_stream_ended(system):
    error = ValueError("upstream")
    for end, signal in (("complete", "on_complete"), (error, "on_error")):
        processor, first, late = system.processor(Flow()), Book(first=1), Book(first=1)
        Feed().subscribe(processor)
        processor.subscribe(first)
        getattr(processor, signal)(*([error] if end is error else []))
        assert first.wait() is end or end == "complete"
        processor.subscribe(late)
        assert late.wait() == end


def test_a_processor_that_all_subscribers_cancelled_rejects_another(system):
    processor, feed, books = system.processor(Flow()), Feed(), [Book(first=1) for _ in range(3)]
    feed.subscribe(processor)
    for book in books[:2]:
        processor.subscribe(book)
    for book in books[:2]:
        assert not feed.cancelled.is_set()
        wait_until(lambda book=book: book.subscription)
        book.subscription.cancel()
    assert feed.cancelled.wait(SECONDS)
    processor.subscribe(books[2])
    assert isinstance(books[2].wait(), IllegalStateError)


@pytest.mark.parametrize("monitor", [False, True])
def test_subscribing_twice_to_a_processor_ends_the_one_stream_and_no_other(monitor):
    with ActorSystem(workers=2, monitor=monitor, shutdown_timeout=SECONDS) as system:
        processor, twice, other = system.processor(Flow()), Book(), Book(first=UNBOUNDED)
        for book in (twice, other, twice):
            processor.subscribe(book)
        error = twice.wait()
        assert isinstance(error, ProtocolViolation)
        assert error.rule == "2.12"
        system.publisher(Source.range(0, 100)).subscribe(processor)
        assert other.wait() == "complete"
        assert (twice.elements, other.elements) == ([], list(range(100)))


def test_one_that_has_cancelled_may_subscribe_to_a_processor_again(system):
    processor, other, held = system.processor(Flow()), Book(), []
    back = Book(first=1, on_element=lambda book, _: book.subscription.cancel())
    for book in (other, back):
        processor.subscribe(book)
    system.publisher(Source.range(0, 3)).subscribe(processor)
    wait_until(lambda: other.subscription)
    other.request(1)
    wait_until(lambda: back.elements)
    held.append(back.subscription)
    back.first, back.on_element = UNBOUNDED, None
    processor.subscribe(back)
    wait_until(lambda: back.subscription is not held[0])
    other.request(2)
    assert (back.wait(), other.wait()) == ("complete", "complete")
    assert (back.elements, other.elements) == ([0, 1, 2], [0, 1, 2])


def test_a_processor_looks_at_all_subscribers_once_an_element_however_many_there_are(
    system, monkeypatch
):
    looks, look = [], FanOut.settle
    monkeypatch.setattr(FanOut, "settle", lambda fan: (looks.append(fan), look(fan)))
    processor = system.processor(Flow())
    books = [Book(first=1, on_element=lambda book, _: book.request(1)) for _ in range(40)]
    for book in books:
        processor.subscribe(book)
    system.publisher(Source.range(0, 100)).subscribe(processor)
    assert {book.wait() for book in books} == {"complete"}
    assert [book.elements for book in books] == [list(range(100))] * 40
    assert len(looks) < 100 + 3 * len(books)
