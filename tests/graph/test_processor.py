# mypy: disable-error-code="attr-defined, union-attr"
"""Flows of ours as Processors, between foreign peers."""

import pytest

from actors_rs import ActorSystem, Flow, Source
from actors_rs.errors import IllegalStateError
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
