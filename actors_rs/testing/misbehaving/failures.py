"""Publishers that have failed and do not say so as they must (1.4, 1.9)."""

from __future__ import annotations

from typing import Any

from actors_rs.protocol.interfaces import Subscriber
from actors_rs.testing.misbehaving.base import MisbehavingPublisher
from actors_rs.testing.reference import ReferenceSubscription

__all__ = [
    "FAILED_PUBLISHERS",
    "FailsSilently",
    "FailsTwice",
    "FailsWithoutOnSubscribe",
    "RaisesFromSubscribe",
]

REJECTION = (
    "required_spec109_mayRejectCallsToSubscribeIfPublisherIsUnableOrUnwillingToServeThem"
    "RejectionMustTriggerOnErrorAfterOnSubscribe"
)
FAILURE = "optional_spec104_mustSignalOnErrorWhenFails"


def _rejection(error: BaseException | None) -> BaseException:
    return RuntimeError("rejected") if error is None else error


class FailsSilently(MisbehavingPublisher):
    """Has failed, and tells nobody."""

    breaks = "1.4"
    caught_by = (FAILURE,)

    def start(self, subscription: ReferenceSubscription[Any]) -> None:
        subscription.begin()


class FailsWithoutOnSubscribe(MisbehavingPublisher):
    """Rejects with ``on_error`` alone, as the first drafts of the standard had it."""

    breaks = "1.9"
    caught_by = (REJECTION,)

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        subscriber.on_error(_rejection(self.error))


class RaisesFromSubscribe(MisbehavingPublisher):
    """Rejects by raising at the one who subscribes."""

    breaks = "1.9"
    caught_by = (REJECTION, "untested_spec109_subscribeShouldNotThrowNonFatalThrowable")

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        raise _rejection(self.error)


class FailsTwice(MisbehavingPublisher):
    """Signals its failure twice."""

    breaks = "1.7"
    caught_by = (REJECTION, FAILURE)

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        super().subscribe(subscriber)
        subscriber.on_error(_rejection(self.error))


FAILED_PUBLISHERS: tuple[type[MisbehavingPublisher], ...] = (
    FailsSilently,
    FailsWithoutOnSubscribe,
    RaisesFromSubscribe,
    FailsTwice,
)
"""All publishers of this module."""
