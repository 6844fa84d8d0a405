"""The contract of an address: a reference is made from it, before any actor lives there."""

from __future__ import annotations

from typing import Any, Protocol

from actors_rs.runtime.actors.mailbox import Mailbox

__all__ = ["Address"]


class Address(Protocol):
    """The origin of a reference: an actor, or the place of a future one."""

    _urn_number_: int
    actor_inbox: Mailbox
    actor_stopped: Any  # a StopFlag, which pykka takes for an Event
