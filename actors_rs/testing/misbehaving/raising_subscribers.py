"""Subscribers that raise where they must not: from signals (2.8 to 2.13, 3.10)."""

from __future__ import annotations

from typing import Any

from actors_rs.protocol.interfaces import Subscription
from actors_rs.testing.misbehaving.base import MisbehavingSubscriber, both_ids

__all__ = [
    "RAISING_SUBSCRIBERS",
    "RaisesAfterCancel",
    "RaisesAtTheThirdElement",
    "RaisesForFailedDemand",
    "RaisesForMissingElements",
    "RaisesFromOnComplete",
    "RaisesFromOnError",
    "RaisesFromOnNext",
    "RaisesValueErrorForNone",
    "RefusesSynchronousEnd",
    "RefusesSynchronousNext",
    "RefusesSynchronousSignals",
]


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
        *both_ids(
            "required_spec209", "mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall"
        ),
        *both_ids(
            "required_spec209",
            "mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall",
        ),
    )

    def on_complete(self) -> None:
        raise RuntimeError("no elements")


class RaisesForMissingElements(MisbehavingSubscriber):
    """Takes a completion for a mistake if elements that it asked for have not come."""

    breaks = "2.9"
    caught_by = (
        *both_ids(
            "required_spec209", "mustBePreparedToReceiveAnOnCompleteSignalWithPrecedingRequestCall"
        ),
        "required_spec209_blackbox_"
        "mustBePreparedToReceiveAnOnCompleteSignalWithoutPrecedingRequestCall",
    )
    asked = 0

    def trigger_request(self, n: int, /) -> None:
        self.asked += n
        super().trigger_request(n)

    def on_complete(self) -> None:
        if self.asked > len(self.elements):
            raise RuntimeError("elements are missing")
        super().on_complete()


class RaisesForFailedDemand(MisbehavingSubscriber):
    """Raises for a failure if elements that it asked for have not come."""

    breaks = "2.10"
    caught_by = (
        *both_ids(
            "required_spec210", "mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall"
        ),
        "required_spec210_blackbox_"
        "mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall",
    )
    asked = 0

    def trigger_request(self, n: int, /) -> None:
        self.asked += n
        super().trigger_request(n)

    def on_error(self, error: BaseException, /) -> None:
        if self.asked > len(self.elements):
            raise RuntimeError("elements are missing")
        super().on_error(error)


class RaisesFromOnError(MisbehavingSubscriber):
    """Raises the failure that it receives."""

    breaks = "2.10"
    caught_by = (
        *both_ids(
            "required_spec210", "mustBePreparedToReceiveAnOnErrorSignalWithPrecedingRequestCall"
        ),
        *both_ids(
            "required_spec210", "mustBePreparedToReceiveAnOnErrorSignalWithoutPrecedingRequestCall"
        ),
    )

    def on_error(self, error: BaseException, /) -> None:
        super().on_error(error)
        raise error


class RaisesFromOnNext(MisbehavingSubscriber):
    """Raises at the publisher instead of cancelling."""

    breaks = "2.13"
    caught_by = both_ids("untested_spec213", "failingOnSignalInvocation")

    def on_next(self, element: Any, /) -> None:
        raise RuntimeError("not this one")


class RaisesAtTheThirdElement(MisbehavingSubscriber):
    """Copes with two elements and raises at the third."""

    breaks = "2.13"
    caught_by = (both_ids("untested_spec213", "failingOnSignalInvocation")[0],)

    def on_next(self, element: Any, /) -> None:
        super().on_next(element)
        if len(self.elements) == 3:
            raise RuntimeError("two are enough")


class RefusesSynchronousSignals(MisbehavingSubscriber):
    """Cannot stand signals that arrive inside its own ``request``."""

    breaks = "3.10"
    says = "a signal inside request must work, it raised"
    caught_by = (
        *both_ids("untested_spec310", "requestMaySynchronouslyCallOnNextOnSubscriber"),
        *both_ids("untested_spec311", "requestMaySynchronouslyCallOnCompleteOrOnError"),
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


class RefusesSynchronousEnd(MisbehavingSubscriber):
    """Copes with elements that arrive inside its own ``request``, but not with the end."""

    breaks = "3.11"
    says = "a signal inside request must work, it raised"
    caught_by = both_ids("untested_spec311", "requestMaySynchronouslyCallOnCompleteOrOnError")
    asking = 0

    def trigger_request(self, n: int, /) -> None:
        self.asking += 1
        super().trigger_request(n)
        self.asking -= 1

    def on_complete(self) -> None:
        if self.asking:
            raise RuntimeError("not while asking")
        super().on_complete()


class RefusesSynchronousNext(MisbehavingSubscriber):
    """Copes with one element that arrives inside its own ``request``, but not with a second."""

    breaks = "3.10"
    says = "a signal inside request must work, it raised"
    caught_by = both_ids("untested_spec310", "requestMaySynchronouslyCallOnNextOnSubscriber")
    asking = came = 0

    def trigger_request(self, n: int, /) -> None:
        self.asking, self.came = self.asking + 1, 0
        super().trigger_request(n)
        self.asking -= 1

    def on_next(self, element: Any, /) -> None:
        self.came += 1
        if self.asking and self.came > 1:
            raise RuntimeError("one at a time")
        super().on_next(element)


class RaisesValueErrorForNone(MisbehavingSubscriber):
    """Refuses ``None`` with an exception of another type than the rule asks for."""

    breaks = "2.13"
    caught_by = (
        *both_ids(
            "required_spec213", "onSubscribe_mustThrowNullPointerExceptionWhenParametersAreNull"
        ),
        *both_ids("required_spec213", "onNext_mustThrowNullPointerExceptionWhenParametersAreNull"),
        *both_ids("required_spec213", "onError_mustThrowNullPointerExceptionWhenParametersAreNull"),
    )

    def on_subscribe(self, subscription: Subscription, /) -> None:
        _refuse_none(subscription)
        super().on_subscribe(subscription)

    def on_next(self, element: Any, /) -> None:
        _refuse_none(element)
        super().on_next(element)

    def on_error(self, error: BaseException, /) -> None:
        _refuse_none(error)
        super().on_error(error)


def _refuse_none(value: object) -> None:
    if value is None:
        raise ValueError("None is refused")


RAISING_SUBSCRIBERS: tuple[type[MisbehavingSubscriber], ...] = (
    RaisesAfterCancel,
    RaisesFromOnComplete,
    RaisesForMissingElements,
    RaisesForFailedDemand,
    RaisesFromOnError,
    RaisesFromOnNext,
    RaisesAtTheThirdElement,
    RefusesSynchronousSignals,
    RefusesSynchronousEnd,
    RefusesSynchronousNext,
    RaisesValueErrorForNone,
)
"""All subscribers of this module."""
