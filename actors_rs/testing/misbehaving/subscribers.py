"""Subscribers that break a rule of theirs (2.x), or one of the Subscription (3.x).

With a ``probe`` they do it under the white-box verification, without one under the black-box one.
"""

from __future__ import annotations

from typing import Any

from actors_rs.protocol.interfaces import Subscription
from actors_rs.runtime._primitives import Thread
from actors_rs.testing.misbehaving.base import MisbehavingSubscriber, both_ids
from actors_rs.testing.misbehaving.raising_subscribers import RAISING_SUBSCRIBERS

__all__ = [
    "SUBSCRIBERS",
    "AsksAfterTheEnd",
    "AsksAfterTheError",
    "AsksForOneOnly",
    "AsksForZero",
    "AsksFromFreshThreads",
    "AsksInOnComplete",
    "AsksInOnErrorBySomebodyElse",
    "CancelsInOnComplete",
    "CancelsInOnError",
    "KeepsSecondSubscription",
    "LosesElements",
    "NeverAsks",
    "NeverCancels",
    "OverlapsItsCalls",
    "TakesNone",
    "UsesSecondSubscription",
]


AFTER_THE_END = both_ids(
    "untested_spec204",
    "mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError",
)
SECOND = both_ids(
    "required_spec205",
    "mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal",
)
SERIAL = both_ids(
    "untested_spec207",
    "mustEnsureAllCallsOnItsSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization",
)
IN_ON_COMPLETE = both_ids(
    "required_spec203", "mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete"
)
IN_ON_ERROR = both_ids("required_spec203", "mustNotCallMethodsOnSubscriptionOrPublisherInOnError")
DEMAND = both_ids("required_spec201", "mustSignalDemandViaSubscriptionRequest")
HAPPY = "required_exerciseWhiteboxHappyPath"


class NeverAsks(MisbehavingSubscriber):
    """Waits for elements that it does not request."""

    breaks = "2.1"
    caught_by = DEMAND

    def trigger_request(self, n: int, /) -> None:
        return


class AsksForZero(MisbehavingSubscriber):
    """Miscalculates its demand to 0."""

    breaks = "3.9"
    caught_by = DEMAND

    def trigger_request(self, n: int, /) -> None:
        super().trigger_request(0)


class AsksInOnComplete(MisbehavingSubscriber):
    """Requests more when told that there is no more."""

    breaks = "2.3"
    caught_by = IN_ON_COMPLETE

    def on_complete(self) -> None:
        super().on_complete()
        super().trigger_request(1)


class CancelsInOnComplete(MisbehavingSubscriber):
    """Cancels a subscription that has just ended."""

    breaks = "2.3"
    caught_by = IN_ON_COMPLETE

    def on_complete(self) -> None:
        super().on_complete()
        self.signal_cancel()


class CancelsInOnError(MisbehavingSubscriber):
    """Cancels a subscription that has just failed."""

    breaks = "2.3"
    caught_by = IN_ON_ERROR

    def on_error(self, error: BaseException, /) -> None:
        super().on_error(error)
        self.signal_cancel()


class AsksInOnErrorBySomebodyElse(MisbehavingSubscriber):
    """Has a helper request more inside ``on_error``, in a method of another name."""

    breaks = "2.3"
    caught_by = IN_ON_ERROR

    def on_error(self, error: BaseException, /) -> None:
        super().on_error(error)
        self._try_again()

    def _try_again(self) -> None:
        super().trigger_request(1)


class AsksAfterTheEnd(MisbehavingSubscriber):
    """Requests more some time after the completion."""

    breaks = "2.4"
    caught_by = AFTER_THE_END

    def on_complete(self) -> None:
        super().on_complete()
        Thread(target=super().trigger_request, args=(1,), daemon=True).start()


class AsksAfterTheError(MisbehavingSubscriber):
    """Keeps the rule after a completion, and requests more some time after a failure."""

    breaks = "2.4"
    caught_by = AFTER_THE_END

    def on_error(self, error: BaseException, /) -> None:
        super().on_error(error)
        Thread(target=super().trigger_request, args=(1,), daemon=True).start()


class KeepsSecondSubscription(MisbehavingSubscriber):
    """Lets a second subscription stay open."""

    breaks = "2.5"
    caught_by = SECOND

    def on_subscribe(self, subscription: Subscription, /) -> None:
        if self.subscription is None or subscription is None:
            super().on_subscribe(subscription)


class UsesSecondSubscription(MisbehavingSubscriber):
    """Cancels a second subscription, but asks for an element before."""

    breaks = "2.5"
    caught_by = SECOND

    def on_subscribe(self, subscription: Subscription, /) -> None:
        if self.subscription is not None and subscription is not None:
            subscription.request(1)
        super().on_subscribe(subscription)


class NeverCancels(MisbehavingSubscriber):
    """Keeps its subscription when it needs it no more."""

    breaks = "2.6"
    caught_by = (HAPPY, "untested_spec206_mustCallSubscriptionCancelIfItIsNoLongerValid")

    def signal_cancel(self) -> None:
        return


class OverlapsItsCalls(MisbehavingSubscriber):
    """Requests from two threads at a time."""

    breaks = "2.7"
    caught_by = SERIAL

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        thread = Thread(target=self._ask, daemon=True)
        thread.start()
        self._ask()
        thread.join()

    def _ask(self) -> None:
        for _ in range(10):  # or a thread that starts late would be alone
            super().trigger_request(1)


class AsksFromFreshThreads(MisbehavingSubscriber):
    """Requests one element at a time, each from a thread of its own that nobody waits for."""

    breaks = "2.7"
    caught_by = SERIAL

    def ask(self) -> None:
        self._open = 1
        Thread(target=super().trigger_request, args=(1,), daemon=True).start()

    def trigger_request(self, n: int, /) -> None:
        for _ in range(n):
            self.ask()


class TakesNone(MisbehavingSubscriber):
    """Takes ``None`` for any argument of a signal."""

    breaks = "2.13"
    caught_by = (
        *both_ids(
            "required_spec213", "onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull"
        ),
        *both_ids("required_spec213", "onNext_mustThrowNullPointerExceptionWhenParametersAreNull"),
        *both_ids("required_spec213", "onError_mustThrowNullPointerExceptionWhenParametersAreNull"),
    )

    def on_subscribe(self, subscription: Subscription, /) -> None:
        if subscription is not None:
            super().on_subscribe(subscription)

    def on_next(self, element: Any, /) -> None:
        if element is not None:
            super().on_next(element)

    def on_error(self, error: BaseException, /) -> None:
        if error is not None:
            super().on_error(error)


class LosesElements(MisbehavingSubscriber):
    """Asks for elements and does not process them."""

    breaks = "2.1"
    caught_by = (HAPPY, DEMAND[1])

    def on_next(self, element: Any, /) -> None:
        if element is None:
            super().on_next(element)


class AsksForOneOnly(MisbehavingSubscriber):
    """Requests a single element, for any number that the test triggers."""

    breaks = "3.8"
    caught_by = ("required_spec308_requestMustRegisterGivenNumberElementsToBeProduced",)
    asked = False

    def trigger_request(self, n: int, /) -> None:
        if not self.asked:
            self.asked = True
            super().trigger_request(1)


SUBSCRIBERS: tuple[type[MisbehavingSubscriber], ...] = (
    NeverAsks,
    LosesElements,
    AsksInOnComplete,
    CancelsInOnComplete,
    CancelsInOnError,
    AsksInOnErrorBySomebodyElse,
    AsksAfterTheEnd,
    AsksAfterTheError,
    KeepsSecondSubscription,
    UsesSecondSubscription,
    NeverCancels,
    OverlapsItsCalls,
    AsksFromFreshThreads,
    TakesNone,
    AsksForOneOnly,
    AsksForZero,
    *RAISING_SUBSCRIBERS,
)
"""All subscribers that break a rule."""
