# mypy: disable-error-code="misc, arg-type, unused-ignore, import-untyped"
"""rsocket's Publishers and Subscribers, both ways, under the conformance kit."""

import asyncio
import sys

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import ArgumentTypeError, MissingExtraError
from actors_rs.interop.rsocket import from_rsocket, publisher_of, to_rsocket
from actors_rs.testing.tck import PublisherVerification
from tests.graph.helpers import SECONDS, run

pytest.importorskip("reactivestreams")
from reactivestreams.publisher import Publisher
from reactivestreams.subscriber import DefaultSubscriber
from reactivestreams.subscription import DefaultSubscription


class TestThereAndBack(PublisherVerification):
    """A stream of ours that is made one of theirs, and one of ours again."""

    @pytest.fixture(autouse=True)
    def _system(self):
        with ActorSystem() as self.system:
            yield

    def create_publisher(self, elements):
        ours = self.system.publisher(Source.range(0, elements))
        return publisher_of(to_rsocket(ours))

    def create_failed_publisher(self):
        return publisher_of(to_rsocket(self.system.publisher(Source.failed(ValueError("failed")))))


class Counting(Publisher):
    """Gives numbers as rsocket does: the last one says that it is the last."""

    def __init__(self, count):
        self.count = count
        self.requests: list[int] = []
        self.cancelled = False

    def subscribe(self, subscriber):
        outer, at = self, 0

        class Subscription(DefaultSubscription):
            def request(self, n):
                nonlocal at
                outer.requests.append(n)
                for _ in range(min(n, outer.count - at)):
                    at += 1
                    subscriber.on_next(at, at == outer.count)

            def cancel(self):
                outer.cancelled = True

        subscriber.on_subscribe(Subscription())


def test_the_last_element_may_say_that_it_is_the_last():
    publisher = Counting(10)
    source = from_rsocket(publisher).with_attributes(window=4)
    assert run(source.to(Sink.list())) == list(range(1, 11))
    assert max(publisher.requests) <= 4096


def test_their_publisher_is_called_on_its_event_loop():
    threads = set()

    class Noting(Counting):
        def subscribe(self, subscriber):
            threads.add(asyncio.get_running_loop())
            super().subscribe(subscriber)

    async def outside():
        source = from_rsocket(Noting(5))
        system = ActorSystem()
        result = await system.start(source.to(Sink.list()))
        await asyncio.to_thread(system.shutdown)
        return result, asyncio.get_running_loop()

    result, loop = asyncio.run(outside())
    assert result == [1, 2, 3, 4, 5]
    assert threads == {loop}


def test_their_subscriber_gets_what_it_requests_on_its_event_loop():
    async def main():
        seen, done = [], asyncio.Event()
        system = ActorSystem()
        subscriber = DefaultSubscriber(
            on_next=lambda value, is_complete: seen.append(value), on_complete=done.set
        )
        to_rsocket(system.publisher(Source.range(0, 3))).subscribe(subscriber)
        while subscriber.subscription is None:
            await asyncio.sleep(0)
        subscriber.subscription.request(3)
        await asyncio.wait_for(done.wait(), SECONDS)
        await asyncio.to_thread(system.shutdown)
        return seen

    assert asyncio.run(main()) == [0, 1, 2]


def test_what_is_no_publisher_is_refused_and_a_missing_library_is_named(monkeypatch):
    for call in (from_rsocket, to_rsocket):
        with pytest.raises(ArgumentTypeError, match="expected a Publisher, got 3"):
            call(3)
    monkeypatch.setitem(sys.modules, "reactivestreams.publisher", None)
    with ActorSystem() as system, pytest.raises(MissingExtraError, match=r"actors-rs\[rsocket\]"):
        to_rsocket(system.publisher(Source.of(1)))
