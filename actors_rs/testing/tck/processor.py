# ruff: noqa: E501 - the standard's ids are longer than a line
"""``IdentityProcessorVerification``: the 68 tests of a Processor that passes elements on.

    class TestMine(IdentityProcessorVerification):
        def create_identity_processor(self, buffer_size):
            return MyProcessor(buffer_size)

It has the tests of a publisher's verification, for the processor downstream of a publisher of the
kit. It has the tests of a subscriber's white-box verification, for the processor upstream of a
subscriber of the kit. It adds the rules that bind the two.
"""

from __future__ import annotations

from typing import Any

from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.protocol.interfaces import Processor, Publisher, Subscriber
from actors_rs.testing.reference import ReferencePublisher, ReferenceSubscriber
from actors_rs.testing.tck.environment import Failure, NotVerified
from actors_rs.testing.tck.manual import ManualSubscriber
from actors_rs.testing.tck.probe import WhiteboxProbe
from actors_rs.testing.tck.publisher import PublisherVerification
from actors_rs.testing.tck.subscriber_whitebox import SubscriberWhiteboxVerification
from actors_rs.testing.tck.upstream import Upstream
from actors_rs.testing.tck.verification import required
from actors_rs.texts import repr_of

__all__ = ["IdentityProcessorVerification"]


class IdentityProcessorVerification(PublisherVerification, SubscriberWhiteboxVerification):
    """Subclass it, give it ``create_identity_processor``, and pytest finds its tests."""

    processor_buffer_size: int = 16
    """Handed to ``create_identity_processor``."""

    max_supported_subscribers: int = UNBOUNDED
    """How many subscribers a processor takes; with 1, tests that need two are skipped."""

    joined: Processor[Any, Any]
    """The processor between an upstream and subscribers that a test moves."""

    def create_identity_processor(self, buffer_size: int) -> Processor[Any, Any]:
        """A fresh Processor that passes its elements on unchanged."""
        raise self.missing(
            "create_identity_processor(self, buffer_size)", "which makes the Processor to test"
        )

    def create_helper_publisher(self, elements: int) -> Publisher[Any]:
        """The publisher before the processor; it has to keep the rules itself."""
        return ReferencePublisher([self.create_element(index) for index in range(elements)])

    def create_publisher(self, elements: int) -> Publisher[Any]:
        processor = self.processor()
        publisher = self.create_helper_publisher(elements)
        promise = "rule 2.13: on_subscribe must return normally"
        self.env.call(promise, publisher.subscribe, processor)
        return processor

    def create_failed_publisher(self) -> Publisher[Any] | None:
        processor = self.processor()
        publisher = ReferencePublisher[Any](error=RuntimeError("the kit fails the stream"))
        promise = "rule 2.13: on_error must return normally"
        self.env.call(promise, publisher.subscribe, processor)
        return processor

    def create_subscriber(self, probe: WhiteboxProbe[Any]) -> Subscriber[Any]:
        processor = self.processor()
        promise = "rule 1.9: subscribe must return normally"
        self.env.call(promise, processor.subscribe, ReferenceSubscriber(probe=probe))
        return processor

    def processor(self) -> Processor[Any, Any]:
        """The processor under test."""
        made = self.create_identity_processor(self.processor_buffer_size)
        processor: Processor[Any, Any] = self.made(
            "create_identity_processor", made, Processor, "Processor"
        )
        return processor

    @required("1.4")
    def test_required_spec104_must_call_on_error_on_all_its_subscribers_if_it_encounters_a_non_recoverable_error(
        self,
    ) -> None:
        """A failure of the upstream reaches both subscribers, as the very same exception."""
        self.need_two_subscribers()
        upstream, subscribers = self.between(2)
        error = RuntimeError("the kit fails the stream")
        upstream.fail(error)
        for subscriber in subscribers:
            self.expect_very_error(subscriber, error, "1.4")

    @required("4.2")
    def test_must_immediately_pass_on_on_error_events_received_from_its_upstream_to_its_downstream(
        self,
    ) -> None:
        """A failure reaches a subscriber that has requested nothing, as the very same exception."""
        upstream, (subscriber,) = self.between(1)
        error = RuntimeError("the kit fails the stream")
        upstream.fail(error)
        self.expect_very_error(subscriber, error, "4.2")

    @required("2.1")
    def test_required_must_request_from_upstream_for_elements_that_have_been_requested_long_ago(
        self,
    ) -> None:
        """The old demand of one subscriber is still asked for after a second one has joined."""
        self.need_two_subscribers()
        upstream, (first,) = self.between(1)
        first.request(20)
        for index in range(2):
            upstream.expect_requests(index + 1, "2.1")
            self.pass_on(upstream, index, first)
        upstream.expect_requests(3, "2.1")
        second = self.join("the second subscriber")
        second.expect_subscription()
        upstream.send(self.create_element(2))
        second.expect_nothing("1.1", "while it has requested nothing")
        second.request(1)
        for subscriber in (first, second):
            self.expect_element(subscriber, 2)
        upstream.expect_requests(4, "2.1")
        upstream.complete()

    def need_two_subscribers(self) -> None:
        """Skip the test for a processor that takes one subscriber."""
        most = self.max_supported_subscribers
        if most < 2:
            raise NotVerified(f"needs max_supported_subscribers of 2 or more, it is {most}")

    def between(self, subscribers: int) -> tuple[Upstream, list[ManualSubscriber[Any]]]:
        """A processor between an upstream and subscribers that the test moves."""
        processor = self.processor()
        upstream = Upstream(self.env, processor, "the processor")
        self.joined = processor
        names = [f"subscriber {number}" for number in range(1, subscribers + 1)]
        joined = [self.join(name) for name in names]
        upstream.begin()
        for subscriber in joined:
            subscriber.expect_subscription()
        return upstream, joined

    def join(self, name: str) -> ManualSubscriber[Any]:
        """One more subscriber of the processor."""
        subscriber: ManualSubscriber[Any] = ManualSubscriber(self.env, name)
        self.subscribe(self.joined, subscriber)
        return subscriber

    def pass_on(self, upstream: Upstream, index: int, subscriber: ManualSubscriber[Any]) -> None:
        """Send an element and wait for it at the other end."""
        upstream.send(self.create_element(index))
        self.expect_element(subscriber, index)

    def expect_element(self, subscriber: ManualSubscriber[Any], index: int) -> None:
        """This element comes next, unchanged."""
        wanted, came = self.create_element(index), subscriber.expect_next("4.1")
        if came != wanted:
            raise Failure(
                f"{subscriber.name} expected element {repr_of(wanted)} unchanged, got {repr_of(came)}"
            )

    def expect_very_error(
        self, subscriber: ManualSubscriber[Any], error: BaseException, rule: str
    ) -> None:
        """The failure comes, and it is this exception itself."""
        came = subscriber.expect_error(rule=rule)
        if came is not error:
            raise Failure(
                f"rule {rule}: {subscriber.name} expected the very {repr_of(error)}, got {repr_of(came)}"
            )
