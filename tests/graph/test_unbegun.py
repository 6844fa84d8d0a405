# mypy: disable-error-code="union-attr"
"""Hubs and processors nobody has subscribed to."""

import gc
import weakref

import pytest

from actors_rs import ActorSystem, Flow, Source
from actors_rs.errors import ProtocolViolation, RunCancelled
from tests.graph.helpers import SECONDS, Book, Feed, leave_by_an_exception, wait_until


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


MAKE = {
    "hub": lambda system: Source.never().hub(system),
    "processor": lambda system: system.processor(Flow()),
}


@pytest.mark.parametrize("leave", [ActorSystem.shutdown, leave_by_an_exception])
@pytest.mark.parametrize("kind", MAKE)
def test_they_end_with_their_system_as_cancelled(kind, leave):
    system = ActorSystem(workers=1, shutdown_timeout=SECONDS)
    run = MAKE[kind](system).run
    leave(system)
    with pytest.raises(RunCancelled):
        run.result(0)
    assert system.statistics().runs == 0


@pytest.mark.parametrize("kind", MAKE)
def test_what_ends_their_system_ends_them(kind):
    system = ActorSystem(workers=1, shutdown_timeout=SECONDS)
    run, error = MAKE[kind](system).run, SystemExit(3)
    system.fatal(error)
    with pytest.raises(SystemExit):
        run.result(0)
    with pytest.raises(SystemExit), system:
        pass


def test_a_shutdown_cancels_the_publisher_of_a_processor_without_subscribers():
    feed = Feed()
    with ActorSystem(workers=1, shutdown_timeout=SECONDS) as system:
        processor = system.processor(Flow().map(str))
        feed.subscribe(processor)
    assert feed.cancelled.is_set()
    assert feed.requests == []
    assert processor.run.state == "cancelled"


@pytest.mark.parametrize("early", [False, True])
def test_cancelling_the_run_of_a_processor_cancels_its_publisher_and_tells_who_comes(system, early):
    processor, feed, late = system.processor(Flow()), Feed(), Book(first=1)
    if early:
        feed.subscribe(processor)
    processor.run.cancel()
    if not early:
        feed.subscribe(processor)
    assert feed.cancelled.wait(SECONDS)
    assert processor.run.state == "cancelled"
    processor.subscribe(late)
    assert isinstance(late.wait(), RunCancelled)
    wait_until(lambda: system.statistics().runs == 0)


@pytest.mark.parametrize("signal", ["on_next", "on_frame"])
def test_an_element_that_nobody_asked_a_processor_for_is_a_violation(system, signal):
    processor, feed, late = system.processor(Flow()), Feed(), Book(first=1)
    feed.subscribe(processor)
    getattr(processor, signal)([1])
    with pytest.raises(ProtocolViolation, match=r"rule 1\.1"):
        processor.run.result(SECONDS)
    assert feed.cancelled.wait(SECONDS)
    processor.subscribe(late)
    assert isinstance(late.wait(), ProtocolViolation)


def test_an_end_that_comes_first_waits_for_the_subscriber(system):
    processor, book = system.processor(Flow().default_if_empty(7)), Book(first=1)
    processor.on_subscribe(Feed())
    processor.on_complete()
    assert processor.run.state == "running"
    processor.subscribe(book)
    assert book.wait() == "complete"
    assert book.elements == [7]


@pytest.mark.parametrize("kind", MAKE)
def test_the_system_keeps_none_alive_that_nobody_has_any_more(system, kind):
    made = MAKE[kind](system)
    seen = weakref.ref(made)
    del made
    gc.collect()
    assert seen() is None


def test_however_many_there_are_they_count_as_one_run(system):
    made = [make(system) for make in MAKE.values()]
    assert system.statistics().runs == 1
    for one in made:
        assert one.run.state == "running"
        one.run.cancel()
    wait_until(lambda: system.statistics().runs == 0)


@pytest.mark.parametrize("kind", MAKE)
def test_of_those_that_have_begun_and_ended_nothing_is_left(system, kind):
    made, book = MAKE[kind](system), Book(first=1)
    made.subscribe(book)
    wait_until(lambda: book.subscription)
    assert system.statistics().runs == 1
    book.subscription.cancel()
    made.run.wait(SECONDS)
    wait_until(lambda: system.statistics().runs == 0)
