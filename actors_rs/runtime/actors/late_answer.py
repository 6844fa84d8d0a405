"""The error for an answer that did not come in time: the question, the actor and the remedy."""

from __future__ import annotations

from typing import Any, TypeAlias

from pykka import ActorRef, Timeout
from pykka.messages import ProxyCall, ProxyGetAttr, ProxySetAttr, _ActorStop

from actors_rs.runtime.dispatch.user_code import function_inside
from actors_rs.texts import repr_of, text_of

__all__ = ["LateAnswerError", "Question", "doing", "late_answer"]

Question: TypeAlias = tuple[ActorRef[Any], Any]
"""Who was asked, and the message."""
_MOST = 200
"""Characters of a message that are shown."""


class LateAnswerError(Timeout, TimeoutError):
    """An actor gave no answer, or did not stop, within ``timeout`` seconds.

    Catch it as ``pykka.Timeout`` or as Python's ``TimeoutError``. The text names the actor, its
    function and its unread messages. The actor handles the message all the same.
    """


def late_answer(seconds: float | None, question: Question | None) -> LateAnswerError:
    """The error after a wait of ``seconds`` for an answer to ``question``."""
    if question is None:
        return LateAnswerError(
            f"the future has no result after {seconds} seconds: nobody has called its set() or "
            "set_exception() yet; get(timeout=...) with more seconds waits longer"
        )
    ref, message = question
    who = text_of(ref)
    if type(message) is _ActorStop:
        return LateAnswerError(
            f"{who} has not stopped within {seconds} seconds: it first handles the messages it "
            "has, then stops all the same; stop(timeout=...) with more seconds waits longer, "
            "stop(block=False) does not wait"
        )
    longer = "more seconds as timeout wait longer, ask(message, block=False) returns a future"
    if issubclass(type(message), ProxyCall | ProxyGetAttr | ProxySetAttr):
        longer = "get(timeout=...) with more seconds waits longer, 'await' blocks no thread"
    return LateAnswerError(
        f"{who} gave no answer to {_shown(message)} within {seconds} seconds: {doing(ref)}; it "
        f"will handle this one all the same; {longer}"
    )


def doing(ref: ActorRef[Any]) -> str:
    """The function that the actor of ``ref`` runs, and since when. Any thread."""
    actor: Any = ref._actor_weakref()
    if actor is None or actor._system_ is None or actor.actor_inbox.halted:
        return "no actor runs at its address now, and its supervisor will start one"
    unread = f"{len(actor.actor_inbox.data or ())} unread in its mailbox"
    now = actor._system_.timing_clock()
    if (pending := actor._pending_) is not None:
        return f"it awaits {pending.place} since {now - pending.since:.3g} s, {unread}"
    thread = actor._thread_()
    if thread is None:
        return f"it waits for its turn, {unread}"
    since = f"since {now - actor._turn_began_:.3g} s, {unread}"
    function = function_inside(thread, type(actor)._run_turn_.__code__, actor)
    return f"it is in {function} {since}" if function else f"it is busy {since}"


def _shown(message: Any) -> str:
    if issubclass(type(message), ProxyCall):
        return f"{'.'.join(message.attr_path)}(...)"
    if issubclass(type(message), ProxyGetAttr | ProxySetAttr):
        return f"the attribute {'.'.join(message.attr_path)}"
    return repr_of(message, _MOST)
