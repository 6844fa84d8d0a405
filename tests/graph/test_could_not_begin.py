# mypy: disable-error-code="attr-defined, union-attr"
"""A run that cannot be started: whoever subscribes, then or later, is told by a signal (1.9)."""

import threading

import pytest

from actors_rs import UNBOUNDED, ActorSystem, Flow, Source
from tests.graph.helpers import SECONDS, Book

REFUSED = "can't start new thread"


@pytest.fixture
def system(monkeypatch):
    """One that gets no thread for pinned stages."""
    start = threading.Thread.start

    def start_unless_pinned(thread):
        if "-pinned-" in thread.name:
            raise RuntimeError(REFUSED)
        start(thread)

    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        monkeypatch.setattr(threading.Thread, "start", start_unless_pinned)
        yield system


def pinned(flow):
    return flow.map(lambda n: n).with_attributes(dispatcher="pinned")


def publisher(system):
    return system.publisher(pinned(Source.repeat(1)).map(str))


def hub(system):
    return pinned(Source.repeat(1)).map(str).hub(system)


def processor(system):
    return system.processor(pinned(Flow()).map(str))


@pytest.mark.parametrize("make", [publisher, hub, processor])
def test_each_subscriber_hears_that_the_run_could_not_be_started(system, make):
    peer = make(system)
    for _ in range(2):
        book = Book(first=UNBOUNDED)
        peer.subscribe(book)
        assert REFUSED in str(book.wait())
        assert book.elements == []


def test_one_that_raises_when_it_is_refused_keeps_no_other_from_hearing_of_it(system):
    """Two that came while the stage of a hub ended, in a system that had just been shut down."""

    class Rude(Book):
        def on_subscribe(self, subscription):
            raise ValueError("not now")

    first, rude, polite = Book(first=1), Rude(), Book()
    hub = Source.repeat(1).hub(system)
    hub.subscribe(first)
    stopped = hub._stopped

    def come_late():
        hub._waiting += [rude, polite]
        system._closed = True
        stopped()

    hub._logic.when_stopped = come_late
    hub.run.cancel()
    assert "was shut down" in str(polite.wait())
    assert any(isinstance(letter.error, ValueError) for letter in system.dead_letters.recent())
