# mypy: disable-error-code="arg-type, func-returns-value, misc, union-attr, var-annotated"
"""Partition hubs: one run of a source, each element to one of the subscribers of the moment."""

import pytest

from actors_rs import ActorSystem, Flow, Source
from actors_rs.errors import GraphError, IllegalStateError, StageError
from tests.graph.helpers import SECONDS, Book, wait_until
from tests.graph.hubs import subscribe, watched


@pytest.fixture(params=[False, True], ids=["plain", "monitored"])
def system(request):
    with ActorSystem(workers=2, monitor=request.param, shutdown_timeout=SECONDS) as system:
        yield system
        system.shutdown(drain=False)


def by_number(n, count):
    return n % count


def test_each_element_goes_to_the_one_that_was_chosen(system):
    hub = Source.range(0, 3000).partition_hub(system, by_number)
    books = subscribe(hub, Book(), Book(), Book())
    for book in books:
        book.request(10_000)
    for own, book in enumerate(books):
        assert book.wait() == "complete"
        assert book.elements == list(range(own, 3000, 3))


def test_elements_wait_while_there_is_no_subscriber(system):
    source, drawn = watched(10)
    hub = source.partition_hub(system, by_number, keep_alive=True)
    first = Book(first=2)
    subscribe(hub, first)
    wait_until(lambda: first.elements == [0, 1])
    first.subscription.cancel()
    wait_until(lambda: hub.run.snapshot().stages[-1].details["subscribers"] == 0)
    second = Book(first=100)
    subscribe(hub, second)
    assert second.wait() == "complete"
    assert second.elements == list(range(2, 10))
    assert drawn == list(range(10))


def test_an_element_waits_for_its_subscriber_and_is_chosen_anew_when_that_leaves(system):
    asked = []

    def choose(n, count):
        asked.append((n, count))
        return count - 1

    hub = Source.range(0, 4).partition_hub(system, choose)
    early, late = subscribe(hub, Book(), Book())
    early.request(100)
    wait_until(lambda: asked == [(0, 2)])
    assert early.elements == late.elements == []
    late.subscription.cancel()
    assert early.wait() == "complete"
    assert early.elements == [0, 1, 2, 3]
    assert asked == [(0, 2), (0, 1), (1, 1), (2, 1), (3, 1)]


def test_the_choice_is_asked_for_once_however_long_an_element_waits(system):
    asked = []
    hub = Source.range(0, 50).partition_hub(system, lambda n, _: asked.append(n) or 0)
    one, other = subscribe(hub, Book(), Book())
    other.request(100)
    for n in range(50):
        one.request(1)
        wait_until(lambda n=n: len(one.elements) == n + 1)
    assert one.wait() == other.wait() == "complete"
    assert asked == one.elements == list(range(50))


def test_it_shuts_down_with_its_last_subscriber_unless_it_is_to_stay(system):
    hub = Source.repeat(1).partition_hub(system, by_number, name="shares")
    book = Book(first=3)
    subscribe(hub, book)
    wait_until(lambda: len(book.elements) == 3)
    book.subscription.cancel()
    assert hub.run.wait(SECONDS)
    late = Book(first=1)
    hub.subscribe(late)
    assert isinstance(late.wait(), IllegalStateError)
    assert "shares" in str(late.ends[0])


def test_late_ones_are_told_how_the_stream_ended(system):
    hub = Source.of(1).partition_hub(system, by_number)
    book = Book(first=5)
    hub.subscribe(book)
    assert book.wait() == "complete"
    late = Book(first=5)
    hub.subscribe(late)
    assert late.wait() == "complete"
    assert (book.elements, late.elements) == ([1], [])


@pytest.mark.parametrize("wrong", [2, -1, None, "0"])
def test_a_choice_that_is_none_fails_all_behind_what_was_given(system, wrong):
    hub = Source.range(0, 9).partition_hub(system, lambda n, _: n % 2 if n < 4 else wrong)
    books = subscribe(hub, Book(), Book())
    for book in books:
        book.request(100)
    for own, book in enumerate(books):
        error = book.wait()
        assert isinstance(error, StageError)
        assert error.position == 4
        assert f"f must return 0 to 1, got {wrong!r}" in str(error)
        assert book.elements == [own, own + 2]


def test_a_source_that_fails_fails_all_and_late_ones_too(system):
    hub = Source.failed(OSError("gone")).partition_hub(system, by_number)
    for _ in range(2):
        book = Book(first=1)
        hub.subscribe(book)
        assert str(book.wait()) == "gone"


def test_subscribers_that_come_and_go_lose_nothing_that_was_not_given_to_them(system):
    hub = Source.range(0, 2000).partition_hub(system, lambda n, count: n % count, keep_alive=True)
    books = []

    def leave_after_20(book, _):
        if len(book.elements) == 20:
            book.subscription.cancel()

    for _ in range(20):
        book = Book(on_element=leave_after_20)
        books.append(book)
        subscribe(hub, book)
        book.request(20)
    steady = Book(first=10**6)
    books.append(steady)
    hub.subscribe(steady)
    wait_until(lambda: steady.ends or sum(len(book.elements) for book in books) == 2000)
    assert steady.wait() == "complete"
    got = [n for book in books for n in book.elements]
    assert len(got) == len(set(got)) == 2000
    assert all(book.faults == [] for book in books)


def test_what_makes_no_hub_is_refused(system):
    with pytest.raises(TypeError, match="partition_hub: f must be callable, got 3"):
        Source.of(1).partition_hub(system, 3)
    with pytest.raises(GraphError, match="no source"):
        Flow().partition_hub(system, by_number)
