"""What becomes of a message that its actor has not read at its end, or does not take at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pykka.messages import _ActorStop

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime._primitives import Full, start_thread
from actors_rs.runtime.actors.actor_ref import STOP, Ask, answer_dead
from actors_rs.runtime.actors.contract import RUNTIME_MESSAGES, RuntimeMessage
from actors_rs.runtime.actors.mailbox import EMPTY, Mailbox
from actors_rs.texts import class_name_of, text_of

if TYPE_CHECKING:
    from actors_rs.runtime.actors.contract import ActorBase

__all__ = ["answer_questions", "refuse_question", "return_all_unread", "return_unread"]


def return_all_unread(actor: ActorBase, take: Callable[[], Any]) -> None:
    """Return each message that ``take`` gives of its mailbox; a signal may come in between."""
    while (message := take()) is not EMPTY:
        try:
            actor._return_unread_(message)
        except (KeyboardInterrupt, SystemExit) as error:
            start_thread(_return_interrupted, (actor, message, error))  # no signal comes first
            raise


def _return_interrupted(actor: ActorBase, message: Any, error: BaseException) -> None:
    """An interrupted answer may have been claimed already, and never been set."""
    if type(message) is Ask:
        actor._interrupted_in_(message, error)
    else:
        actor._return_unread_(message)


def return_unread(actor: ActorBase, message: Any, when: str = "") -> None:
    """A question is answered with ``ActorDeadError``, anything else is a dead letter.

    ``when`` the actor has ended, in relation to the message, if that was not before it.
    """
    if type(message) is not Ask:
        if issubclass(type(message), RuntimeMessage):
            message.unread(actor)
        elif type(message) is not _ActorStop:
            ended = f"{when} it handled" if when else "stopped before it read"
            actor._system_.dead_letters.publish(
                message, where=text_of(actor), why=f"the actor {ended} the message"
            )
    elif type(message.message) is _ActorStop:
        with suppress(Full):
            message.reply_to.set(True)
    else:
        cause = message.failed
        if cause is None:
            when, cause = when or "stopped before", actor.actor_stopped.error
        else:
            when = "ended while"
        answer_dead(message.reply_to, f"{actor._ref_} {when} handling the message", cause)


def answer_questions(inbox: Mailbox, reason: str, cause: BaseException | None) -> bool:
    """Answer each question in a halted ``inbox`` with ``ActorDeadError``; messages of tell stay.

    A wish to stop stays too, for the next actor; its sender waits for the one that has ended.
    Returns whether there was a question.
    """
    questions = [one for one in inbox.waiting() if type(one) is Ask]
    for ask in questions:  # before they leave the mailbox: Ctrl-C may come in between
        if type(ask.message) is _ActorStop:
            with suppress(Full):
                ask.reply_to.set(True)
        else:
            answer_dead(ask.reply_to, reason, ask.failed or cause)
    answered = set(map(id, questions))

    def kept(message: Any) -> Any:
        if id(message) not in answered:
            return message
        return STOP if type(message.message) is _ActorStop else EMPTY

    if answered:
        inbox.sift(kept)
    return bool(answered)


def refuse_question(ask: Ask, why: str) -> bool:
    """Answer with an error, in an actor that takes no messages; False for one of the runtime's."""
    if type(ask.message) in RUNTIME_MESSAGES or type(ask.message) is _ActorStop:
        return False
    refused = InvalidArgumentError(f"{why}, got a question of type {class_name_of(ask.message)}")
    with suppress(Full):
        ask.reply_to.set_exception((InvalidArgumentError, refused, None))
    return True
