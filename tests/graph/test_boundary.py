# mypy: disable-error-code="attr-defined, assignment, misc, union-attr, var-annotated"
"""Our stages as standard Publishers, Subscribers and Processors, against foreign peers."""

import gc
import threading
import traceback
import weakref

import pytest

from actors_rs import UNBOUNDED, ActorSystem, Flow, Sink, Source, merge
from actors_rs.errors import InvalidArgumentError, ProtocolViolation, RunCancelled
from actors_rs.protocol.checks import FrameSubscriber
from actors_rs.stages.chunks.chunk import CALLS
from tests.graph.helpers import SECONDS, Book, Feed, leave_by_an_exception, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


@pytest.mark.parametrize("n", [0, -1, -(2**70)])
def test_requesting_less_than_one_ends_in_on_error_naming_rule_3_9(system, n):
    book = Book(first=n)
    system.publisher(Source.range(0, 10).map(str).named("text")).subscribe(book)
    error = book.wait()
    assert isinstance(error, ValueError)
    assert "rule 3.9" in str(error)
    assert "text" in str(error)
    assert book.elements == []
    wait_until(lambda: not system.children())


@pytest.mark.parametrize("n", ["1", None, 1.0, True])
def test_requesting_no_integer_ends_in_on_error(system, n):
    book = Book()
    system.publisher(Source.range(0, 10)).subscribe(book)
    wait_until(lambda: book.subscription)
    book.subscription.request(n)
    assert isinstance(book.wait(), TypeError)


def test_none_is_refused_wherever_the_standard_forbids_it(system):
    subscriber = system.subscriber(Sink.list())
    with pytest.raises(TypeError, match=r"rule 1\.9"):
        system.publisher(Source.of(1)).subscribe(None)
    with pytest.raises(TypeError, match=r"rule 1\.9.*on_next"):
        system.publisher(Source.of(1)).subscribe(object())
    for call in (subscriber.on_subscribe, subscriber.on_next, subscriber.on_error):
        with pytest.raises(TypeError, match=r"rule 2\.13"):
            call(None)


@pytest.mark.parametrize("wrong", [None, 42, Feed])
def test_on_subscribe_with_no_subscription_ends_the_run_with_rule_2_13(system, wrong):
    class Careless:
        def subscribe(self, subscriber):
            with pytest.raises(TypeError, match=r"rule 2\.13: on_subscribe needs a Subscription"):
                subscriber.on_subscribe(wrong)

    run = system.start(Source.from_publisher(Careless()).to(Sink.list()))
    with pytest.raises(ProtocolViolation, match=r"rule 2\.13: on_subscribe\(.*from_publisher"):
        run.result(SECONDS)


def test_a_second_on_subscribe_is_cancelled_and_reported(system):
    subscriber = system.subscriber(Sink.list())
    first, second = Feed(), Feed()
    first.subscribe(subscriber)
    second.subscribe(subscriber)
    assert second.cancelled.is_set()
    assert "rule 2.12" in system.dead_letters.recent()[-1].why
    wait_until(lambda: first.requests)
    subscriber.on_next(1)
    subscriber.on_complete()
    assert subscriber.run.result(SECONDS) == [1]


def test_a_publisher_that_overproduces_ends_its_link_with_rule_1_1(system):
    subscriber = system.subscriber(Sink.list().named("orders").with_attributes(window=4))
    feed = Feed()
    feed.subscribe(subscriber)
    wait_until(lambda: feed.requests)
    subscriber.on_frame(range(5))
    with pytest.raises(ProtocolViolation, match=r"rule 1\.1: 4 elements requested, 5.*orders"):
        subscriber.run.result(SECONDS)
    assert feed.cancelled.wait(SECONDS)


@pytest.mark.parametrize("late", ["on_complete", "on_error", "on_next"])
def test_a_signal_behind_a_run_that_has_ended_is_reported_and_changes_nothing(system, late):
    subscriber = system.subscriber(Sink.list())
    Feed().subscribe(subscriber)
    subscriber.on_next(1)
    subscriber.on_complete()
    assert subscriber.run.wait(SECONDS)
    getattr(subscriber, late)(*{"on_error": [ValueError()], "on_next": [2]}.get(late, []))
    assert subscriber.run.result(SECONDS) == [1]
    wait_until(lambda: any("rule 1.7" in letter.why for letter in system.dead_letters.recent()))


def test_a_publisher_that_raises_from_request_ends_the_run_and_not_the_thread(system):
    class Rude(Feed):
        def request(self, n):
            raise OSError("gone")

        def cancel(self):
            raise OSError("gone as well")

    subscriber = system.subscriber(Sink.list())
    Rude().subscribe(subscriber)
    with pytest.raises(ProtocolViolation, match=r"rule 3\.16.*gone"):
        subscriber.run.result(SECONDS)
    assert any("rule 3.15" in letter.why for letter in system.dead_letters.recent())


@pytest.mark.parametrize("kind", [ValueError, SystemExit])
@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error", "on_complete"])
def test_a_subscriber_that_raises_counts_as_cancelled_and_is_reported(system, signal, kind):
    error = kind("rude")

    class Rude(Book):
        pass

    def rude(self, *args):
        if signal != "on_subscribe":
            getattr(Book, signal)(self, *args)
        raise error

    setattr(Rude, signal, rude)
    source = Source.range(0, 5)
    if signal == "on_error":
        source = Source.failed(ValueError())
    elif signal == "on_next":
        source = Source.repeat(1)
    book = Rude(first=100)
    system.publisher(source).subscribe(book)
    wait_until(lambda: any(letter.error is error for letter in system.dead_letters.recent()))
    wait_until(lambda: not system.children())
    assert book.faults == []
    if signal == "on_next":
        assert book.elements == [1]


def test_a_million_requests_from_within_on_next_do_not_grow_the_stack(system):
    depths = set()

    def ask(book, element):
        if element % 1000 == 0:
            depths.add(sum(1 for _ in traceback.walk_stack(None)))
        if len(book.elements) == 1:
            for _ in range(200_000):
                book.request(1)
        book.request(1)

    book = Book(first=1, on_element=ask)
    system.publisher(Source.range(0, 100_000)).subscribe(book)
    assert book.wait(30) == "complete"
    assert book.elements == list(range(100_000))
    assert len(depths) == 1


def test_none_ends_in_on_error_naming_rule_2_13_and_the_stage_that_gave_it(system):
    book = Book(first=10)
    system.publisher(Source.of(1, None, 3).map(lambda x: x).named("parse")).subscribe(book)
    error = book.wait()
    assert isinstance(error, TypeError)
    assert "rule 2.13" in str(error)
    assert "parse" in str(error)
    assert book.elements == [1]


def test_a_none_at_the_boundary_stops_every_stage_before_it(system):
    book = Book(first=10)
    endless = merge(Source.of(None), Source.never()).map(lambda x: x)
    system.publisher(endless).subscribe(book)
    assert isinstance(book.wait(), TypeError)
    wait_until(lambda: not system.children())


@pytest.mark.parametrize("asks", [1, 2, 7, 1000, UNBOUNDED])
def test_a_subscriber_gets_what_it_asked_for_and_no_more(system, asks):
    def ask(book, element):
        if asks < UNBOUNDED and len(book.elements) == book.requested:
            book.request(asks)

    book = Book(first=asks, on_element=ask)
    flow = Source.range(0, 3000).map(lambda n: n + 1).filter(lambda n: n % 2)
    system.publisher(flow).subscribe(book)
    assert book.wait() == "complete"
    assert book.elements == list(range(1, 3001, 2))


def test_requests_from_many_threads_add_up(system):
    book = Book()
    system.publisher(Source.repeat(7)).subscribe(book)
    wait_until(lambda: book.subscription)
    book.requested = 4000

    def ask():
        for _ in range(1000):
            book.subscription.request(1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_until(lambda: len(book.elements) == 4000)
    book.subscription.cancel()
    wait_until(lambda: not system.children())
    assert len(book.elements) == 4000
    assert book.faults == []


@pytest.mark.parametrize("source", [Source.repeat(1), Source.range(0, 10**9), Source.never()])
def test_cancelling_an_unbounded_request_stops_an_endless_source(system, source):
    book = Book(first=UNBOUNDED)
    system.publisher(source).subscribe(book)
    if source is not Source.never:
        wait_until(lambda: book.subscription)
    book.subscription.cancel()
    wait_until(lambda: not system.children())
    assert book.ends == []


def test_a_slow_subscriber_that_asked_for_all_does_not_hold_up_the_shutdown():
    pause = threading.Event()
    book = Book(first=UNBOUNDED, on_element=lambda book, _: pause.wait(0.05))
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        system.publisher(Source.range(0, 10_000)).subscribe(book)
        wait_until(lambda: len(book.elements) > 3)
    assert book.wait() == "complete"
    assert len(book.elements) < 100


def test_a_subscriber_is_told_when_its_system_is_left_by_an_exception():
    book = Book(first=1)
    system = ActorSystem(shutdown_timeout=SECONDS)
    system.publisher(Source.repeat(1)).subscribe(book)
    wait_until(lambda: book.elements)
    leave_by_an_exception(system)
    assert isinstance(book.wait(), RunCancelled)


@pytest.mark.parametrize("end", ["cancel", "complete"])
def test_a_subscriber_whose_stream_has_ended_is_kept_alive_by_nobody(system, end):
    book = Book(first=10)
    gone = weakref.ref(book)
    system.publisher(Source.range(0, 5 if end == "complete" else 100)).subscribe(book)
    wait_until(lambda: len(book.elements) >= 5)
    subscription = book.subscription
    if end == "cancel":
        subscription.cancel()
    wait_until(lambda: not system.children())
    book = None
    wait_until(lambda: gc.collect() is not None and gone() is None)
    assert subscription is not None


def test_leaving_the_system_drains_a_subscriber_whose_publisher_goes_on():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        subscriber = system.subscriber(Sink.list())
        feed = Feed()
        feed.subscribe(subscriber)
        wait_until(lambda: feed.requests)
        subscriber.on_next(1)
        subscriber.on_next(2)
    assert subscriber.run.result(0) == [1, 2]
    assert feed.cancelled.is_set()


def test_a_subscriber_that_nobody_feeds_does_not_hold_up_the_shutdown():
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        subscriber = system.subscriber(Sink.count())
    assert subscriber.run.result(0) == 0
    feed = Feed()
    feed.subscribe(subscriber)
    assert feed.cancelled.is_set()


def test_what_a_publisher_sends_after_it_was_drained_is_no_violation(system):
    subscriber = system.subscriber(Sink.list())
    feed = Feed()
    feed.subscribe(subscriber)
    wait_until(lambda: feed.requests)
    subscriber.on_next(1)
    subscriber.run.drain()
    assert feed.cancelled.wait(SECONDS)
    subscriber.on_next(2)
    subscriber.on_complete()
    assert subscriber.run.result(SECONDS)[:1] == [1]
    assert system.dead_letters.total == 0


def test_publisher_processor_and_subscriber_of_ours_fit_together(system):
    subscriber = system.subscriber(Sink.sum())
    processor = system.processor(Flow().filter(lambda n: n % 2))
    system.publisher(Source.range(0, 100_000)).subscribe(processor)
    processor.subscribe(subscriber)
    assert subscriber.run.result(SECONDS) == sum(range(1, 100_000, 2))


class Framed(Book, FrameSubscriber):
    def on_frame(self, frame):
        for element in frame:
            self.on_next(element)


@pytest.mark.parametrize("frames", [True, False])
def test_a_request_that_comes_while_earlier_demand_is_left_is_not_forgotten(system, frames):
    gates = [threading.Event() for _ in range(3)]
    book = Framed(first=2) if frames else Book(first=2)
    source = Source.from_iterable(lambda: (n for n, gate in enumerate(gates) if gate.wait(SECONDS)))
    system.publisher(source.map(lambda n: n).with_attributes(window=1)).subscribe(book)
    for n, gate in enumerate(gates):
        gate.set()
        wait_until(lambda n=n: len(book.elements) == n + 1)
        if n == 0:
            book.request(1)
    assert book.wait() == "complete"


def test_each_subscription_of_a_publisher_is_a_run_of_its_own(system):
    publisher = system.publisher(Source.range(0, 50).scan(0, lambda a, n: a + n))
    books = [Book(first=1000) for _ in range(3)]
    for book in books:
        publisher.subscribe(book)
    assert [book.wait() for book in books] == ["complete"] * 3
    assert books[0].elements == books[1].elements == books[2].elements


def test_subscribing_after_the_shutdown_ends_in_on_error():
    with ActorSystem() as system:
        publisher, processor = system.publisher(Source.of(1)), system.processor(Flow())
    for one in (publisher, processor):
        book = Book(first=1)
        one.subscribe(book)
        assert isinstance(book.wait(), InvalidArgumentError)


def test_a_slow_generator_is_never_waited_for_to_fill_a_frame(system):
    pause = threading.Event()

    def slow():
        for n in range(30):
            pause.wait(0.005)
            wait_until(lambda n=n: len(book.elements) == n)  # never, if it waited for this one
            yield n

    book = Book(first=1000)
    flow = Source.from_iterable(slow).map(lambda n: n).filter(lambda _: True)
    system.publisher(flow).subscribe(book)
    assert book.wait() == "complete"


def test_a_slow_function_delivers_each_element_at_once_and_ends_within_one_chunk(system):
    calls, held, go_on = [], threading.Event(), threading.Event()

    def slow(n):
        calls.append(n)
        if n > 6:  # the rest of the chunk
            return n
        wait_until(lambda: len(book.elements) >= n - 1)  # never, if it waited for this one
        if n == 6:
            held.set()
            go_on.wait(SECONDS)
        return n

    book = Book(first=1000)
    system.publisher(Source.range(0, 1000).map(slow)).subscribe(book)
    assert held.wait(SECONDS)
    book.subscription.cancel()
    wait_until(lambda: {actor.name for actor in system.children()} <= {"range", "map"})
    go_on.set()
    wait_until(lambda: not system.children())
    assert 7 <= len(calls) <= 6 + CALLS
