"""Messages to come: told to an actor after a time, once or again and again.

They belong to an address. It keeps them while its actor is restarted; when it has ended for good,
none is waited for any more, and a single message that was still to come is a dead letter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from pykka import ActorDeadError

from actors_rs.errors import IllegalStateError
from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.actors.address import Address, not_found
from actors_rs.runtime.settings import check_seconds
from actors_rs.texts import text_of

if TYPE_CHECKING:
    from actors_rs.runtime.dead_letters.dead_letters import DeadLetters
    from actors_rs.runtime.dispatch.resources import TimerService
    from actors_rs.runtime.dispatch.timers import Timer

__all__ = ["Delayed", "DelayedMessages", "DelayingSystem", "Timing", "tell_later"]


class Timing(Protocol):
    """The clock of a system, and where its messages go that come too late."""

    dead_letters: DeadLetters

    @property
    def timers(self) -> TimerService:
        """What calls when the time has come."""
        ...

    @property
    def now(self) -> Callable[[], float]:
        """The monotonic seconds that delays are counted in."""
        ...


class DelayingSystem(Timing, Protocol):
    """A system, as far as delayed messages have to know it."""

    delayed: DelayedMessages


class Delayed:
    """One ``tell_after`` or ``tell_every``. All methods may be called from any thread."""

    __slots__ = ("_due", "_every", "_message", "_messages", "_ref", "_timer")

    def __init__(
        self,
        messages: DelayedMessages,
        ref: Address,
        message: Any,
        due: float,
        every: float | None,
    ) -> None:
        self._messages = messages
        self._ref = ref
        self._message = message
        self._due = due
        self._every = every
        self._timer: Timer | None = None

    def cancel(self) -> None:
        """Tell it no more, unless it is in the mailbox already; later calls do nothing."""
        if self._messages.remove(self._ref._urn_number_, self) and self._timer is not None:
            self._timer.cancel()

    @property
    def cancelled(self) -> bool:
        """Whether nothing is to come of it any more: told, cancelled, or its actor has ended."""
        return not self._messages.holds(self._ref._urn_number_, self)

    def _wait(self) -> None:
        system = self._messages.system
        self._timer = system.timers.after(max(0.0, self._due - system.now()), self._tell)

    def _tell(self) -> None:
        if self.cancelled:
            return
        if self._every is None:
            if self._messages.remove(self._ref._urn_number_, self):
                self._offer()
            return
        self._offer()
        now = self._messages.system.now()
        self._due += self._every * max(1, (now - self._due) // self._every)  # none made up for
        if not self.cancelled:
            self._wait()

    def _offer(self) -> None:
        if not self._ref.actor_inbox.offer(self._message):
            self._lost()

    def _lost(self) -> None:
        """Its actor has ended: of what comes again and again nothing is lost."""
        if self._every is None:
            self._messages.system.dead_letters.publish(
                self._message,
                where=text_of(self._ref),
                why="the actor stopped before its delayed message came",
            )


class DelayedMessages:
    """The delayed messages of one system. All methods may be called from any thread."""

    def __init__(self, system: Timing) -> None:
        self.system = system
        self._lock = RLock()  # the collector may run a ``__del__`` in here that cancels one
        self._by_urn: dict[int, dict[Delayed, None]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_urn)

    def add(self, urn: int, delayed: Delayed) -> None:
        """``delayed`` is waited for."""
        with self._lock:
            self._by_urn.setdefault(urn, {})[delayed] = None

    def holds(self, urn: int, delayed: Delayed) -> bool:
        """Whether ``delayed`` is waited for."""
        return delayed in self._by_urn.get(urn, ())

    def remove(self, urn: int, delayed: Delayed) -> bool:
        """Wait for ``delayed`` no more; whether that is news."""
        with self._lock:
            own = self._by_urn.get(urn, {})
            known = delayed in own
            own.pop(delayed, None)
            if not own:
                self._by_urn.pop(urn, None)
            return known

    def end(self, urn: int) -> None:
        """The actor has ended for good."""
        with self._lock:
            left = self._by_urn.pop(urn, {})
        for delayed in left:
            if delayed._timer is not None:
                delayed._timer.cancel()
            delayed._lost()


def tell_later(
    ref: Address,
    system: DelayingSystem | None,
    what: str,
    seconds: float,
    message: Any,
    *,
    again: bool,
) -> Delayed:
    """Let ``message`` come to ``ref``, in ``system``, after ``seconds``; ``again``: and so on."""
    check_seconds(what, seconds, some=again)
    if system is None and not ref.actor_stopped.is_set():
        raise IllegalStateError(f"{what}: {ref} was not started yet, call it from on_start on")
    if system is None or ref.actor_stopped.is_set():
        raise ActorDeadError(not_found(ref)) from ref.actor_stopped.error
    messages = system.delayed
    every = seconds if again else None
    delayed = Delayed(messages, ref, message, system.now() + max(0.0, seconds), every)
    messages.add(ref._urn_number_, delayed)
    delayed._wait()
    if ref.actor_stopped.is_set() and messages.remove(ref._urn_number_, delayed):
        raise ActorDeadError(not_found(ref)) from ref.actor_stopped.error
    return delayed
