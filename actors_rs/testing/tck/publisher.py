# ruff: noqa: E501 - the standard's ids are longer than a line
"""``PublisherVerification``: the 38 tests of a Publisher.

    class TestMine(PublisherVerification):
        def create_publisher(self, elements):
            return MyPublisher(range(elements))

Here: how many elements come, how the stream ends, and how it is subscribed to (1.1 to 1.9). Several
subscribers (1.10, 1.11) and the Subscription (3.x) have modules of their own.
"""

from __future__ import annotations

from actors_rs.testing.tck.environment import Failure
from actors_rs.testing.tck.manual import ManualSubscriber
from actors_rs.testing.tck.publisher_base import Lingering, PublisherBase
from actors_rs.testing.tck.publisher_multicast import MulticastTests
from actors_rs.testing.tck.publisher_subscription import SubscriptionTests
from actors_rs.testing.tck.verification import optional, required, stochastic, untested
from actors_rs.texts import repr_of

__all__ = ["PublisherVerification"]


class PublisherVerification(SubscriptionTests, MulticastTests, PublisherBase):
    """Subclass it, give it ``create_publisher``, and pytest finds its tests."""

    @required()
    def test_required_validate_max_elements_from_publisher(self) -> None:
        """The declared number of elements is not negative."""
        most = self.max_elements_from_publisher
        if most < 0:
            raise Failure(f"max_elements_from_publisher needs 0 or more, got {most}")

    @required()
    def test_required_validate_bounded_depth_of_on_next_and_request_recursion(self) -> None:
        """The declared depth of recursion is at least 1."""
        depth = self.bounded_depth_of_on_next_and_request_recursion
        if depth < 1:
            raise Failure(
                f"bounded_depth_of_on_next_and_request_recursion needs 1 or more, got {depth}"
            )

    @required()
    def test_required_create_publisher1_must_produce_a_stream_of_exactly1_element(self) -> None:
        """``create_publisher(1)`` makes one element, then completes."""
        self.check_exact_number(1)

    @required()
    def test_required_create_publisher3_must_produce_a_stream_of_exactly3_elements(self) -> None:
        """``create_publisher(3)`` makes three elements, then completes."""
        self.check_exact_number(3)

    @required("1.1")
    def test_required_spec101_subscription_request_must_result_in_the_correct_number_of_produced_elements(
        self,
    ) -> None:
        """No element before a request, and as many as were requested after it."""
        subscriber = self.subscribed(5)
        subscriber.expect_nothing("1.1", "before any request")
        subscriber.request_next()
        subscriber.expect_nothing("1.1", "beyond the 1 element requested")
        subscriber.request(1)
        subscriber.request(2)
        subscriber.expect_elements(3)
        subscriber.expect_nothing("1.1", "beyond the 4 elements requested")

    @required("1.2")
    def test_required_spec102_may_signal_less_than_requested_and_terminate_subscription(
        self,
    ) -> None:
        """Three elements although ten were requested, then the end."""
        subscriber = self.subscribed(3, completes=True)
        subscriber.request(10)
        subscriber.expect_elements(3, "1.2")
        subscriber.expect_completion("1.2")

    @stochastic("1.3")
    def test_stochastic_spec103_must_signal_on_methods_sequentially(self) -> None:
        """A hundred streams in which a signal lingers, so that another one could overlap with it."""
        self.need(10)
        for _ in range(self.stochastic_streams):
            subscriber = Lingering(self.env)
            self.subscribe(self.publisher(10), subscriber)
            subscriber.expect_subscription()
            for n in (1, 2, 3, 4):
                subscriber.request(n)
            subscriber.expect_elements(10, "1.3")
            self.env.verify_no_async_errors()

    @optional("1.4")
    def test_optional_spec104_must_signal_on_error_when_fails(self) -> None:
        """A failed publisher says so with ``on_error``, without any request."""
        self.check_failed_publisher("1.4")

    @required("1.5")
    def test_required_spec105_must_signal_on_complete_when_finite_stream_terminates(self) -> None:
        """Three elements, one at a time, then ``on_complete`` and silence.

        One more is requested than there are: many a publisher sees its end only when it looks.
        """
        subscriber = self.subscribed(3, completes=True)
        for _ in range(3):
            subscriber.request_next("1.5")
        subscriber.request(1)
        subscriber.expect_completion("1.5")
        subscriber.expect_nothing("1.7", "after on_complete")

    @optional("1.5")
    def test_optional_spec105_empty_stream_must_terminate_by_signalling_on_complete(self) -> None:
        """A stream without elements completes."""
        subscriber = self.subscribed(0, completes=True)
        subscriber.request(1)
        subscriber.expect_completion("1.5")
        subscriber.expect_nothing("1.7", "after on_complete")

    @untested("1.6")
    def test_untested_spec106_must_consider_subscription_cancelled_after_on_error_or_on_complete_has_been_called(
        self,
    ) -> None:
        """After the end even a request that is wrong is a no-op, and so is cancelling."""
        subscriber = self.subscribed(1, completes=True)
        subscriber.request(2)
        subscriber.expect_next("1.6")
        subscriber.expect_completion("1.6")
        subscriber.request(0)
        subscriber.cancel()
        subscriber.expect_nothing("1.6", "from request(0) after on_complete")

    @required("1.7")
    def test_required_spec107_must_not_emit_further_signals_once_on_complete_has_been_signalled(
        self,
    ) -> None:
        """Further requests bring nothing after ``on_complete``."""
        subscriber = self.subscribed(1, completes=True)
        subscriber.request(10)
        subscriber.expect_next("1.7")
        subscriber.expect_completion("1.7")
        subscriber.request(10)
        subscriber.expect_nothing("1.7", "after on_complete")

    @untested("1.7")
    def test_untested_spec107_must_not_emit_further_signals_once_on_error_has_been_signalled(
        self,
    ) -> None:
        """Further requests bring nothing after an ``on_error`` provoked by ``request(0)``."""
        subscriber = self.subscribed(3)
        subscriber.request(0)
        subscriber.expect_error(rule="1.7")
        subscriber.request(10)
        subscriber.expect_nothing("1.7", "after on_error")

    @untested("1.8")
    def test_untested_spec108_possibly_canceled_subscription_should_not_receive_on_error_or_on_complete_signals(
        self,
    ) -> None:
        """One that cancelled in the middle, with nothing requested any more, is left alone."""
        subscriber = self.subscribed(3)
        subscriber.request_next("1.8")
        subscriber.cancel()
        subscriber.expect_nothing("1.8", "after cancel")

    @untested("1.9")
    def test_untested_spec109_subscribe_should_not_throw_non_fatal_throwable(self) -> None:
        """``subscribe`` returns normally, also on a failed publisher where there is one."""
        publisher = self.failed_publisher_or_none() or self.publisher(1)
        self.subscribe(publisher, ManualSubscriber(self.env))

    @required("1.9")
    def test_required_spec109_subscribe_throw_type_error_on_null_subscriber(self) -> None:
        """``subscribe(None)`` raises ``TypeError``."""
        publisher = self.publisher(0)
        try:
            with self.env.under_way("rule 1.9: subscribe(None) must raise TypeError"):
                publisher.subscribe(None)  # type: ignore[arg-type]
        except TypeError:
            return
        except BaseException as error:  # an exit breaks the rule as well
            came = f"it raised {repr_of(error)}"
        else:
            came = "it returned"
        raise Failure(f"rule 1.9: subscribe(None) must raise TypeError, {came}")

    @required("1.9")
    def test_required_spec109_may_reject_calls_to_subscribe_if_publisher_is_unable_or_unwilling_to_serve_them_rejection_must_trigger_on_error_after_on_subscribe(
        self,
    ) -> None:
        """A publisher that refuses calls ``on_subscribe``, then ``on_error`` once."""
        self.check_failed_publisher("1.9")

    @required("1.9")
    def test_required_spec109_must_issue_on_subscribe_for_non_null_subscriber(self) -> None:
        """``on_subscribe`` comes once, before any other signal."""
        subscriber = self.subscribed(1)
        subscriber.expect_nothing("1.9", "but on_subscribe while nothing is requested")

    def check_exact_number(self, elements: int) -> None:
        """The stream has this many elements, taken one at a time, and completes."""
        subscriber = self.subscribed(elements, completes=True)
        for index in range(elements):
            subscriber.request(1)
            if subscriber.expect_end_or_next("1.1").kind == "on_complete":
                raise Failure(
                    f"create_publisher({elements}) must make {elements} elements, it made {index}"
                )
        subscriber.request(1)
        if subscriber.expect_end_or_next("1.5").kind == "on_next":
            raise Failure(f"create_publisher({elements}) made more than {elements} elements")

    def check_failed_publisher(self, rule: str) -> None:
        """A failed publisher: ``on_subscribe``, ``on_error``, and silence."""
        subscriber: ManualSubscriber[object] = ManualSubscriber(self.env)
        self.subscribe(self.failed_publisher(), subscriber)
        subscriber.expect_subscription()
        subscriber.expect_error(rule=rule)
        subscriber.expect_nothing("1.7", "after on_error")
