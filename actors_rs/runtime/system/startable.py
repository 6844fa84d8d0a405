"""Contracts of what a system can start: the runtime knows nothing of streams."""

from __future__ import annotations

from typing import Protocol, TypeVar

__all__ = ["AsProcessor", "AsPublisher", "AsSubscriber", "Startable"]

S_contra = TypeVar("S_contra", contravariant=True)  # a system
R_co = TypeVar("R_co", covariant=True)


class Startable(Protocol[S_contra, R_co]):
    """A blueprint that a system can start."""

    def start_on(self, system: S_contra, /) -> R_co:
        """Start in ``system``."""
        ...


class AsPublisher(Protocol[S_contra, R_co]):
    """A source, which can become a standard Publisher."""

    def publisher_on(self, system: S_contra, /) -> R_co:
        """The Publisher, on ``system``."""
        ...


class AsSubscriber(Protocol[S_contra, R_co]):
    """A sink, which can become a standard Subscriber."""

    def subscriber_on(self, system: S_contra, /) -> R_co:
        """The Subscriber, on ``system``."""
        ...


class AsProcessor(Protocol[S_contra, R_co]):
    """A flow, which can become a standard Processor."""

    def processor_on(self, system: S_contra, /) -> R_co:
        """The Processor, on ``system``."""
        ...
