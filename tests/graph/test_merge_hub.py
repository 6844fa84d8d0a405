# mypy: disable-error-code="arg-type, assignment, func-returns-value, misc"
# mypy: disable-error-code="union-attr, var-annotated"
"""Merge hubs: one stream, fed by sources that come and go while it runs."""

import threading
from types import SimpleNamespace

import pytest

from actors_rs import ActorSystem, Flow, Sink, Source
from actors_rs.errors import GraphError, IllegalStateError, InvalidArgumentError, StageError
from actors_rs.language.merge_hub import MergeHub
from tests.graph.helpers import SECONDS, Book, Feed, wait_until


@pytest.fixture(params=[False, True], ids=["plain", "monitored"])
def system(request):
    with ActorSystem(workers=2, monitor=request.param, shutdown_timeout=SECONDS) as system:
        yield system
        system.shutdown(drain=False)


def endless(closed):
    def elements():
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    return Source.from_iterable(elements)


@pytest.mark.parametrize("window", [1, 3, 1024])
def test_all_that_was_attached_before_and_while_it_runs_arrives_in_its_own_order(system, window):
    hub = Source.merge_hub()
    hub.attach(Source.range(0, 500).with_attributes(window=window))
    run = system.start(hub.source.to(Sink.list().with_attributes(window=window)))
    for start in (1000, 2000, 3000):
        hub.attach(Source.range(start, 500).map(lambda n: n))
    hub.close()
    got = run.result(SECONDS)
    for start in (0, 1000, 2000, 3000):
        assert [n for n in got if start <= n < start + 500] == list(range(start, start + 500))
    assert len(got) == 2000


def test_it_goes_on_without_streams_until_it_is_closed(system):
    hub, seen = Source.merge_hub(), []
    run = system.start(hub.source.to(Sink.for_each(seen.append)))
    for n in range(3):
        hub.attach(Source.of(n))
        wait_until(lambda n=n: len(seen) == n + 1)
    assert not run.done()
    hub.close()
    assert run.result(SECONDS) == 3
    assert run.snapshot().stages[0].elements_in == 3


def test_a_hub_that_was_closed_before_it_ran_completes_with_what_it_has(system):
    hub = Source.merge_hub()
    hub.attach(Source.of(1, 2))
    hub.close()
    assert system.start(hub.source.to(Sink.list())).result(SECONDS) == [1, 2]
    with pytest.raises(IllegalStateError, match=r"'merge_hub' .* takes no more streams"):
        hub.attach(Source.of(3))


def test_streams_come_from_many_threads_and_none_is_lost(system):
    hub = Source.merge_hub()
    run = system.start(hub.source.to(Sink.list()))

    def attach(thread):
        for n in range(30):
            hub.attach(Source.of((thread, n)))

    threads = [threading.Thread(target=attach, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    hub.close()
    assert sorted(run.result(SECONDS)) == [(thread, n) for thread in range(4) for n in range(30)]


def test_nothing_is_drawn_from_a_stream_before_there_is_demand(system):
    drawn = []
    hub = Source.merge_hub()
    book = Book()
    system.publisher(hub.source).subscribe(book)
    hub.attach(Source.from_iterable(lambda: (drawn.append(n) or n for n in range(10))))
    hub.close()
    wait_until(lambda: book.subscription is not None)
    assert drawn == []
    book.request(10)
    assert book.wait() == "complete"
    assert book.elements == list(range(10))


def test_a_stream_that_fails_is_a_dead_letter_and_the_others_go_on(system):
    hub = Source.merge_hub()
    run = system.start(hub.source.to(Sink.list()))
    hub.attach(Source.of(1, 0).map(lambda n: 1 // n).named("divide"))
    wait_until(lambda: system.dead_letters.total == 1)
    hub.attach(Source.of(2))
    hub.close()
    assert run.result(SECONDS) == [1, 2]
    (letter,) = system.dead_letters.recent()
    assert "merge_hub" in letter.why
    assert isinstance(letter.error, StageError)


def test_told_so_the_hub_fails_with_the_first_stream_that_does(system):
    hub, closed = Source.merge_hub(on_failure="fail"), []
    hub.attach(endless(closed))
    hub.attach(Source.of(0).map(lambda n: 1 // n).named("divide"))
    with pytest.raises(StageError, match="divide"):
        system.start(hub.source.to(Sink.ignore())).result(SECONDS)
    assert closed in ([True], [])  # if it was drawn from at all, it was closed
    assert system.dead_letters.total == 0


def a_group(system):
    groups = []
    numbers = Source.of(1, 2).group_by(lambda n: n % 2, 2)
    system.start(numbers.to(Sink.for_each(groups.append)))
    wait_until(lambda: len(groups) == 2)
    return groups[0]


@pytest.mark.parametrize("adapted", [lambda group: group, lambda group: group.map(int)])
def test_a_stream_that_cannot_be_started_is_a_dead_letter_and_the_others_go_on(system, adapted):
    hub, seen, group = Source.merge_hub(), [], a_group(system)
    run = system.start(hub.source.to(Sink.for_each(seen.append)))
    hub.attach(group)
    wait_until(lambda: seen == [1])
    refused = hub.attach(adapted(group))
    wait_until(lambda: system.dead_letters.total == 1)
    refused.cancel()
    hub.attach(hub.source)
    hub.attach(Source.of(3))
    hub.close()
    assert run.result(SECONDS) == 2
    assert seen == [1, 3]
    twice, itself = system.dead_letters.recent()
    assert "attached to a merge_hub cannot be run" in twice.why
    assert isinstance(twice.error, GraphError)
    assert "runs once" in str(itself.error)


def test_told_so_the_hub_fails_with_a_stream_that_cannot_be_started(system):
    hub, group = Source.merge_hub(on_failure="fail"), a_group(system)
    for stream in (group, group, Source.of(3)):
        hub.attach(stream)
    with pytest.raises(GraphError, match="runs once, and it was run already"):
        system.start(hub.source.to(Sink.list())).result(SECONDS)
    assert "attached to a merge_hub that has ended" in system.dead_letters.recent()[0].why


def test_what_was_attached_before_the_close_is_taken_in_before_it_whenever_the_stage_looks():
    hub, posted, seen = MergeHub(), [], []

    class Logic:
        context = SimpleNamespace(post=posted.append)

        def admit(self, source):
            seen.append(source)

        def close(self):
            seen.append("close")

    class Looked(list):
        """An empty line: as soon as it was looked at, a stream is attached and the hub closed."""

        def __bool__(self):
            if not posted:
                hub._lock.release()
                hub.attach(last)
                hub.close()
                hub._lock.acquire()
                return False
            return len(self) > 0

    last = Source.of(1)
    hub._running, hub._waiting = Logic(), Looked()
    hub._admit()
    assert "close" not in seen
    for action in posted:
        action()
    assert [one for one in seen if one != "close"] == [last]
    assert seen[-1] == "close"


def test_a_stream_can_be_taken_off_before_and_while_it_runs(system):
    hub, closed = Source.merge_hub(), []
    never = hub.attach(endless(closed))
    never.cancel()
    seen = []
    run = system.start(hub.source.to(Sink.for_each(seen.append)))
    going = hub.attach(endless(closed))
    wait_until(lambda: seen)
    going.cancel()
    going.cancel()
    wait_until(lambda: closed == [True])
    hub.close()
    assert run.result(SECONDS) == len(seen)


def test_cancelling_the_stream_ends_all_that_is_attached_and_refuses_the_rest(system):
    hub, closed = Source.merge_hub(), []
    for _ in range(3):
        hub.attach(endless(closed))
    run = system.start(hub.source.take(5000).to(Sink.count()))
    assert run.result(SECONDS) == 5000
    assert closed == [True] * len(closed)
    with pytest.raises(IllegalStateError, match="its stream has ended"):
        hub.attach(Source.of(1))


def test_draining_lets_in_no_more_and_completes(system):
    hub, closed = Source.merge_hub(), []
    hub.attach(endless(closed))
    run = system.start(hub.source.to(Sink.count()))
    wait_until(lambda: run.snapshot().stages[1].elements_in > 0)
    run.drain()
    assert run.result(SECONDS) > 0
    assert closed == [True]


def test_a_hub_in_front_of_a_hub_is_a_bus(system):
    hub = Source.merge_hub()
    bus = hub.source.hub(system, keep_alive=True)
    books = [Book(first=100), Book(first=100)]
    for book in books:
        bus.subscribe(book)
    wait_until(lambda: all(book.subscription for book in books))
    hub.attach(Source.of(1))
    wait_until(lambda: all(book.elements == [1] for book in books))
    hub.attach(Source.of(2))
    hub.close()
    for book in books:
        assert book.wait() == "complete"
        assert book.elements == [1, 2]


def test_foreign_publishers_feed_it_too(system):
    hub, feeds = Source.merge_hub(), [Feed(), Feed()]
    run = system.start(hub.source.to(Sink.list()))
    for feed in feeds:
        hub.attach(Source.from_publisher(feed))
    hub.close()
    wait_until(lambda: all(feed.requests for feed in feeds))
    for n, feed in enumerate(feeds):
        feed.subscriber.on_next(n)
        feed.subscriber.on_complete()
    assert sorted(run.result(SECONDS)) == [0, 1]


def test_its_stream_runs_once(system):
    hub = Source.merge_hub(name="entrance")
    hub.close()
    assert system.start(hub.source.to(Sink.list())).result(SECONDS) == []
    with pytest.raises(GraphError, match=r"runs once, got a second run of 'entrance' .*\.py:\d+"):
        system.start(hub.source.to(Sink.list()))


@pytest.mark.parametrize(
    ("attach", "kind", "says"),
    [
        (lambda hub: hub.attach([1]), TypeError, r"attach needs a Source, got \[1\]"),
        (lambda hub: hub.attach(Flow().map(str)), GraphError, "expected a Source, got a Flow"),
        (
            lambda _: Source.merge_hub(on_failure="no"),
            InvalidArgumentError,
            "one of 'report', 'fail'",
        ),
    ],
)
def test_what_cannot_be_attached_is_refused_in_one_sentence(attach, kind, says):
    with pytest.raises(kind, match=says):
        attach(Source.merge_hub())
