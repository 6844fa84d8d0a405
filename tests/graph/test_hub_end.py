# mypy: disable-error-code="attr-defined, assignment, misc, union-attr, var-annotated"
"""How hubs end, and what those that come late or break a rule are told."""

import gc
import threading
import weakref

import pytest

from actors_rs import UNBOUNDED, ActorSystem, Sink, Source
from actors_rs.errors import (
    IllegalStateError,
    InvalidArgumentError,
    ProtocolViolation,
    RunCancelled,
    StageError,
)
from tests.graph.helpers import SECONDS, Book, wait_until
from tests.graph.hubs import subscribe, watched


@pytest.fixture(params=[False, True], ids=["plain", "monitored"])
def system(request):
    with ActorSystem(workers=2, monitor=request.param, shutdown_timeout=SECONDS) as system:
        yield system
        system.shutdown(drain=False)


@pytest.fixture
def plain_system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


@pytest.mark.parametrize("on_slow", ["drop", "backpressure"])
def test_a_drain_of_the_system_delivers_what_a_hub_holds_for_a_run_that_lags(system, on_slow):
    gate = threading.Event()

    def slow(n):
        assert gate.wait(SECONDS)
        return n

    hub = Source.queue(16).hub(system, replay=100, keep_alive=True, on_slow=on_slow)
    hub.subscribe(quick := Book(first=UNBOUNDED))
    lagging = Source.from_publisher(hub).with_attributes(window=8).map(slow)
    run = system.start(lagging.with_attributes(window=8).to(Sink.list()))
    wait_until(lambda: run.snapshot().stages[0].elements_in or run.snapshot().stages[0].requested)
    wait_until(lambda: len(hub.run.snapshot().stages) > 1)
    queue = hub.run.queue()
    for n in range(80):
        queue.put(n)
    wait_until(lambda: len(quick.elements) == 80)
    system.drain()
    gate.set()
    assert run.result(SECONDS) == list(range(80))
    hub.run.result(SECONDS)


@pytest.mark.parametrize("replay", [0, 3])
def test_after_the_end_a_late_subscriber_gets_what_is_held_and_the_completion(system, replay):
    early = Book(first=UNBOUNDED)
    hub = Source.range(0, 10).hub(system, replay=replay)
    subscribe(hub, early)
    assert early.wait() == "complete"
    hub.run.result(SECONDS)
    for _ in range(2):
        late = Book(first=UNBOUNDED)
        hub.subscribe(late)
        assert late.wait() == "complete"
        assert late.elements == list(range(10 - replay, 10))


def test_after_the_end_without_replay_the_terminal_signal_needs_no_request(system):
    early, late = Book(first=UNBOUNDED), Book()
    hub = Source.range(0, 10).hub(system)
    subscribe(hub, early)
    assert early.wait() == "complete"
    subscribe(hub, late)
    assert late.wait() == "complete"


def test_a_failure_of_the_source_reaches_early_and_late_subscribers(system):
    early = [Book(first=UNBOUNDED), Book(first=UNBOUNDED)]
    hub = Source.of(3, 2, 1, 0).map(lambda n: 6 // n).hub(system, replay=1)
    subscribe(hub, *early)
    late = Book(first=UNBOUNDED)
    for book in early:
        assert isinstance(book.wait().__cause__, ZeroDivisionError)
    hub.run.wait(SECONDS)
    hub.subscribe(late)
    assert late.wait() is early[0].ends[0]
    assert late.elements == [6]
    assert hub.run.state == "failed"


def test_when_the_last_subscriber_has_cancelled_upstream_is_cancelled_and_the_run_ends(system):
    hub = Source.repeat(1).hub(system, replay=4)
    books = subscribe(hub, Book(first=3), Book(first=2))
    for book in books:
        assert not hub.run.done()
        book.subscription.cancel()
    assert hub.run.wait(SECONDS)
    wait_until(lambda: not system.children())
    late = Book(first=1)
    hub.subscribe(late)
    error = late.wait()
    assert isinstance(error, IllegalStateError)
    assert isinstance(error, RuntimeError)
    assert "hub 'hub' has shut down" in str(error)
    assert late.subscription is not None
    assert late.elements == []


def test_a_hub_that_is_kept_alive_waits_for_the_next_subscriber_and_holds_its_elements(system):
    source, drawn = watched(10)
    hub = source.hub(system, replay=2, keep_alive=True)
    (first,) = subscribe(hub, Book(first=4))
    wait_until(lambda: len(first.elements) == 4)
    first.subscription.cancel()
    wait_until(lambda: hub.run.snapshot().stages[-1].details["subscribers"] == 0)
    assert not hub.run.done()
    second = Book(first=UNBOUNDED)
    hub.subscribe(second)
    assert second.wait() == "complete"
    assert second.elements == list(range(2, 10))
    assert drawn == list(range(10))


def test_the_same_subscriber_twice_has_its_one_stream_ended_and_hurts_no_other(system):
    twice, other = Book(), Book()
    subscribed = []
    begin = twice.on_subscribe

    def note_and_begin(subscription):
        subscribed.append(1)
        begin(subscription)

    twice.on_subscribe = note_and_begin
    hub = Source.range(0, 10).hub(system, replay=2)
    subscribe(hub, twice, other)
    hub.subscribe(twice)
    error = twice.wait()
    assert isinstance(error, ProtocolViolation)
    assert error.rule == "2.12"
    assert subscribed == [1]
    other.request(UNBOUNDED)
    assert other.wait() == "complete"
    assert other.elements == list(range(10))


def test_a_subscriber_that_raises_or_asks_for_nothing_hurts_no_other(plain_system):
    system = plain_system

    def rude(book, element):
        raise OSError("rude")

    raising, zero, other = Book(first=5, on_element=rude), Book(first=0), Book()
    hub = Source.range(0, 100).hub(system, replay=1, keep_alive=True)
    subscribe(hub, other, raising, zero)
    assert isinstance(zero.wait(), ValueError)
    other.request(UNBOUNDED)
    assert other.wait() == "complete"
    assert other.elements == list(range(100))
    assert any(isinstance(letter.error, OSError) for letter in system.dead_letters.recent())


@pytest.mark.parametrize("keep_alive", [False, True])
def test_draining_ends_a_hub_behind_what_is_in_hand(system, keep_alive):
    hub = Source.repeat(1).hub(system, replay=4, keep_alive=keep_alive)
    (book,) = subscribe(hub, Book(first=1))
    hub.run.drain()
    book.request(UNBOUNDED)
    assert book.wait() == "complete"
    assert hub.run.wait(SECONDS)


def test_draining_ends_a_hub_without_subscribers(system):
    hub = Source.repeat(1).hub(system, keep_alive=True)
    (book,) = subscribe(hub, Book(first=1))
    wait_until(lambda: book.elements)
    book.subscription.cancel()
    wait_until(lambda: hub.run.snapshot().stages[-1].details["subscribers"] == 0)
    hub.run.drain()
    assert hub.run.wait(SECONDS)


def test_cancelling_the_run_is_told_to_every_subscriber_early_and_late(system):
    hub = Source.repeat(1).hub(system, replay=4)
    early = subscribe(hub, Book(first=1), Book())
    hub.run.cancel()
    for book in early:
        assert isinstance(book.wait(), RunCancelled)
    assert hub.run.wait(SECONDS)
    late = Book(first=1)
    hub.subscribe(late)
    assert isinstance(late.wait(), RunCancelled)
    assert late.elements == []


def test_leaving_the_system_ends_its_hubs_and_later_ones_are_rejected():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        hub = Source.range(0, 10).hub(system, replay=1, keep_alive=True)
        unused = Source.range(0, 10).hub(system)
        book = Book(first=UNBOUNDED)
        hub.subscribe(book)
    assert book.wait() == "complete"
    for over in (hub, unused):
        late = Book()
        over.subscribe(late)
        assert isinstance(late.wait(), InvalidArgumentError)
    with pytest.raises(InvalidArgumentError, match="shut down"):
        Source.of(1).hub(system)


def test_nothing_refers_to_a_subscriber_that_has_cancelled(system):
    hub = Source.repeat(1).hub(system, replay=4, keep_alive=True)
    (book,) = subscribe(hub, Book(first=2))
    elements = book.elements
    wait_until(lambda: len(elements) == 2)
    book.subscription.cancel()
    gone = weakref.ref(book)
    del book

    def dropped():
        gc.collect()
        return gone() is None

    wait_until(dropped)


def test_under_a_monitor_a_rule_broken_by_one_subscriber_ends_the_run_of_all():
    with ActorSystem(workers=2, monitor=True, shutdown_timeout=SECONDS) as system:
        raising, other = Book(first=1, on_element=lambda book, element: 1 // 0), Book()
        hub = Source.range(0, 100).hub(system, replay=1, keep_alive=True)
        subscribe(hub, other, raising)
        error = other.wait()
        assert isinstance(error, ProtocolViolation)
        assert error.rule == "2.13"
        with pytest.raises(ProtocolViolation):
            hub.run.result(SECONDS)


def test_every_subscriber_hears_an_end_however_it_meets_the_hubs_own(system):
    for _ in range(40):
        hub = Source.repeat(1).hub(system)
        leaver, comer = Book(first=1), Book(first=1)
        comer.on_element = lambda book, element: (book.subscription.cancel(), book.over.set())
        subscribe(hub, leaver)
        leaver.subscription.cancel()
        hub.subscribe(comer)
        assert comer.over.wait(SECONDS)
        assert comer.faults == []


def failures_in(caplog):
    return [one for one in caplog.records if one.name == "actors_rs.runtime"]


def test_a_hub_whose_source_fails_is_one_line_of_the_log_though_nobody_asks_for_the_result(
    system, caplog
):
    def prices():
        yield 101
        raise OSError("feed broken")

    hub = Source.from_iterable(prices).hub(system, name="prices", replay=1)
    hub.subscribe(system.subscriber(Sink.ignore()))
    assert hub.run.wait(SECONDS)
    hub.subscribe(late := Book(first=UNBOUNDED))
    assert isinstance(late.wait(), StageError)
    wait_until(lambda: failures_in(caplog))
    system.shutdown(drain=False)
    (line,) = failures_in(caplog)
    assert line.levelname == "ERROR"
    assert "the run 'prices' of a hub has failed" in line.message
    assert "restart(Backoff(...)) before .hub(...)" in line.message
    assert "OSError: feed broken" in str(line.exc_info[1])


@pytest.mark.parametrize("end", ["cancel", "drain"])
def test_a_hub_that_was_ended_is_no_failure_in_the_log(system, caplog, end):
    hub = Source.never().hub(system)
    hub.subscribe(system.subscriber(Sink.ignore()))
    getattr(hub.run, end)()
    assert hub.run.wait(SECONDS)
    system.shutdown(drain=False)
    assert failures_in(caplog) == []
