# mypy: disable-error-code="arg-type, var-annotated"
"""What counts as a Publisher, a Subscriber and a Subscription."""

import pytest

from actors_rs import (
    ActorSystem,
    Demand,
    Flow,
    Sink,
    Source,
    is_publisher,
    is_subscriber,
    is_subscription,
)
from tests.graph.helpers import Book, Feed

TESTS = (is_publisher, is_subscriber, is_subscription)


class NotQuite:
    subscribe = request = cancel = None
    on_subscribe = on_next = on_error = None


@pytest.mark.parametrize(
    ("value", "is_one_of"),
    [
        (Feed(), {is_publisher, is_subscription}),
        (Book(), {is_subscriber}),
        (Feed, set()),
        (Book, set()),
        (NotQuite(), set()),
        (None, set()),
        (Demand(), set()),
        (Flow().map(str), set()),
        (Sink.count(), set()),
    ],
)
def test_an_object_is_what_it_has_the_methods_of_and_a_class_is_nothing(value, is_one_of):
    assert {test for test in TESTS if test(value)} == is_one_of


def test_what_a_system_gives_is_what_it_says():
    with ActorSystem(workers=1) as system:
        assert is_publisher(system.publisher(Source.of(1)))
        subscriber = system.subscriber(Sink.count())
        assert is_subscriber(subscriber)
        processor = system.processor(Flow().map(str))
        assert is_publisher(processor)
        assert is_subscriber(processor)
        book = Book()
        system.publisher(Source.of(1)).subscribe(book)
        system.publisher(Source.of(1)).subscribe(processor)
        system.publisher(Source.of(1)).subscribe(subscriber)
        processor.subscribe(Book(first=9))
