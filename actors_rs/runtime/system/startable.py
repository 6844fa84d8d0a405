"""What a system can start, as contracts: the runtime knows nothing of streams."""

from __future__ import annotations

from typing import Protocol, TypeVar

__all__ = ["AsProcessor", "AsPublisher", "AsSubscriber", "Startable"]

S_contra = TypeVar("S_contra", contravariant=True)  # a system
R_co = TypeVar("R_co", covariant=True)


class Startable(Protocol[S_contra, R_co]):
    """What a system can start: a blueprint."""

    def start_on(self, system: S_contra, /) -> R_co:
        """Start in ``system``."""
        ...


class AsPublisher(Protocol[S_contra, R_co]):
    """What can be a standard Publisher: a source."""

    def publisher_on(self, system: S_contra, /) -> R_co:
        """The Publisher, on ``system``."""
        ...


class AsSubscriber(Protocol[S_contra, R_co]):
    """What can be a standard Subscriber: a sink."""

    def subscriber_on(self, system: S_contra, /) -> R_co:
        """The Subscriber, on ``system``."""
        ...


class AsProcessor(Protocol[S_contra, R_co]):
    """What can be a standard Processor: a flow."""

    def processor_on(self, system: S_contra, /) -> R_co:
        """The Processor, on ``system``."""
        ...
