"""The contract of an address: what a reference is made from, before any actor lives there."""

from __future__ import annotations

from typing import Any, Protocol

from actors_rs.runtime.actors.mailbox import Mailbox

__all__ = ["Address"]


class Address(Protocol):
    """What a reference is made from: an actor, or the place of one that is still to come."""

    _urn_number_: int
    actor_inbox: Mailbox
    actor_stopped: Any  # a StopFlag, which pykka takes for an Event
