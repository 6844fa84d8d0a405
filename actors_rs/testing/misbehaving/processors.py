"""Processors that break what binds their two sides (1.4, 2.1, 4.1, 4.2).

A processor is a publisher and a subscriber too, and can break what those break as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.testing.misbehaving.base import MisbehavingProcessor
from actors_rs.testing.reference import ReferenceSubscription

__all__ = [
    "PROCESSORS",
    "ChangesElements",
    "ForgetsOldDemand",
    "ReplacesErrors",
    "SwallowsErrors",
    "TellsOneSubscriber",
    "WaitsForDemandToFail",
]

TO_ALL = "required_spec104_mustCallOnErrorOnAllItsSubscribersIfItEncountersANonRecoverableError"
AT_ONCE = "mustImmediatelyPassOnOnErrorEventsReceivedFromItsUpstreamToItsDownstream"
OLD_DEMAND = "required_mustRequestFromUpstreamForElementsThatHaveBeenRequestedLongAgo"

End = Callable[[ReferenceSubscription[Any]], None]


class SwallowsErrors(MisbehavingProcessor):
    """Keeps a failure of its upstream to itself."""

    breaks = "4.2"
    caught_by = (AT_ONCE,)

    def on_error(self, error: BaseException, /) -> None:
        if error is None:
            super().on_error(error)


class WaitsForDemandToFail(MisbehavingProcessor):
    """Passes a failure on only when its subscriber asks for an element."""

    breaks = "4.2"
    caught_by = (AT_ONCE,)

    def end(self, end: End) -> None:
        self.ended = True
        for outlet in self.outlets:
            outlet.changed = lambda outlet=outlet: end(outlet)  # type: ignore[misc]


class ReplacesErrors(MisbehavingProcessor):
    """Passes on an error of its own making."""

    breaks = "4.2"
    says = "expected the very"
    caught_by = (AT_ONCE, TO_ALL)

    def on_error(self, error: BaseException, /) -> None:
        super().on_error(error if error is None else RuntimeError("something failed"))


class TellsOneSubscriber(MisbehavingProcessor):
    """Passes a failure on to the first of its subscribers only."""

    breaks = "1.4"
    caught_by = (TO_ALL,)

    def end(self, end: End) -> None:
        del self.outlets[1:]
        super().end(end)


class ForgetsOldDemand(MisbehavingProcessor):
    """Asks upstream for what its newest subscriber wants, and forgets the others."""

    breaks = "2.1"
    caught_by = (OLD_DEMAND,)

    def _wants_one(self) -> bool:
        return self.outlets[-1].demand > len(self.outlets[-1].elements) if self.outlets else False


class ChangesElements(MisbehavingProcessor):
    """Is no identity: it passes on something else."""

    breaks = "4.1"
    says = "unchanged, got"
    caught_by = (OLD_DEMAND,)

    def on_next(self, element: Any, /) -> None:
        super().on_next(None if element is None else (element,))


PROCESSORS: tuple[type[MisbehavingProcessor], ...] = (
    SwallowsErrors,
    WaitsForDemandToFail,
    ReplacesErrors,
    TellsOneSubscriber,
    ForgetsOldDemand,
    ChangesElements,
)
"""All processors of this module."""
