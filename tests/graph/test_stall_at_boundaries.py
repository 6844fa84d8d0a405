# mypy: disable-error-code="union-attr, var-annotated"
"""A run with foreign peers is ended when it stands still, unless a call of a peer may move it."""

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import Stalled
from actors_rs.testing.decisions import RandomWalk
from actors_rs.testing.world import World
from tests.graph.helpers import SECONDS, Book, Feed, wait_until

SOON = 0.04
TIMES = 6  # SOON, for which a run that is let be is looked at


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS, stall_after=SOON) as system:
        yield system


def stuck():
    one, other = Source.repeat(1).broadcast(2)
    return one.zip(other.skip(100_000))


def by_remainder(source):
    return source.group_by(lambda n: n % 3, 3, stall_after=SOON)


def kept_groups():
    return by_remainder(Source.range(0, 9))


def published(system, source):
    return system.publisher(source)


def processed(system, source):
    processor = system.processor(Flow().map(lambda x: x))
    system.publisher(source).subscribe(processor)
    return processor


def shared_by_a_hub(system, source):
    return source.hub(system)


def dealt_out_by_a_hub(system, source):
    return source.partition_hub(system, lambda _, count: count - 1)


PUBLISHERS = [published, processed, shared_by_a_hub, dealt_out_by_a_hub]


def is_let_be(over):
    """``over`` is not set for several times as long as a run may stand still."""
    return not over.wait(TIMES * SOON)


@pytest.mark.parametrize("publisher", PUBLISHERS)
@pytest.mark.parametrize("source", [stuck, kept_groups])
def test_a_subscriber_that_has_requested_what_cannot_come_is_told_so(system, publisher, source):
    book = Book(first=100)
    publisher(system, source()).subscribe(book)
    assert isinstance(book.wait(), Stalled)
    wait_until(lambda: not system.children())


@pytest.mark.parametrize("publisher", PUBLISHERS)
def test_a_run_waits_for_a_subscriber_that_has_requested_nothing(system, publisher):
    book = Book(first=3)
    publisher(system, Source.range(0, 9)).subscribe(book)
    wait_until(lambda: len(book.elements) == 3)
    assert is_let_be(book.over)
    book.request(100)
    assert book.wait() == "complete"
    assert book.elements == list(range(9))


def test_a_subscriber_that_requests_more_later_is_told_then(system):
    book = Book(first=2)
    system.publisher(kept_groups()).subscribe(book)
    wait_until(lambda: len(book.elements) == 2)
    assert is_let_be(book.over)
    book.request(2)
    assert "nobody runs the streams of groups 0, 1, 2" in str(book.wait())


def test_a_hub_that_has_no_subscriber_waits_for_one(system):
    hub = Source.range(0, 9).hub(system, keep_alive=True)
    first, second = Book(first=3), Book(first=100)
    hub.subscribe(first)
    wait_until(lambda: len(first.elements) == 3)
    first.subscription.cancel()
    assert not hub.run.wait(TIMES * SOON)
    hub.subscribe(second)
    assert second.wait() == "complete"


def test_a_group_that_is_published_and_not_requested_is_let_be(system):
    kept = []
    going = system.start(kept_groups().to(Sink.for_each(kept.append)))
    wait_until(lambda: len(kept) == 3)
    books = [Book(), Book(first=100), Book(first=100)]
    for group, book in zip(kept, books, strict=True):
        system.publisher(group).subscribe(book)
    assert [book.wait() for book in books[1:]] == ["complete", "complete"]
    assert is_let_be(books[0].over)
    books[0].request(100)
    assert books[0].wait() == "complete"
    assert going.result(SECONDS) == 3
    late = Book()
    system.publisher(kept[0]).subscribe(late)
    assert "runs once, and it was run already" in str(late.wait())


def test_a_run_waits_for_a_publisher_that_owes_elements_and_no_longer(system):
    feed = Feed()
    run = system.start(by_remainder(Source.from_publisher(feed)).to(Sink.list()))
    wait_until(lambda: feed.requests)
    for n in range(10):
        feed.subscriber.on_next(n)
    assert not run.wait(TIMES * SOON)
    feed.subscriber.on_complete()
    with pytest.raises(Stalled, match="nobody runs the streams of groups 0, 1, 2"):
        run.result(SECONDS)


def test_a_publisher_that_owes_nothing_cannot_move_what_holds_all_it_gave(system):
    feed, given = Feed(), 0
    run = system.start(by_remainder(Source.from_publisher(feed)).to(Sink.list()))

    def gives_all():
        nonlocal given
        while given < sum(feed.requests):
            feed.subscriber.on_next(given)
            given += 1
        return run.done()

    wait_until(gives_all)
    with pytest.raises(Stalled, match="nobody runs the streams of groups"):
        run.result(SECONDS)
    assert feed.cancelled.wait(SECONDS)


def test_a_processor_stands_between_two_runs_that_are_told_too(system):
    processor, book = system.processor(by_remainder(Flow())), Book(first=100)
    system.publisher(Source.range(0, 9)).subscribe(processor)
    processor.subscribe(book)
    assert isinstance(book.wait(), Stalled)
    with pytest.raises(Stalled):
        processor.run.result(SECONDS)


def test_a_world_tells_a_subscriber_as_soon_as_nothing_can_move():
    for seed in range(20):
        with World(RandomWalk(seed), window=8) as world:
            book = Book(first=100)
            world.system.publisher(kept_groups()).subscribe(book)
            world.sleep(SOON)
            assert "nobody runs the streams of groups 0, 1, 2" in str(book.wait(0))


def test_a_world_waits_for_a_subscriber_that_has_requested_nothing():
    for seed in range(20):
        with World(RandomWalk(seed), window=8) as world:
            book = Book(first=3)
            world.system.publisher(kept_groups()).subscribe(book)
            world.sleep(100)
            assert len(book.elements) == 3
            assert not book.ends
            for group in book.elements:
                world.start(group.to(Sink.list()))
            book.request(1)
            world.sleep(0)
            assert book.wait(0) == "complete"
