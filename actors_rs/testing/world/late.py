"""A foreign subscriber that cancels while a turn of its publisher is under way.

One thread may call ``cancel`` while another has just seen that the subscriber has not cancelled,
and is about to call ``on_next``: that signal comes after the cancellation, as rule 2.8 allows. So
if the publisher's actor is due, the decisions say whether its next turn had begun by the time of
``cancel``. Such a turn reads no message that came into the control lane since, the cancellation
included, and gives one signal more to the subscriber: the last one, as between threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from actors_rs.engine.boundary.foreign import ForeignSubscriber
from actors_rs.runtime.actors.mailbox import Mailbox

if TYPE_CHECKING:
    from actors_rs.testing.world.dispatcher import DeterministicDispatcher
    from actors_rs.testing.world.steps import ActorStep

__all__ = ["cancel_in_a_turn"]

SIGNALS = ("push", "complete", "fail")


def cancel_in_a_turn(dispatcher: DeterministicDispatcher, peer: ForeignSubscriber) -> None:
    """``peer`` is about to be cancelled: perhaps a turn of its actor is under way."""
    step: ActorStep | None = getattr(peer._stage.island, "_world_step_", None)
    if step is None or step not in dispatcher.ready:  # it has no turn now, or the call is in it
        return
    if dispatcher.choose("time:cancelled in a turn", (False, True)):
        _LateSignal(peer, step)


class _LateSignal:
    """The next turn of ``step`` has begun: it gives one signal to ``peer``, which cancels."""

    def __init__(self, peer: ForeignSubscriber, step: ActorStep) -> None:
        self._peer = peer
        self._step = step
        self._turn = step.turn
        self._read = len(step.mailbox.control or ())
        step.turn = self._in_turn
        for signal in SIGNALS:
            setattr(peer, signal, self._giving(signal))

    def _in_turn(self) -> None:
        step, mailbox = self._step, self._step.mailbox
        step.turn = self._turn
        step.allowance = max(step.allowance, self._read)
        later = []
        while mailbox.control and len(mailbox.control) > self._read:
            later.append(mailbox.control.pop())
        try:
            self._turn()
        finally:
            self._as_always()
            for message in reversed(later):
                if not Mailbox.offer_control(mailbox, message):  # the world has noted it before
                    step.actor._return_unread_(message)

    def _giving(self, signal: str) -> Callable[..., None]:
        """``signal`` of the peer, as if the look at whether it is over had come before the call."""

        def give(*args: Any) -> None:
            peer = self._peer
            self._as_always()
            peer._over = False
            peer._guarded = self._last  # type: ignore[method-assign]
            try:
                getattr(peer, signal)(*args)
            finally:
                peer._over = True
                vars(peer).pop("_guarded", None)

        return give

    def _last(self, signal: Callable[..., None], *args: Any) -> None:
        peer = self._peer
        del vars(peer)["_guarded"]
        peer._over = True
        peer._guarded(signal, *args)

    def _as_always(self) -> None:
        for signal in SIGNALS:
            vars(self._peer).pop(signal, None)
