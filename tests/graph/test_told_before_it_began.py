# mypy: disable-error-code="attr-defined, union-attr"
"""A run that begins with its first subscriber may be told to end before; it remembers that."""

import pytest

from actors_rs import UNBOUNDED, ActorSystem, Flow, Sink, Source
from actors_rs.errors import RunCancelled
from tests.graph.helpers import SECONDS, Book


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def hub(system):
    return Source.repeat(1).hub(system, keep_alive=True)


def processor(system):
    return system.processor(Flow())


@pytest.mark.parametrize("make", [hub, processor])
def test_one_that_was_cancelled_has_ended_and_whoever_comes_is_told(system, make):
    hot, book = make(system), Book(first=UNBOUNDED)
    hot.run.cancel()
    with pytest.raises(RunCancelled):
        hot.run.result(SECONDS)
    hot.subscribe(book)
    assert isinstance(book.wait(), RunCancelled)
    assert book.elements == []


@pytest.mark.parametrize("make", [hub, processor])
def test_one_that_was_aborted_has_failed_and_whoever_comes_gets_the_error(system, make):
    hot, book, error = make(system), Book(first=UNBOUNDED), ValueError("no use")
    hot.run.abort(error)
    with pytest.raises(ValueError, match="no use"):
        hot.run.result(SECONDS)
    hot.subscribe(book)
    assert book.wait() is error


def test_a_hub_that_was_drained_takes_nothing_in(system):
    hot, book = hub(system), Book(first=UNBOUNDED)
    hot.run.drain()
    hot.subscribe(book)
    assert book.wait() == "complete"
    assert book.elements == []


def test_in_a_system_that_drains_nothing_is_taken_in_for_a_new_subscriber(system):
    publisher, book = system.publisher(Source.repeat(1)), Book(first=UNBOUNDED)
    system.drain()
    publisher.subscribe(book)
    assert book.wait() == "complete"
    assert book.elements == []


def test_a_run_whose_start_met_the_drain_of_its_system_ends(system):
    """As where ``drain`` comes between the look whether it may start and its entry."""
    graph = Source.repeat(1).to(Sink.list())
    system.drain()
    assert graph.start_on(system).result(SECONDS) == []


def test_a_run_without_a_sink_that_was_cancelled_says_so(system):
    hot, book = hub(system), Book(first=1)
    hot.subscribe(book)
    hot.run.cancel()
    assert isinstance(book.wait(), RunCancelled)
    with pytest.raises(RunCancelled):
        hot.run.result(SECONDS)
    assert hot.run.state == "cancelled"
