# ruff: noqa: E501 - the standard's ids are longer than a line
"""Tests of a Publisher with several subscribers (1.10, 1.11); all of them are optional."""

from __future__ import annotations

from typing import Any

from actors_rs.testing.tck.environment import Failure
from actors_rs.testing.tck.manual import ManualSubscriber
from actors_rs.testing.tck.publisher_base import PublisherBase
from actors_rs.testing.tck.verification import optional, untested

__all__ = ["MulticastTests"]

PACES = ((1, 1, 2, 1), (2, 3), (3, 1, 1))  # three ways of asking for five elements


class MulticastTests(PublisherBase):
    """Two or three subscribers at one publisher."""

    @untested("1.10")
    def test_untested_spec110_reject_a_subscription_request_if_the_same_subscriber_subscribes_twice(
        self,
    ) -> None:
        """Not checked: the rule binds the one who subscribes."""
        self.not_checked(
            "rule 1.10 binds the caller of subscribe; a publisher need not notice a repetition"
        )

    @optional("1.11")
    def test_optional_spec111_may_support_multi_subscribe(self) -> None:
        """Two subscribers can subscribe, and neither is refused."""
        for subscriber in self.several(2, elements=1):
            subscriber.expect_nothing("1.11", "while nothing is requested")

    @optional("1.11")
    def test_optional_spec111_registered_subscribers_must_receive_on_next_or_on_complete_signals(
        self,
    ) -> None:
        """Each of two subscribers of one element gets it, or the completion."""
        both = self.several(2, elements=1)
        for subscriber in both:
            subscriber.request(1)
        for subscriber in both:
            subscriber.expect_end_or_next("1.11")

    @optional("1.11")
    def test_optional_spec111_multicast_must_produce_the_same_elements_in_the_same_sequence_to_all_of_its_subscribers_when_requesting_one_by_one(
        self,
    ) -> None:
        """Three subscribers that ask at their own paces see the same elements, then the end."""
        three = self.several(3, elements=5, completes=True)
        for step in range(max(map(len, PACES))):
            for subscriber, pace in zip(three, PACES, strict=True):
                if step < len(pace):
                    subscriber.request(pace[step])
        self.same_elements(three, 5, completes=True)

    @optional("1.11")
    def test_optional_spec111_multicast_must_produce_the_same_elements_in_the_same_sequence_to_all_of_its_subscribers_when_requesting_many_upfront(
        self,
    ) -> None:
        """Three subscribers that ask for all at once see the same elements."""
        self.check_upfront(completes=False)

    @optional("1.11")
    def test_optional_spec111_multicast_must_produce_the_same_elements_in_the_same_sequence_to_all_of_its_subscribers_when_requesting_many_upfront_and_complete_as_expected(
        self,
    ) -> None:
        """As before, and all three receive the end."""
        self.check_upfront(completes=True)

    def check_upfront(self, completes: bool) -> None:
        """Three subscribers ask for four of three elements."""
        three = self.several(3, elements=3, completes=completes)
        for subscriber in three:
            subscriber.request(4)
        self.same_elements(three, 3, completes)

    def several(
        self, count: int, elements: int, completes: bool = False
    ) -> list[ManualSubscriber[Any]]:
        """Subscribers of one fresh publisher, all subscribed before any of them asks."""
        self.need(elements, completes)
        publisher = self.publisher(elements)
        subscribers = [
            ManualSubscriber[Any](self.env, f"subscriber {number}")
            for number in range(1, count + 1)
        ]
        for subscriber in subscribers:
            self.subscribe(publisher, subscriber)
            subscriber.expect_subscription()
        return subscribers

    def same_elements(
        self, subscribers: list[ManualSubscriber[Any]], elements: int, completes: bool
    ) -> None:
        """All of them get equal elements in one order.

        One more is requested for the end: many a publisher sees its end only on demand.
        """
        first, *others = [one.expect_elements(elements, "1.11") for one in subscribers]
        for other in others:
            if other != first:
                raise Failure(f"rule 1.11: one subscriber got {first}, another one {other}")
        if completes:
            for subscriber in subscribers:
                subscriber.request(1)
                subscriber.expect_completion("1.11")
