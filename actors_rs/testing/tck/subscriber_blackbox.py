# ruff: noqa: E501 - the standard's ids are longer than a line
"""``SubscriberBlackboxVerification``: the 26 tests of a Subscriber seen from outside.

class TestMine(SubscriberBlackboxVerification):
    def create_subscriber(self):
        return MySubscriber()
"""

from __future__ import annotations

from functools import partial
from typing import Any

from actors_rs.protocol.interfaces import Subscriber
from actors_rs.testing.tck.subscriber_checks import Stage, SubscriberChecks
from actors_rs.testing.tck.verification import required, untested

__all__ = ["SubscriberBlackboxVerification"]


class SubscriberBlackboxVerification(SubscriberChecks):
    """Subclass it, give it ``create_subscriber``, and pytest finds its tests."""

    def create_subscriber(self) -> Subscriber[Any]:
        """A fresh Subscriber."""
        raise self.missing("create_subscriber(self)", "which makes the Subscriber to test")

    def trigger_request(self, subscriber: Any, n: int) -> None:
        """Make it ask for ``n`` elements; needed only for one that does not by itself."""

    def ask(self, subscriber: Any, n: int) -> None:
        """Call ``trigger_request``, which has to return in time."""
        with self.env.under_way(f"trigger_request({n}) must return in time"):
            self.trigger_request(subscriber, n)

    def stage(self, begun: bool = True) -> Stage:
        made = self.create_subscriber()
        subscriber: Subscriber[Any] = self.made("create_subscriber", made, Subscriber, "Subscriber")
        ask = partial(self.ask, subscriber)
        stage = Stage(self.env, subscriber, self.create_element, ask)
        if begun:
            stage.upstream.begin()
        return stage

    @required("2.1")
    def test_required_spec201_blackbox_must_signal_demand_via_subscription_request(self) -> None:
        """It asks for elements, and takes those it asked for."""
        stage = self.stage()
        stage.send_requested(stage.expect_request("2.1"))

    @untested("2.2")
    def test_untested_spec202_blackbox_should_asynchronously_dispatch(self) -> None:
        """Not checked: a recommendation for slow subscribers only."""
        self.not_checked("rule 2.2 recommends; whether a subscriber is slow is not seen in advance")

    @required("2.3")
    def test_required_spec203_blackbox_must_not_call_methods_on_subscription_or_publisher_in_on_complete(
        self,
    ) -> None:
        """``on_complete`` calls neither ``request`` nor ``cancel``."""
        self.check_no_calls_inside("on_complete")

    @required("2.3")
    def test_required_spec203_blackbox_must_not_call_methods_on_subscription_or_publisher_in_on_error(
        self,
    ) -> None:
        """``on_error`` calls neither ``request`` nor ``cancel``."""
        self.check_no_calls_inside("on_error")

    @untested("2.4")
    def test_untested_spec204_blackbox_must_consider_the_subscription_as_cancelled_in_after_recieving_on_complete_or_on_error(
        self,
    ) -> None:
        """After the end it leaves its subscription alone."""
        self.check_no_calls_after(self.stage(), "on_complete")
        self.check_no_calls_after(self.stage(), "on_error")

    @required("2.5")
    def test_required_spec205_blackbox_must_call_subscription_cancel_if_it_already_has_an_subscription_and_receives_another_on_subscribe_signal(
        self,
    ) -> None:
        """A second subscription is cancelled at once."""
        self.check_second_subscription(self.stage())

    @untested("2.6")
    def test_untested_spec206_blackbox_must_call_subscription_cancel_if_it_is_no_longer_valid(
        self,
    ) -> None:
        """Not checked: only the subscriber knows."""
        self.not_checked("rule 2.6: only the subscriber knows when it needs no more elements")

    @untested("2.7")
    def test_untested_spec207_blackbox_must_ensure_all_calls_on_its_subscription_take_place_from_the_same_thread_or_take_care_of_synchronization(
        self,
    ) -> None:
        """Its calls of the subscription do not overlap."""
        self.check_serial_calls(self.stage())

    @untested("2.8")
    def test_untested_spec208_blackbox_must_be_prepared_to_receive_on_next_signals_after_having_called_subscription_cancel(
        self,
    ) -> None:
        """Not checked: it cannot be made to cancel from outside."""
        self.not_checked("rule 2.8 needs a subscriber that cancels when told: see the white box")

    @required("2.9")
    def test_required_spec209_blackbox_must_be_prepared_to_receive_an_on_complete_signal_with_preceding_request_call(
        self,
    ) -> None:
        """It takes the completion after it has asked for elements."""
        self.check_end("on_complete", "2.9", requested=True)

    @required("2.9")
    def test_required_spec209_blackbox_must_be_prepared_to_receive_an_on_complete_signal_without_preceding_request_call(
        self,
    ) -> None:
        """It takes the completion right after ``on_subscribe``."""
        self.check_end("on_complete", "2.9", requested=False)

    @required("2.10")
    def test_required_spec210_blackbox_must_be_prepared_to_receive_an_on_error_signal_with_preceding_request_call(
        self,
    ) -> None:
        """It takes a failure after it has asked for elements."""
        self.check_end("on_error", "2.10", requested=True)

    @required("2.10")
    def test_required_spec210_blackbox_must_be_prepared_to_receive_an_on_error_signal_without_preceding_request_call(
        self,
    ) -> None:
        """It takes a failure right after ``on_subscribe``."""
        self.check_end("on_error", "2.10", requested=False)

    @untested("2.11")
    def test_untested_spec211_blackbox_must_make_sure_that_all_calls_on_its_methods_happen_before_the_processing_of_the_respective_events(
        self,
    ) -> None:
        """Not checked: needs a view of the subscriber's memory."""
        self.not_checked(
            "rule 2.11: what one thread sees of another's writes has no hook in Python"
        )

    @untested("2.12")
    def test_untested_spec212_blackbox_must_not_call_on_subscribe_more_than_once_based_on_object_equality(
        self,
    ) -> None:
        """Not checked: the rule binds publishers."""
        self.not_checked("rule 2.12 binds the caller of on_subscribe; see 2.5 for the subscriber")

    @untested("2.13")
    def test_untested_spec213_blackbox_failing_on_signal_invocation(self) -> None:
        """No signal raises."""
        self.check_returns_normally(self.stage())

    @required("2.13")
    def test_required_spec213_blackbox_on_subscribe_must_throw_type_error_when_parameters_are_null(
        self,
    ) -> None:
        """``on_subscribe(None)`` raises ``TypeError``."""
        self.check_none("on_subscribe")

    @required("2.13")
    def test_required_spec213_blackbox_on_next_must_throw_type_error_when_parameters_are_null(
        self,
    ) -> None:
        """``on_next(None)`` raises ``TypeError``."""
        self.check_none("on_next")

    @required("2.13")
    def test_required_spec213_blackbox_on_error_must_throw_type_error_when_parameters_are_null(
        self,
    ) -> None:
        """``on_error(None)`` raises ``TypeError``."""
        self.check_none("on_error")

    @untested("3.1")
    def test_untested_spec301_blackbox_must_not_be_called_outside_subscriber_context(self) -> None:
        """Not checked: what belongs to a subscriber is its own affair."""
        self.not_checked("rule 3.1: which threads belong to a subscriber is not seen from outside")

    @untested("3.8")
    def test_untested_spec308_blackbox_request_must_register_given_number_elements_to_be_produced(
        self,
    ) -> None:
        """Not checked: it asks for as much as it likes."""
        self.not_checked("rule 3.8 needs a subscriber that asks when told: see the white box")

    @untested("3.10")
    def test_untested_spec310_blackbox_request_may_synchronously_call_on_next_on_subscriber(
        self,
    ) -> None:
        """It copes with elements that arrive inside ``request``."""
        stage = self.stage(begun=False)
        self.check_synchronous(stage, 3, partial(self.ask, stage.subscriber), "3.10")

    @untested("3.11")
    def test_untested_spec311_blackbox_request_may_synchronously_call_on_complete_or_on_error(
        self,
    ) -> None:
        """It copes with a completion that arrives inside ``request``."""
        stage = self.stage(begun=False)
        self.check_synchronous(stage, 1, partial(self.ask, stage.subscriber), "3.11")

    @untested("3.14")
    def test_untested_spec314_blackbox_cancel_may_cause_the_publisher_to_shutdown_if_no_other_subscription_exists(
        self,
    ) -> None:
        """Not checked: a permission for publishers."""
        self.not_checked("rule 3.14 permits something to publishers")

    @untested("3.15")
    def test_untested_spec315_blackbox_cancel_must_not_throw_exception_and_must_signal_on_error(
        self,
    ) -> None:
        """Not checked: the rule binds the subscription, which is the kit's."""
        self.not_checked("rule 3.15 binds the subscription, which here is the kit's own")

    @untested("3.16")
    def test_untested_spec316_blackbox_request_must_not_throw_exception_and_must_on_error_the_subscriber(
        self,
    ) -> None:
        """Not checked: the rule binds the subscription, which is the kit's."""
        self.not_checked("rule 3.16 binds the subscription, which here is the kit's own")
