"""What every violator says of itself."""

from __future__ import annotations

from typing import Any, ClassVar

from actors_rs.protocol.interfaces import Subscriber
from actors_rs.testing.reference import (
    ReferenceProcessor,
    ReferencePublisher,
    ReferenceSubscriber,
    ReferenceSubscription,
)

__all__ = [
    "MisbehavingProcessor",
    "MisbehavingPublisher",
    "MisbehavingSubscriber",
    "Violator",
    "both_ids",
]


class Violator:
    """Something that breaks one rule, and is caught for it.

    ``breaks`` is the rule's number, empty where only a factory's promise is broken. ``caught_by``
    holds the ids of the standard's tests that fail for it, ``says`` what their message holds.
    """

    breaks: ClassVar[str] = ""
    caught_by: ClassVar[tuple[str, ...]] = ()
    says: ClassVar[str] = ""

    @classmethod
    def message(cls) -> str:
        """The text in the message of each test that catches it."""
        return cls.says or f"rule {cls.breaks}: "


class MisbehavingPublisher(Violator, ReferencePublisher[Any]):
    """A publisher that keeps the rules but for what ``given``, its subscription, does."""

    given: ClassVar[type[ReferenceSubscription[Any]]] = ReferenceSubscription

    def subscription(self, subscriber: Subscriber[Any]) -> ReferenceSubscription[Any]:
        """A subscription that misbehaves."""
        return self.given(subscriber, self.elements)


class MisbehavingSubscriber(Violator, ReferenceSubscriber[Any]):
    """A subscriber that keeps the rules but for what a subclass changes."""


class MisbehavingProcessor(Violator, ReferenceProcessor[Any]):
    """A processor that keeps the rules but for what a subclass changes."""


def both_ids(kind: str, rest: str) -> tuple[str, str]:
    """The ids of a test in the black-box and in the white-box verification."""
    return f"{kind}_blackbox_{rest}", f"{kind}_{rest}"
