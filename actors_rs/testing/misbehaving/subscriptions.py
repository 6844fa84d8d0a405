"""Publishers whose Subscription misbehaves (3.x)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.protocol.interfaces import Subscriber
from actors_rs.runtime._primitives import Event
from actors_rs.testing.misbehaving.base import MisbehavingPublisher
from actors_rs.testing.reference import ReferenceSubscription, Signals

__all__ = [
    "SUBSCRIPTIONS",
    "BlocksInCancel",
    "BlocksInRequest",
    "CountsInThirtyTwoBits",
    "FailsAtFullDemand",
    "FloodsOnCancel",
    "ForgetsRequestsInside",
    "IgnoresCancel",
    "KeepsSubscribers",
    "OverflowIsAnError",
    "RaisesFromCancel",
    "RaisesFromRequest",
    "RaisesFromSecondCancel",
    "RecursesWithoutBound",
    "ReplacesDemand",
    "SilentOnBadRequest",
    "WordlessOnBadRequest",
    "WrongErrorOnBadRequest",
]

BLOCKED = 1.0  # seconds that a blocking call lasts
ZERO = "required_spec309_requestZeroMustSignalIllegalArgumentException"
NEGATIVE = "required_spec309_requestNegativeNumberMustSignalIllegalArgumentException"
WORDS = "optional_spec309_requestNegativeNumberMaySignalIllegalArgumentExceptionWithSpecificMessage"
DROPS = "required_spec313_cancelMustMakeThePublisherEventuallyDropAllReferencesToTheSubscriber"


class _Forgetful(ReferenceSubscription[Any]):
    def request(self, n: int, /) -> None:
        if not self._running:
            super().request(n)


class ForgetsRequestsInside(MisbehavingPublisher):
    """Does not count requests made from inside a signal."""

    breaks = "3.2"
    caught_by = ("required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe",)
    given = _Forgetful


class _Replacing(ReferenceSubscription[Any]):
    def request(self, n: int, /) -> None:
        if n > 0:
            self.demand = 0
        super().request(n)


class ReplacesDemand(MisbehavingPublisher):
    """Forgets what is still requested when a new request comes."""

    breaks = "3.2"
    caught_by = ("required_spec302_mustAllowSynchronousRequestCallsFromOnNextAndOnSubscribe",)
    given = _Replacing


class _Recursive(ReferenceSubscription[Any]):
    def run(self) -> None:
        while (signal := self._take()) is not None:
            self.signal(signal)

    def _take(self) -> Signals | None:
        with self._lock:
            return None if self._running else self.choose()


class RecursesWithoutBound(MisbehavingPublisher):
    """Answers a request inside ``on_next`` with ``on_next``, on the same stack."""

    breaks = "3.3"
    caught_by = ("required_spec303_mustNotAllowUnboundedRecursion",)
    given = _Recursive


class _SlowRequest(ReferenceSubscription[Any]):
    def request(self, n: int, /) -> None:
        Event().wait(BLOCKED)
        super().request(n)


class BlocksInRequest(MisbehavingPublisher):
    """Keeps the caller of ``request`` waiting."""

    breaks = "3.4"
    caught_by = ("untested_spec304_requestShouldNotPerformHeavyComputations",)
    given = _SlowRequest


class _SlowCancel(ReferenceSubscription[Any]):
    def cancel(self) -> None:
        if not self.over:
            super().cancel()
            Event().wait(BLOCKED)


class BlocksInCancel(MisbehavingPublisher):
    """Keeps the caller of ``cancel`` waiting."""

    breaks = "3.5"
    caught_by = ("untested_spec305_cancelMustNotSynchronouslyPerformHeavyComputation",)
    given = _SlowCancel


class _Deaf(ReferenceSubscription[Any]):
    def cancel(self) -> None:
        return


class IgnoresCancel(MisbehavingPublisher):
    """Goes on as if it had never been cancelled."""

    breaks = "3.6"
    caught_by = ("required_spec306_afterSubscriptionIsCancelledRequestMustBeNops",)
    given = _Deaf


class _OnceOnly(ReferenceSubscription[Any]):
    def cancel(self) -> None:
        if self.over:
            raise RuntimeError("cancelled already")
        super().cancel()


class RaisesFromSecondCancel(MisbehavingPublisher):
    """Minds being cancelled twice."""

    breaks = "3.7"
    caught_by = ("required_spec307_afterSubscriptionIsCancelledAdditionalCancelationsMustBeNops",)
    given = _OnceOnly


class _Silent(ReferenceSubscription[Any]):
    def request(self, n: int, /) -> None:
        if n > 0:
            super().request(n)


class SilentOnBadRequest(MisbehavingPublisher):
    """Takes no notice of ``request(0)`` and of negative ones."""

    breaks = "3.9"
    caught_by = (ZERO, NEGATIVE)
    given = _Silent


class _WrongError(ReferenceSubscription[Any]):
    def fail(self, error: BaseException) -> None:
        super().fail(RuntimeError("something is wrong"))


class WrongErrorOnBadRequest(MisbehavingPublisher):
    """Answers ``request(0)`` with an error that is no ``ValueError``."""

    breaks = "3.9"
    caught_by = (ZERO, NEGATIVE)
    given = _WrongError


class _Wordless(ReferenceSubscription[Any]):
    def fail(self, error: BaseException) -> None:
        super().fail(ValueError("bad number"))


class WordlessOnBadRequest(MisbehavingPublisher):
    """Answers a negative request with an error that does not say what was wrong."""

    breaks = "3.9"
    caught_by = (WORDS,)
    given = _Wordless


class _Rude(ReferenceSubscription[Any]):
    def request(self, n: int, /) -> None:
        if n < 1:
            raise ValueError("rule 3.9 broken")
        super().request(n)


class RaisesFromRequest(MisbehavingPublisher):
    """Raises at the caller of ``request(0)`` instead of signalling ``on_error``."""

    breaks = "3.16"
    caught_by = (ZERO, NEGATIVE)
    given = _Rude


class _Flooding(ReferenceSubscription[Any]):
    def cancel(self) -> None:
        self.demand = len(self.elements)
        self.run()


class FloodsOnCancel(MisbehavingPublisher):
    """Sends all it still has when it is cancelled."""

    breaks = "3.12"
    caught_by = ("required_spec312_cancelMustMakeThePublisherToEventuallyStopSignaling",)
    given = _Flooding


class KeepsSubscribers(MisbehavingPublisher):
    """Keeps a list of everybody that ever subscribed."""

    breaks = "3.13"
    caught_by = (DROPS,)

    def __init__(self, elements: Iterable[Any] = (), error: BaseException | None = None) -> None:
        super().__init__(elements, error)
        self.kept: list[Subscriber[Any]] = []

    def subscription(self, subscriber: Subscriber[Any]) -> ReferenceSubscription[Any]:
        self.kept.append(subscriber)
        return super().subscription(subscriber)


class _Stubborn(ReferenceSubscription[Any]):
    def cancel(self) -> None:
        raise RuntimeError("not now")


class RaisesFromCancel(MisbehavingPublisher):
    """Raises at the one who cancels."""

    breaks = "3.15"
    caught_by = ("required_spec312_cancelMustMakeThePublisherToEventuallyStopSignaling",)
    given = _Stubborn


class _ThirtyTwoBits(ReferenceSubscription[Any]):
    def request(self, n: int, /) -> None:
        bits = n & 0xFFFFFFFF
        super().request(bits - 2**32 if bits >= 2**31 else bits)


class CountsInThirtyTwoBits(MisbehavingPublisher):
    """Keeps demand in a signed 32-bit number, in which the largest request is -1."""

    breaks = "3.17"
    caught_by = ("required_spec317_mustSupportAPendingElementCountUpToLongMaxValue",)
    given = _ThirtyTwoBits


class _Stepwise(ReferenceSubscription[Any]):
    """One element for each request of any size, so that demand piles up."""

    def __init__(self, subscriber: Subscriber[Any], elements: Iterable[Any] = ()) -> None:
        super().__init__(subscriber, elements)
        self.requested = 0
        self.steps = 0

    def request(self, n: int, /) -> None:
        self.requested += n
        self.steps += 1
        if self.requested >= UNBOUNDED:
            self.fail(OverflowError("demand too large"))
        else:
            super().request(n)

    def choose(self) -> Signals | None:
        if self.elements:
            if self.steps == 0:
                return None
            self.steps -= 1
        return super().choose()


class FailsAtFullDemand(MisbehavingPublisher):
    """Takes demand that adds up to 2**63 - 1 for an error."""

    breaks = "3.17"
    caught_by = ("required_spec317_mustSupportACumulativePendingElementCountUpToLongMaxValue",)
    given = _Stepwise


class _Overflowing(ReferenceSubscription[Any]):
    def request(self, n: int, /) -> None:
        if self.demand + n > UNBOUNDED:
            self.fail(OverflowError("demand too large"))
        else:
            super().request(n)


class OverflowIsAnError(MisbehavingPublisher):
    """Takes demand that would exceed 2**63 - 1 for an error."""

    breaks = "3.17"
    caught_by = ("required_spec317_mustNotSignalOnErrorWhenPendingAboveLongMaxValue",)
    given = _Overflowing


SUBSCRIPTIONS: tuple[type[MisbehavingPublisher], ...] = (
    ForgetsRequestsInside,
    ReplacesDemand,
    RecursesWithoutBound,
    BlocksInRequest,
    BlocksInCancel,
    IgnoresCancel,
    RaisesFromSecondCancel,
    SilentOnBadRequest,
    WrongErrorOnBadRequest,
    WordlessOnBadRequest,
    RaisesFromRequest,
    FloodsOnCancel,
    KeepsSubscribers,
    RaisesFromCancel,
    CountsInThirtyTwoBits,
    FailsAtFullDemand,
    OverflowIsAnError,
)
"""All publishers of this module."""
