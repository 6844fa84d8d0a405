"""Publishers that signal too much, too little, too often or in the wrong order (1.x, 2.13)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from actors_rs.protocol.interfaces import Subscriber
from actors_rs.runtime._primitives import Thread
from actors_rs.testing.misbehaving.base import MisbehavingPublisher
from actors_rs.testing.reference import ReferenceSubscription, Signals

__all__ = [
    "PUBLISHERS",
    "AcceptsNone",
    "CompletesAfterCancel",
    "CompletesTwice",
    "DiffersBySubscriber",
    "EmitsBeforeRequest",
    "EmitsBeyondDemand",
    "EmitsNone",
    "LosesTheLast",
    "MindsRequestsAfterTheEnd",
    "NeverCompletes",
    "NoOnSubscribe",
    "OneTooMany",
    "OverlapsSignals",
    "SignalsAfterComplete",
    "SignalsAfterError",
    "StopsAtOneSubscriber",
    "TwoOnSubscribes",
    "WaitsForDemandToBeUsedUp",
]


class OneTooMany(MisbehavingPublisher):
    """Makes one element more than it was made for: its factory lies."""

    caught_by = ("required_createPublisher1MustProduceAStreamOfExactly1Element",)
    says = "create_publisher(1) made more than 1 elements"

    def __init__(self, elements: Iterable[Any] = (), error: BaseException | None = None) -> None:
        super().__init__((*elements, "one more"), error)


class LosesTheLast(MisbehavingPublisher):
    """Makes one element less than it was made for: its factory lies."""

    caught_by = ("required_createPublisher3MustProduceAStreamOfExactly3Elements",)
    says = "create_publisher(3) must make 3 elements, it made 2"

    def __init__(self, elements: Iterable[Any] = (), error: BaseException | None = None) -> None:
        super().__init__(tuple(elements)[:-1], error)


class _BeyondDemand(ReferenceSubscription[Any]):
    def request(self, n: int, /) -> None:
        super().request(n + 1 if n > 0 else n)


class EmitsBeyondDemand(MisbehavingPublisher):
    """Sends one element more than each request asks for."""

    breaks = "1.1"
    caught_by = (
        "required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements",
    )
    given = _BeyondDemand


class _BeforeRequest(ReferenceSubscription[Any]):
    def begin(self) -> None:
        self.demand = 1
        super().begin()


class EmitsBeforeRequest(MisbehavingPublisher):
    """Sends an element without demand, right after ``on_subscribe``."""

    breaks = "1.1"
    caught_by = (
        "required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements",
    )
    given = _BeforeRequest


class _DemandUsedUp(ReferenceSubscription[Any]):
    def choose(self) -> Signals | None:
        return None if not self.elements and self.demand else super().choose()


class WaitsForDemandToBeUsedUp(MisbehavingPublisher):
    """Completes only when the last element uses up the demand: who asks for more waits for ever."""

    breaks = "1.2"
    caught_by = ("required_spec102_maySignalLessThanRequestedAndTerminateSubscription",)
    given = _DemandUsedUp


class _Overlapping(ReferenceSubscription[Any]):
    def signal(self, signal: Signals) -> None:
        with self._lock:
            other = self.choose()
        if other is None:
            super().signal(signal)
            return
        thread = Thread(target=super().signal, args=(other,), daemon=True)
        thread.start()
        super().signal(signal)
        thread.join()


class OverlapsSignals(MisbehavingPublisher):
    """Sends two elements at a time, from two threads."""

    breaks = "1.3"
    caught_by = ("stochastic_spec103_mustSignalOnMethodsSequentially",)
    given = _Overlapping


class NeverCompletes(MisbehavingPublisher):
    """Sends its elements and then nothing, not even the completion."""

    breaks = "1.5"
    caught_by = (
        "required_spec105_mustSignalOnCompleteWhenFiniteStreamTerminates",
        "optional_spec105_emptyStreamMustTerminateBySignallingOnComplete",
    )

    def start(self, subscription: ReferenceSubscription[Any]) -> None:
        subscription.begin()


class _Twice(ReferenceSubscription[Any]):
    def complete(self) -> None:
        if (subscriber := self._subscriber) is not None:
            self._end = partial(_complete_twice, subscriber)


def _complete_twice(subscriber: Subscriber[Any]) -> None:
    subscriber.on_complete()
    subscriber.on_complete()


class CompletesTwice(MisbehavingPublisher):
    """Completes, and completes again."""

    breaks = "1.7"
    caught_by = ("required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled",)
    given = _Twice


class _AfterTheEnd(ReferenceSubscription[Any]):
    def __init__(self, subscriber: Subscriber[Any], elements: Iterable[Any] = ()) -> None:
        super().__init__(subscriber, elements)
        self.kept = subscriber

    def request(self, n: int, /) -> None:
        if not self.over:
            super().request(n)
        elif n < 1:
            self.kept.on_error(ValueError("rule 3.9, after the end"))
        else:
            self.kept.on_next("after the end")


class SignalsAfterComplete(MisbehavingPublisher):
    """Answers requests that come after its completion."""

    breaks = "1.7"
    caught_by = ("required_spec107_mustNotEmitFurtherSignalsOnceOnCompleteHasBeenSignalled",)
    given = _AfterTheEnd


class SignalsAfterError(MisbehavingPublisher):
    """Answers requests that come after its failure."""

    breaks = "1.7"
    caught_by = ("untested_spec107_mustNotEmitFurtherSignalsOnceOnErrorHasBeenSignalled",)
    given = _AfterTheEnd


class MindsRequestsAfterTheEnd(MisbehavingPublisher):
    """Fails, after its completion, for a request that should be a no-op by then."""

    breaks = "1.6"
    caught_by = (
        "untested_spec106_mustConsiderSubscriptionCancelledAfterOnErrorOrOnCompleteHasBeenCalled",
    )
    given = _AfterTheEnd


class _CompletesLate(_AfterTheEnd):
    def cancel(self) -> None:
        super().cancel()
        self.kept.on_complete()


class CompletesAfterCancel(MisbehavingPublisher):
    """Answers a cancellation in the middle of the stream with ``on_complete``."""

    breaks = "1.8"
    caught_by = (
        "untested_spec108_possiblyCanceledSubscriptionShouldNotReceiveOnErrorOrOnCompleteSignals",
    )
    given = _CompletesLate


class AcceptsNone(MisbehavingPublisher):
    """Returns from ``subscribe(None)`` as if nothing was wrong."""

    breaks = "1.9"
    caught_by = ("required_spec109_subscribeThrowNPEOnNullSubscriber",)

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        if subscriber is not None:
            super().subscribe(subscriber)


class _NoBeginning(ReferenceSubscription[Any]):
    def begin(self) -> None:
        self._running = False
        self.run()


class NoOnSubscribe(MisbehavingPublisher):
    """Never calls ``on_subscribe``."""

    breaks = "1.9"
    caught_by = ("required_spec109_mustIssueOnSubscribeForNonNullSubscriber",)
    given = _NoBeginning


class _TwoBeginnings(ReferenceSubscription[Any]):
    def begin(self) -> None:
        if self._subscriber is not None:
            self._subscriber.on_subscribe(self)
        super().begin()


class TwoOnSubscribes(MisbehavingPublisher):
    """Calls ``on_subscribe`` twice."""

    breaks = "1.9"
    caught_by = ("required_spec109_mustIssueOnSubscribeForNonNullSubscriber",)
    given = _TwoBeginnings


class StopsAtOneSubscriber(MisbehavingPublisher):
    """Leaves its second subscriber without any signal but ``on_subscribe``."""

    breaks = "1.11"
    caught_by = ("optional_spec111_registeredSubscribersMustReceiveOnNextOrOnCompleteSignals",)

    def __init__(self, elements: Iterable[Any] = (), error: BaseException | None = None) -> None:
        super().__init__(elements, error)
        self.served = False

    def start(self, subscription: ReferenceSubscription[Any]) -> None:
        if self.served:
            subscription.elements.clear()
            subscription.begin()
            return
        self.served = True
        super().start(subscription)


class DiffersBySubscriber(MisbehavingPublisher):
    """Gives each subscriber the elements in an order of its own."""

    breaks = "1.11"
    caught_by = (
        "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOf"
        "ItsSubscribersWhenRequestingOneByOne",
        "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOf"
        "ItsSubscribersWhenRequestingManyUpfront",
        "optional_spec111_multicast_mustProduceTheSameElementsInTheSameSequenceToAllOf"
        "ItsSubscribersWhenRequestingManyUpfrontAndCompleteAsExpected",
    )

    def start(self, subscription: ReferenceSubscription[Any]) -> None:
        self.elements = self.elements[1:] + self.elements[:1]
        super().start(subscription)


class EmitsNone(MisbehavingPublisher):
    """Sends ``None`` for an element."""

    breaks = "2.13"
    caught_by = (
        "required_spec101_subscriptionRequestMustResultInTheCorrectNumberOfProducedElements",
    )

    def __init__(self, elements: Iterable[Any] = (), error: BaseException | None = None) -> None:
        super().__init__((None for _ in elements), error)


PUBLISHERS: tuple[type[MisbehavingPublisher], ...] = (
    OneTooMany,
    LosesTheLast,
    EmitsBeyondDemand,
    EmitsBeforeRequest,
    WaitsForDemandToBeUsedUp,
    OverlapsSignals,
    NeverCompletes,
    CompletesTwice,
    SignalsAfterComplete,
    SignalsAfterError,
    MindsRequestsAfterTheEnd,
    CompletesAfterCancel,
    AcceptsNone,
    NoOnSubscribe,
    TwoOnSubscribes,
    StopsAtOneSubscriber,
    DiffersBySubscriber,
    EmitsNone,
)
"""All publishers of this module."""
