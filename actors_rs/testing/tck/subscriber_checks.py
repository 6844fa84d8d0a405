"""Checks that the black-box and white-box tests of a Subscriber share.

A ``Stage`` is a subscriber under test with the kit's own end of its subscription. Each check takes
one and raises ``Failure``; the tests add what they know beyond it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from actors_rs.protocol.interfaces import Subscriber
from actors_rs.testing.tck.environment import Environment, Failure
from actors_rs.testing.tck.synchronous import SynchronousSubscription
from actors_rs.testing.tck.upstream import Upstream
from actors_rs.testing.tck.verification import Verification
from actors_rs.texts import repr_of

__all__ = ["Ending", "Stage", "SubscriberChecks"]

Ending = Literal["on_complete", "on_error"]
ROUNDS = 10  # of requests and what is sent for them, after the first one
MOST_SENT = 20  # elements sent to a subscriber that asks for many more


class Stage:
    """A subscriber under test, and the other end of its subscription."""

    def __init__(
        self,
        env: Environment,
        subscriber: Subscriber[Any],
        element: Callable[[int], Any],
        ask: Callable[[int], None],
    ) -> None:
        self.env = env
        self.subscriber = subscriber
        self.upstream = Upstream(env, subscriber)
        self.error = RuntimeError("the kit fails the stream")
        self._element = element
        self._ask = ask

    def expect_request(self, rule: str, n: int = 1) -> int:
        """Make the subscriber ask for ``n``, if it can be made to; return how much it asks for."""
        self._ask(n)
        return self.upstream.expect_request(rule)

    def send(self, rule: str = "2.13") -> Any:
        """Send the next element and return it."""
        element = self._element(self.upstream.sent)
        self.upstream.send(element, rule)
        return element

    def send_requested(self, requested: int) -> None:
        """Send what was requested, but not more than a few."""
        for _ in range(min(requested, MOST_SENT)):
            self.send()

    def send_in_rounds(self, rule: str) -> None:
        """Send what is requested as often as the subscriber asks for more, but only some."""
        self.send_requested(self.expect_request(rule))
        for _ in range(ROUNDS):
            if self.upstream.cancelled or self.env.async_errors:
                return
            self._ask(1)
            if not self.upstream.has_more_requests():
                return
            self.send_requested(self.upstream.expect_request(rule))

    def end(self, ending: Ending, rule: str = "2.13") -> None:
        """Signal the end."""
        if ending == "on_complete":
            self.upstream.complete(rule)
        else:
            self.upstream.fail(self.error, rule)

    def given(self, elements: int, rule: str) -> SynchronousSubscription:
        """Subscribe to a publisher that signals inside ``request``, instead of to the kit."""
        all_of_them = [self._element(index) for index in range(elements)]
        subscription = SynchronousSubscription(self.env, rule, self.subscriber, all_of_them)
        subscription.begin()
        return subscription


class SubscriberChecks(Verification):
    """The checks; a verification says how a subscriber is made."""

    def stage(self, begun: bool = True) -> Stage:
        """A fresh subscriber, after ``on_subscribe`` if ``begun``."""
        raise NotImplementedError

    def check_no_calls_inside(self, ending: Ending) -> None:
        """Neither terminal signal calls the subscription (2.3)."""
        stage = self.stage()
        stage.end(ending)
        stage.upstream.settle()

    def check_no_calls_after(self, stage: Stage, ending: Ending) -> None:
        """One that has asked for elements and got the end calls nothing any more (2.4)."""
        stage.expect_request("2.4")
        stage.upstream.settle()
        calls = len(stage.upstream.calls)
        stage.end(ending)
        stage.upstream.expect_no_calls("2.4", f"after {ending}", since=calls)

    def check_second_subscription(self, stage: Stage) -> None:
        """A second subscription is cancelled, and nothing is requested of it (2.5)."""
        second = Upstream(self.env, stage.subscriber, "the subscriber with a second subscription")
        second.begin()
        second.expect_cancel("2.5")
        if second.requested:
            raise Failure("rule 2.5: the second subscription must be cancelled, it was used")

    def check_serial_calls(self, stage: Stage) -> None:
        """Calls of the subscription do not overlap, which is looked for by staying in them."""
        stage.upstream.lingering = True
        stage.send_in_rounds("2.7")
        stage.upstream.settle()

    def check_returns_normally(self, stage: Stage) -> None:
        """No signal raises, not at the first element and at none of some more (2.13)."""
        stage.send_in_rounds("2.13")
        stage.end("on_complete")

    def check_end(self, ending: Ending, rule: str, requested: bool) -> Stage:
        """The end is accepted, after a request or without one (2.9, 2.10)."""
        stage = self.stage()
        if requested:
            stage.expect_request(rule)
        stage.end(ending, rule)
        return stage

    def check_none(self, signal: str) -> None:
        """``None`` raises ``TypeError`` (2.13)."""
        subscriber = self.stage(begun=signal != "on_subscribe").subscriber
        try:
            with self.env.under_way(f"rule 2.13: {signal}(None) must raise TypeError"):
                getattr(subscriber, signal)(None)
        except TypeError:
            return
        except BaseException as error:  # an exit breaks the rule as well
            came = f"it raised {repr_of(error)}"
        else:
            came = "it returned"
        raise Failure(f"rule 2.13: {signal}(None) must raise TypeError, {came}")

    def check_synchronous(
        self, stage: Stage, elements: int, ask: Callable[[int], None], rule: str
    ) -> None:
        """It copes with a publisher that signals inside ``request`` (3.10, 3.11).

        It is asked for one more than there are: many a processor sees its end only when it looks.
        """
        subscription = stage.given(elements, rule)
        ask(elements + 1)
        left = subscription.elements
        self.env.wait_for_quiet(
            lambda: len(left), f"rule {rule}: the subscriber was expected to settle"
        )
