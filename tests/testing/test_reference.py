# mypy: disable-error-code="no-untyped-def, union-attr"
"""The reference implementations keep the rules when a peer is on another thread."""

import gc
import weakref
from collections import deque
from typing import Any

from actors_rs.testing.reference import (
    ReferencePublisher,
    ReferenceSubscriber,
    ReferenceSubscription,
)


class Quiet(ReferenceSubscriber[int]):
    """Asks for nothing by itself."""

    def ask(self) -> None:
        pass


class Meeting(deque[Any]):
    """The elements of a subscription that is cancelled in the moment that somebody looks at them.

    On the same thread here: the subscription holds its lock meanwhile, and ``cancel`` takes none.
    """

    def __init__(self, subscription: ReferenceSubscription[Any]) -> None:
        super().__init__(subscription.elements)
        self.subscription = subscription

    def __bool__(self) -> bool:
        self.subscription.cancel()
        return len(self) > 0


def begun(*elements: int) -> tuple[Quiet, ReferenceSubscription[int]]:
    subscriber = Quiet()
    subscription = ReferenceSubscription(subscriber, elements)
    subscription.begin()
    subscription.elements = Meeting(subscription)
    return subscriber, subscription


def test_a_request_that_meets_a_cancel_raises_nothing():
    subscriber, subscription = begun(1, 2)
    subscription.request(2)  # 3.16
    assert subscriber.elements == [1]  # under way already (2.8)
    assert not subscription._running


def test_an_end_that_meets_a_cancel_raises_nothing():
    subscriber, subscription = begun()
    subscription.complete()
    assert subscriber.completed
    assert not subscription._running


def test_a_subscription_that_was_cancelled_lets_go_of_its_subscriber():
    subscriber = Quiet()
    ReferencePublisher([1, 2, 3]).subscribe(subscriber)
    subscription, alive = subscriber.subscription, weakref.ref(subscriber)
    subscription.cancel()
    del subscriber
    gc.collect()
    assert alive() is None  # 3.13
