# mypy: disable-error-code="arg-type, union-attr, var-annotated"
"""A publisher whose subscription comes while its stage is ending hears that nobody wants it."""

import contextlib
import threading

from actors_rs import ActorSystem, Sink, Source
from tests.graph.helpers import SECONDS, Feed, wait_until


class LateFeed(Feed):
    """A publisher that gives its subscription when it is told to."""

    def subscribe(self, subscriber):
        self.subscriber = subscriber

    def give(self):
        self.subscriber.on_subscribe(self)


@contextlib.contextmanager
def nobody_runs(system):
    """In this block the one thread of ``system`` is held by a function of the user's."""
    held, go_on = threading.Event(), threading.Event()

    def hold(_):
        held.set()
        assert go_on.wait(SECONDS)

    holding = system.start(Source.of(1).to(Sink.for_each(hold)))
    assert held.wait(SECONDS)
    try:
        yield
    finally:
        go_on.set()
        assert holding.wait(SECONDS)


def one_thread():
    return ActorSystem(workers=1, max_workers=1, shutdown_timeout=SECONDS)


def test_a_run_drained_before_its_first_turn_takes_nothing_from_a_publisher_and_ends():
    feed = Feed()
    with one_thread() as system:
        with nobody_runs(system):
            run = system.start(Source.from_publisher(feed).to(Sink.list()))
            run.drain()
        assert run.result(SECONDS) == []
    assert feed.cancelled.is_set()


def test_an_inner_stream_of_a_publisher_begun_in_a_run_that_drains_ends_too():
    feed, begun, go_on = Feed(), threading.Event(), threading.Event()

    def inner(_):
        begun.set()
        assert go_on.wait(SECONDS)
        return Source.from_publisher(feed)

    with ActorSystem(shutdown_timeout=SECONDS) as system:
        run = system.start(Source.of(1).flat_map(inner, breadth=2).to(Sink.list()))
        assert begun.wait(SECONDS)
        run.drain()
        go_on.set()
        assert run.result(SECONDS) == []
    assert feed.cancelled.is_set()


def test_a_subscription_that_comes_while_a_run_drains_is_cancelled():
    feed = LateFeed()
    with one_thread() as system:
        run = system.start(Source.from_publisher(feed).to(Sink.list()))
        wait_until(lambda: feed.subscriber is not None)
        with nobody_runs(system):
            run.drain()
            feed.give()
        assert run.result(SECONDS) == []
    assert feed.cancelled.is_set()
    assert feed.requests == []


def test_a_subscription_that_the_ending_stage_does_not_come_to_is_cancelled():
    feed = LateFeed()
    with one_thread() as system:
        run = system.start(Source.from_publisher(feed).to(Sink.list()))
        wait_until(lambda: feed.subscriber is not None)
        stages = [stage for island in system.children() for stage in island.planned]
        stage = next(one for one in stages if one.kind == "from_publisher")
        stage.logic.stop = lambda _: feed.give()  # its last act, behind the last look at its mail
        run.cancel()
        assert run.wait(SECONDS)
    assert feed.cancelled.is_set()
