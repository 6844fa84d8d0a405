"""What a system can start, as contracts: the runtime knows nothing of streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from actors_rs.runtime.system.system import ActorSystem

__all__ = ["AsProcessor", "AsPublisher", "AsSubscriber", "Startable"]

R_co = TypeVar("R_co", covariant=True)


class Startable(Protocol[R_co]):
    """What a system can start: a blueprint."""

    def start_on(self, system: ActorSystem, /) -> R_co:
        """Start in ``system``."""
        ...


class AsPublisher(Protocol[R_co]):
    """What can be a standard Publisher: a source."""

    def publisher_on(self, system: ActorSystem, /) -> R_co:
        """The Publisher, on ``system``."""
        ...


class AsSubscriber(Protocol[R_co]):
    """What can be a standard Subscriber: a sink."""

    def subscriber_on(self, system: ActorSystem, /) -> R_co:
        """The Subscriber, on ``system``."""
        ...


class AsProcessor(Protocol[R_co]):
    """What can be a standard Processor: a flow."""

    def processor_on(self, system: ActorSystem, /) -> R_co:
        """The Processor, on ``system``."""
        ...
