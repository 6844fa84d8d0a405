"""A completion needs no demand (rules 1.5, 1.7): a subscriber may request exactly what comes."""

from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from tests.graph.helpers import SECONDS, Book, wait_until

PASSING = {
    "also_to": lambda flow: flow.also_to(Sink.ignore()),
    "wire_tap": lambda flow: flow.wire_tap(Sink.ignore()),
    "monitor": lambda flow: flow.monitor(lambda state: None),
    "recover": lambda flow: flow.recover(str),
    "fused": lambda flow: flow.also_to(Sink.ignore()).map(str).fuse(),
}


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


@pytest.mark.parametrize("name", PASSING)
def test_who_requests_as_many_as_come_hears_the_completion_at_once(system, name):
    book = Book(first=3)
    system.publisher(PASSING[name](Source.of(1, 2, 3))).subscribe(book)
    assert book.wait() == "complete"
    assert len(book.elements) == 3


@pytest.mark.parametrize("name", PASSING)
def test_a_completion_that_comes_later_needs_no_further_request(system, name):
    book = Book(first=3)
    made: list[Any] = []
    source = Source.from_callback(made.append, 16)
    system.publisher(PASSING[name](source)).subscribe(book)
    wait_until(lambda: made)
    for n in range(3):
        made[0](n)
    wait_until(lambda: len(book.elements) == 3)
    assert not book.ends
    made[0].complete()
    assert book.wait() == "complete"
