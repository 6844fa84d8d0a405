# ruff: noqa: E501 - the standard's ids are longer than a line
"""``SubscriberWhiteboxVerification``: the 27 tests of a Subscriber that lets itself be moved.

    class TestMine(SubscriberWhiteboxVerification):
        def create_subscriber(self, probe):
            return MySubscriber(probe)

The subscriber requests only on calls of its puppet, and reports every signal it processes:
``probe.register_on_subscribe(puppet)``, ``register_on_next(element)``, ``register_on_error(error)``,
``register_on_complete()``.
"""

from __future__ import annotations

from typing import Any

from actors_rs.protocol.interfaces import Subscriber
from actors_rs.testing.tck.probe import WhiteboxProbe
from actors_rs.testing.tck.subscriber_checks import Ending, Stage, SubscriberChecks
from actors_rs.testing.tck.verification import required, untested

__all__ = ["SubscriberWhiteboxVerification"]


class SubscriberWhiteboxVerification(SubscriberChecks):
    """Subclass it, give it ``create_subscriber(probe)``, and pytest finds its tests."""

    probe: WhiteboxProbe[Any]

    def create_subscriber(self, probe: WhiteboxProbe[Any]) -> Subscriber[Any]:
        """A fresh Subscriber that reports to ``probe``."""
        raise self.missing("create_subscriber(self, probe)", "which makes the Subscriber to test")

    def stage(self, begun: bool = True) -> Stage:
        self.probe = WhiteboxProbe(self.env)
        made = self.create_subscriber(self.probe)
        subscriber: Subscriber[Any] = self.made("create_subscriber", made, Subscriber, "Subscriber")
        stage = Stage(self.env, subscriber, self.create_element, self.probe.trigger_request)
        if begun:
            stage.upstream.begin()
        return stage

    @required()
    def test_required_exercise_whitebox_happy_path(self) -> None:
        """It asks when told, processes two elements, and cancels when told."""
        stage = self.stage()
        stage.expect_request("2.1")
        self.probe.expect_next(stage.send(), "2.1")
        self.probe.trigger_request(1)
        stage.upstream.expect_requests(2, "2.1")
        self.probe.expect_next(stage.send(), "2.1")
        self.probe.signal_cancel()
        stage.upstream.expect_cancel("2.6")

    @required("2.1")
    def test_required_spec201_must_signal_demand_via_subscription_request(self) -> None:
        """It asks for elements when told, and processes them."""
        stage = self.stage()
        stage.expect_request("2.1")
        self.probe.expect_next(stage.send(), "2.1")

    @untested("2.2")
    def test_untested_spec202_should_asynchronously_dispatch(self) -> None:
        """Not checked: a recommendation for slow subscribers only."""
        self.not_checked("rule 2.2 recommends; whether a subscriber is slow is not seen in advance")

    @required("2.3")
    def test_required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_complete(
        self,
    ) -> None:
        """``on_complete`` calls neither ``request`` nor ``cancel``."""
        self.check_no_calls_inside("on_complete")

    @required("2.3")
    def test_required_spec203_must_not_call_methods_on_subscription_or_publisher_in_on_error(
        self,
    ) -> None:
        """``on_error`` calls neither ``request`` nor ``cancel``."""
        self.check_no_calls_inside("on_error")

    @untested("2.4")
    def test_untested_spec204_must_consider_the_subscription_as_cancelled_in_after_recieving_on_complete_or_on_error(
        self,
    ) -> None:
        """After the end it leaves its subscription alone, also when told to ask."""
        self.check_no_calls_after(self.stage(), "on_complete")
        self.probe.expect_completion("2.4")
        stage = self.stage()
        self.check_no_calls_after(stage, "on_error")
        self.probe.expect_error(stage.error, "2.4")

    @required("2.5")
    def test_required_spec205_must_call_subscription_cancel_if_it_already_has_an_subscription_and_receives_another_on_subscribe_signal(
        self,
    ) -> None:
        """A second subscription is cancelled at once."""
        self.check_second_subscription(self.stage())

    @untested("2.6")
    def test_untested_spec206_must_call_subscription_cancel_if_it_is_no_longer_valid(self) -> None:
        """The subscriber cancels when its puppet is called to."""
        stage = self.stage()
        self.probe.signal_cancel()
        stage.upstream.expect_cancel("2.6")

    @untested("2.7")
    def test_untested_spec207_must_ensure_all_calls_on_its_subscription_take_place_from_the_same_thread_or_take_care_of_synchronization(
        self,
    ) -> None:
        """Its calls of the subscription do not overlap."""
        self.check_serial_calls(self.stage())

    @required("2.8")
    def test_required_spec208_must_be_prepared_to_receive_on_next_signals_after_having_called_subscription_cancel(
        self,
    ) -> None:
        """An element under way when it cancelled does no harm, nor do requests after that."""
        stage = self.stage()
        stage.expect_request("2.8")
        self.probe.signal_cancel()
        stage.upstream.expect_cancel("2.8")
        stage.send("2.8")
        self.probe.trigger_request(1)
        self.probe.trigger_request(1)
        stage.upstream.settle()

    @required("2.9")
    def test_required_spec209_must_be_prepared_to_receive_an_on_complete_signal_with_preceding_request_call(
        self,
    ) -> None:
        """It processes the completion after it has asked for elements."""
        self.check_processed_end("on_complete", "2.9", requested=True)

    @required("2.9")
    def test_required_spec209_must_be_prepared_to_receive_an_on_complete_signal_without_preceding_request_call(
        self,
    ) -> None:
        """It processes the completion right after ``on_subscribe``."""
        self.check_processed_end("on_complete", "2.9", requested=False)

    @required("2.10")
    def test_required_spec210_must_be_prepared_to_receive_an_on_error_signal_with_preceding_request_call(
        self,
    ) -> None:
        """It processes the very failure after it has asked for elements."""
        self.check_processed_end("on_error", "2.10", requested=True)

    @required("2.10")
    def test_required_spec210_must_be_prepared_to_receive_an_on_error_signal_without_preceding_request_call(
        self,
    ) -> None:
        """It processes the very failure right after ``on_subscribe``."""
        self.check_processed_end("on_error", "2.10", requested=False)

    @untested("2.11")
    def test_untested_spec211_must_make_sure_that_all_calls_on_its_methods_happen_before_the_processing_of_the_respective_events(
        self,
    ) -> None:
        """Not checked: needs a view of the subscriber's memory."""
        self.not_checked(
            "rule 2.11: what one thread sees of another's writes has no hook in Python"
        )

    @untested("2.12")
    def test_untested_spec212_must_not_call_on_subscribe_more_than_once_based_on_object_equality_spec_violation(
        self,
    ) -> None:
        """Not checked: the rule binds publishers."""
        self.not_checked("rule 2.12 binds the caller of on_subscribe; see 2.5 for the subscriber")

    @untested("2.13")
    def test_untested_spec213_failing_on_signal_invocation(self) -> None:
        """No signal raises, and all are processed in order."""
        stage = self.stage()
        stage.expect_request(
            "2.13", 2
        )  # one more than comes, for subscribers that look for the end
        element = stage.send()
        stage.end("on_complete")
        self.probe.expect_next(element, "2.13")
        self.probe.expect_completion("2.13")

    @required("2.13")
    def test_required_spec213_on_subscribe_must_throw_type_error_when_parameters_are_null(
        self,
    ) -> None:
        """``on_subscribe(None)`` raises ``TypeError``."""
        self.check_none("on_subscribe")

    @required("2.13")
    def test_required_spec213_on_next_must_throw_type_error_when_parameters_are_null(self) -> None:
        """``on_next(None)`` raises ``TypeError``."""
        self.check_none("on_next")

    @required("2.13")
    def test_required_spec213_on_error_must_throw_type_error_when_parameters_are_null(self) -> None:
        """``on_error(None)`` raises ``TypeError``."""
        self.check_none("on_error")

    @untested("3.1")
    def test_untested_spec301_must_not_be_called_outside_subscriber_context(self) -> None:
        """Not checked: what belongs to a subscriber is its own affair."""
        self.not_checked("rule 3.1: which threads belong to a subscriber is not seen from outside")

    @required("3.8")
    def test_required_spec308_request_must_register_given_number_elements_to_be_produced(
        self,
    ) -> None:
        """A demand of two lets two elements through, one after the other, and asking is silent."""
        stage = self.stage()
        self.probe.trigger_request(2)
        for number in (1, 2):
            stage.upstream.expect_requests(number, "3.8")
            self.probe.expect_next(stage.send(), "3.8")
        self.probe.expect_nothing("3.8", "beyond the elements that were sent")
        self.probe.trigger_request(3)
        self.probe.expect_nothing("3.8", "from demand alone")

    @untested("3.10")
    def test_untested_spec310_request_may_synchronously_call_on_next_on_subscriber(self) -> None:
        """It copes with elements that arrive inside ``request``."""
        stage = self.stage(begun=False)
        self.check_synchronous(stage, 3, self.probe.trigger_request, "3.10")
        for index in range(3):
            self.probe.expect_next(self.create_element(index), "3.10")

    @untested("3.11")
    def test_untested_spec311_request_may_synchronously_call_on_complete_or_on_error(self) -> None:
        """It copes with a completion that arrives inside ``request``."""
        stage = self.stage(begun=False)
        self.check_synchronous(stage, 1, self.probe.trigger_request, "3.11")
        self.probe.expect_next(self.create_element(0), "3.11")
        self.probe.expect_completion("3.11")

    @untested("3.14")
    def test_untested_spec314_cancel_may_cause_the_publisher_to_shutdown_if_no_other_subscription_exists(
        self,
    ) -> None:
        """Not checked: a permission for publishers."""
        self.not_checked("rule 3.14 permits something to publishers")

    @untested("3.15")
    def test_untested_spec315_cancel_must_not_throw_exception_and_must_signal_on_error(
        self,
    ) -> None:
        """Cancelling returns normally, twice, and nothing is processed after it."""
        self.stage()
        self.probe.signal_cancel()
        self.probe.signal_cancel()
        self.probe.expect_nothing("3.15", "from cancel")

    @untested("3.16")
    def test_untested_spec316_request_must_not_throw_exception_and_must_on_error_the_subscriber(
        self,
    ) -> None:
        """Requesting returns normally, and nothing is processed before an element comes."""
        self.stage()
        self.probe.trigger_request(1)
        self.probe.expect_nothing("3.16", "from request")

    def check_processed_end(self, ending: Ending, rule: str, requested: bool) -> None:
        """The end is accepted and reported, a failure as the very exception it is."""
        stage = self.check_end(ending, rule, requested)
        if ending == "on_complete":
            self.probe.expect_completion(rule)
        else:
            self.probe.expect_error(stage.error, rule)
