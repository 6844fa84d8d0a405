"""What becomes of a message that its actor has not read at its end."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pykka.messages import _ActorStop

from actors_rs.runtime._primitives import Full
from actors_rs.runtime.actor_ref import Ask, answer_dead
from actors_rs.runtime.keeper import RuntimeMessage
from actors_rs.texts import text_of

if TYPE_CHECKING:
    from actors_rs.runtime.actor_core import ActorCore

__all__ = ["return_unread"]


def return_unread(actor: ActorCore, message: Any) -> None:
    """A question is answered with ``ActorDeadError``, anything else is a dead letter."""
    if type(message) is not Ask:
        if isinstance(message, RuntimeMessage):
            message.unread(actor)
        elif type(message) is not _ActorStop:
            actor._system_.dead_letters.publish(
                message, where=text_of(actor), why="the actor stopped before it read the message"
            )
    elif type(message.message) is _ActorStop:
        with suppress(Full):
            message.reply_to.set(True)
    else:
        when = "stopped before" if message.failed is None else "ended while"
        reason = f"{actor._ref_} {when} handling the message"
        answer_dead(message.reply_to, reason, message.failed)
