# ruff: noqa: E501 - the standard's ids are longer than a line
"""Tests of the Subscription that a Publisher gives out (3.2 to 3.17)."""

from __future__ import annotations

import weakref
from typing import Any

from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.runtime._primitives import random_bits
from actors_rs.testing.tck.environment import Failure
from actors_rs.testing.tck.manual import ManualSubscriber
from actors_rs.testing.tck.publisher_base import (
    AsksInside,
    AsksTooMuch,
    CountsDepth,
    PublisherBase,
)
from actors_rs.testing.tck.verification import optional, required, untested
from actors_rs.texts import repr_of

__all__ = ["SubscriptionTests"]

WORDS_OF_3_9 = ("3.9", "non-positive subscription request", "negative subscription request")


class SubscriptionTests(PublisherBase):
    """``request`` and ``cancel``, inside signals, too late, too little and too much."""

    @required("3.2")
    def test_required_spec302_must_allow_synchronous_request_calls_from_on_next_and_on_subscribe(
        self,
    ) -> None:
        """Requests made inside ``on_subscribe`` and ``on_next`` count like any other, and add up."""
        self.need(6)
        for wanted in ((3, 1, 1, 1), (3,), (1, 3)):
            subscriber = AsksInside(self.env, *wanted)
            self.subscribe(self.publisher(6), subscriber)
            subscriber.expect_subscription()
            subscriber.expect_elements(sum(wanted), "3.2")
            subscriber.cancel()

    @required("3.3")
    def test_required_spec303_must_not_allow_unbounded_recursion(self) -> None:
        """A request inside ``on_next`` does not call ``on_next`` again without bound."""
        bound = self.bounded_depth_of_on_next_and_request_recursion
        self.need(bound + 1)
        subscriber = CountsDepth(self.env, bound)
        self.subscribe(self.publisher(bound + 1), subscriber)
        subscriber.expect_subscription()
        subscriber.request(1)
        subscriber.expect_elements(bound + 1, "3.3")

    @untested("3.4")
    def test_untested_spec304_request_should_not_perform_heavy_computations(self) -> None:
        """``request`` comes back while its elements may still be on their way."""
        subscriber = self.subscribed(1)
        promise = "rule 3.4: request must return in time"
        self.env.returns_in_time(promise, subscriber.request, 1)

    @untested("3.5")
    def test_untested_spec305_cancel_must_not_synchronously_perform_heavy_computation(self) -> None:
        """``cancel`` comes back at once."""
        subscriber = self.subscribed(1)
        self.env.returns_in_time("rule 3.5: cancel must return in time", subscriber.cancel)

    @required("3.6")
    def test_required_spec306_after_subscription_is_cancelled_request_must_be_nops(self) -> None:
        """Requests of one that cancelled bring nothing."""
        subscriber = self.subscribed(3)
        subscriber.cancel()
        for _ in range(3):
            subscriber.request(1)
        subscriber.expect_nothing("3.6", "from request after cancel")

    @required("3.7")
    def test_required_spec307_after_subscription_is_cancelled_additional_cancelations_must_be_nops(
        self,
    ) -> None:
        """Cancelling again has no effect."""
        subscriber = self.subscribed(1)
        subscriber.cancel()
        cancel = subscriber.subscription.cancel
        for _ in range(2):
            self.env.call("rule 3.7: cancelling again must be a no-op", cancel)
        subscriber.expect_nothing("3.7", "from cancelling again")

    @required("3.9")
    def test_required_spec309_request_zero_must_signal_on_error(self) -> None:
        """``request(0)`` ends the stream with a ``ValueError``."""
        self.refused_request(0)

    @required("3.9")
    def test_required_spec309_request_negative_number_must_signal_on_error(self) -> None:
        """A negative request ends the stream with a ``ValueError``."""
        self.refused_request(-1 - random_bits(31))

    @optional("3.9")
    def test_optional_spec309_request_negative_number_may_signal_on_error_with_specific_message(
        self,
    ) -> None:
        """The error's message names the rule, or says what is wrong in the standard's terms."""
        message = str(self.refused_request(-1 - random_bits(31)))
        if not any(words in message for words in WORDS_OF_3_9):
            raise Failure(
                f"rule 3.9: the error's message should hold one of {', '.join(WORDS_OF_3_9)}, "
                f"it is {repr_of(message)}"
            )

    @required("3.12")
    def test_required_spec312_cancel_must_make_the_publisher_to_eventually_stop_signaling(
        self,
    ) -> None:
        """After cancelling, signals stop, and never exceed what was requested."""
        subscriber = self.subscribed(20)
        subscriber.request(10)
        subscriber.request(5)
        subscriber.expect_next("3.12")
        subscriber.cancel()
        signals = subscriber.log.signals
        self.env.wait_for_quiet(
            lambda: len(signals), "rule 3.12: signals must stop after cancel, they have not"
        )
        if (came := len(subscriber.elements)) > 15:
            raise Failure(f"rule 3.12: 15 elements were requested, then cancelled, {came} came")

    @required("3.13")
    def test_required_spec313_cancel_must_make_the_publisher_eventually_drop_all_references_to_the_subscriber(
        self,
    ) -> None:
        """Nothing keeps a subscriber alive that has cancelled, while the publisher lives on."""
        self.need(3)
        publisher = self.publisher(3)
        reference = self.subscribe_and_cancel(publisher)
        self.env.wait_until_dropped(
            reference, "rule 3.13: after cancel nothing may refer to the subscriber"
        )
        del publisher  # not before: only a publisher that lives can be blamed

    @required("3.17")
    def test_required_spec317_must_support_a_pending_element_count_up_to_long_max_value(
        self,
    ) -> None:
        """A request without bound gives all elements."""
        self.check_huge_demand(UNBOUNDED)

    @required("3.17")
    def test_required_spec317_must_support_a_cumulative_pending_element_count_up_to_long_max_value(
        self,
    ) -> None:
        """Requests that add up to no bound give all elements."""
        self.check_huge_demand(UNBOUNDED // 2, UNBOUNDED // 2, 1)

    @required("3.17")
    def test_required_spec317_must_not_signal_on_error_when_pending_above_long_max_value(
        self,
    ) -> None:
        """Demand that would exceed the bound is no error."""
        self.need(20)
        subscriber = AsksTooMuch(self.env)
        self.subscribe(self.publisher(20), subscriber)
        subscriber.expect_subscription()
        subscriber.request(1)
        subscriber.expect_elements(11, "3.17")

    def check_huge_demand(self, *requests: int) -> None:
        """Three elements and the end, for requests of any size."""
        subscriber = self.subscribed(3, completes=True)
        for n in requests:
            subscriber.request(n)
        subscriber.expect_elements(3, "3.17")
        subscriber.expect_completion("3.17")

    def refused_request(self, n: int) -> BaseException:
        """The error that a request of ``n`` below 1 ends in."""
        subscriber = self.subscribed(10)
        subscriber.request(n)
        return subscriber.expect_error(ValueError, "3.9")

    def subscribe_and_cancel(self, publisher: Any) -> weakref.ref[Any]:
        """A subscriber that took one element and cancelled; only a weak reference is left."""
        subscriber: ManualSubscriber[Any] = ManualSubscriber(self.env)
        self.subscribe(publisher, subscriber)
        subscriber.expect_subscription()
        subscriber.request_next("3.13")
        subscriber.cancel()
        return weakref.ref(subscriber)
