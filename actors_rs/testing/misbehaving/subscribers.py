"""Subscribers that break a rule of theirs (2.x), or one of the Subscription (3.x).

With a ``probe`` they do it under the white-box verification, without one under the black-box one.
"""

from __future__ import annotations

from typing import Any

from actors_rs.protocol.interfaces import Subscription
from actors_rs.runtime._primitives import Thread
from actors_rs.testing.misbehaving.base import MisbehavingSubscriber

__all__ = [
    "SUBSCRIBERS",
    "AsksAfterTheEnd",
    "AsksForOneOnly",
    "AsksForZero",
    "AsksInOnComplete",
    "CancelsInOnComplete",
    "CancelsInOnError",
    "KeepsSecondSubscription",
    "LosesElements",
    "NeverAsks",
    "NeverCancels",
    "OverlapsItsCalls",
    "RaisesAfterCancel",
    "RaisesFromOnComplete",
    "RaisesFromOnError",
    "RaisesFromOnNext",
    "RefusesSynchronousSignals",
    "TakesNone",
]


def _both(kind: str, rest: str) -> tuple[str, str]:
    """The ids of a test in the black-box and in the white-box verification."""
    return f"{kind}_blackbox_{rest}", f"{kind}_{rest}"


IN_ON_COMPLETE = _both(
    "required_spec203", "mustNotCallMethodsOnSubscriptionOrPublisherInOnComplete"
)
IN_ON_ERROR = _both("required_spec203", "mustNotCallMethodsOnSubscriptionOrPublisherInOnError")
DEMAND = _both("required_spec201", "mustSignalDemandViaSubscriptionRequest")
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


class AsksAfterTheEnd(MisbehavingSubscriber):
    """Requests more some time after the completion."""

    breaks = "2.4"
    caught_by = _both(
        "untested_spec204",
        "mustConsiderTheSubscriptionAsCancelledInAfterRecievingOnCompleteOrOnError",
    )

    def on_complete(self) -> None:
        super().on_complete()
        Thread(target=super().trigger_request, args=(1,), daemon=True).start()


class KeepsSecondSubscription(MisbehavingSubscriber):
    """Lets a second subscription stay open."""

    breaks = "2.5"
    caught_by = _both(
        "required_spec205",
        "mustCallSubscriptionCancelIfItAlreadyHasAnSubscriptionAndReceivesAnotherOnSubscribeSignal",
    )

    def on_subscribe(self, subscription: Subscription, /) -> None:
        if self.subscription is None or subscription is None:
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
    caught_by = _both(
        "untested_spec207",
        "mustEnsureAllCallsOnItsSubscriptionTakePlaceFromTheSameThreadOrTakeCareOfSynchronization",
    )

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        thread = Thread(target=self._ask, daemon=True)
        thread.start()
        self._ask()
        thread.join()

    def _ask(self) -> None:
        for _ in range(10):  # or a thread that starts late would be alone
            super().trigger_request(1)


class RaisesAfterCancel(MisbehavingSubscriber):
    """Cannot stand an element that was under way when it cancelled."""

    breaks = "2.8"
    caught_by = (
        "required_spec208_mustBePreparedToReceiveOnNextSignalsAfterHavingCalledSubscriptionCancel",
    )
    cancelled = False

    def signal_cancel(self) -> None:
        self.cancelled = True
        super().signal_cancel()

    def on_next(self, element: Any, /) -> None:
        if self.cancelled:
            raise RuntimeError("nothing was expected any more")
        super().on_next(element)


class RaisesFromOnComplete(MisbehavingSubscriber):
    """Takes a completion without elements for a mistake."""

    breaks = "2.9"
    caught_by = (
        *_both(
            "required_spec209", "mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall"
        ),
        *_both(
            "required_spec209",
            "mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall",
        ),
    )

    def on_complete(self) -> None:
        raise RuntimeError("no elements")


class RaisesFromOnError(MisbehavingSubscriber):
    """Raises the failure that it is told of."""

    breaks = "2.10"
    caught_by = (
        *_both(
            "required_spec210", "mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall"
        ),
        *_both(
            "required_spec210", "mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall"
        ),
    )

    def on_error(self, error: BaseException, /) -> None:
        super().on_error(error)
        raise error


class RaisesFromOnNext(MisbehavingSubscriber):
    """Raises at the publisher instead of cancelling."""

    breaks = "2.13"
    caught_by = _both("untested_spec213", "failingOnSignalInvocation")

    def on_next(self, element: Any, /) -> None:
        raise RuntimeError("not this one")


class TakesNone(MisbehavingSubscriber):
    """Takes ``None`` for whatever a signal should bring."""

    breaks = "2.13"
    caught_by = (
        *_both(
            "required_spec213", "onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull"
        ),
        *_both("required_spec213", "onNext_mustThrowNullPointerExceptionWhenParametersAreNull"),
        *_both("required_spec213", "onError_mustThrowNullPointerExceptionWhenParametersAreNull"),
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
    """Asks for a single element, however many it is told to ask for."""

    breaks = "3.8"
    caught_by = ("required_spec308_requestMustRegisterGivenNumberElementsToBeProduced",)
    asked = False

    def trigger_request(self, n: int, /) -> None:
        if not self.asked:
            self.asked = True
            super().trigger_request(1)


class RefusesSynchronousSignals(MisbehavingSubscriber):
    """Cannot stand signals that arrive inside its own ``request``."""

    breaks = "3.10"
    says = "a signal inside request must work, it raised"
    caught_by = (
        *_both("untested_spec310", "requestMaySynchronouslyCallOnNextOnSubscriber"),
        *_both("untested_spec311", "requestMaySynchronouslyCallOnCompleteOrOnError"),
    )
    asking = False

    def trigger_request(self, n: int, /) -> None:
        self.asking = True
        super().trigger_request(n)
        self.asking = False

    def on_next(self, element: Any, /) -> None:
        if self.asking:
            raise RuntimeError("not while asking")
        super().on_next(element)


SUBSCRIBERS: tuple[type[MisbehavingSubscriber], ...] = (
    NeverAsks,
    LosesElements,
    AsksInOnComplete,
    CancelsInOnComplete,
    CancelsInOnError,
    AsksAfterTheEnd,
    KeepsSecondSubscription,
    NeverCancels,
    OverlapsItsCalls,
    RaisesAfterCancel,
    RaisesFromOnComplete,
    RaisesFromOnError,
    RaisesFromOnNext,
    TakesNone,
    AsksForOneOnly,
    AsksForZero,
    RefusesSynchronousSignals,
)
"""All subscribers of this module."""
