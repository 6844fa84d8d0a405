"""The contract of an address: a reference is made from it, before any actor lives there."""

from __future__ import annotations

from typing import Any, Protocol

from actors_rs.runtime.actors.mailbox import Mailbox

__all__ = ["Address", "not_found"]


class Address(Protocol):
    """The origin of a reference: an actor, or the place of a future one."""

    _urn_number_: int
    actor_inbox: Mailbox
    actor_stopped: Any  # a StopFlag, which pykka takes for an Event


def not_found(address: Address) -> str:
    """Why ``address`` takes no messages, for an error."""
    inbox = address.actor_inbox
    if inbox.closed:
        return f"{address} not found: the actor has ended"
    if inbox.refuses:
        return f"{address} not found: a shutdown gave the actor up, as it did not stop in time"
    return f"{address} not found: the actor has stopped, or is about to"
