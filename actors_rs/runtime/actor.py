"""``PooledActor``: pykka's actor, on a dispatcher instead of a thread of its own.

It plugs into pykka's documented seams (inbox, future, loop start), so ``ActorRef``,
``ActorProxy``, ``ask``, ``stop`` and the hooks keep their meaning. What differs is on purpose:

- a message is handled, answered with ``ActorDeadError`` or dead-lettered, never forgotten;
- an exception, of whatever kind, ends this actor at most and no other;
- a failing ``on_start`` calls ``on_failure``;
- actors live in their system, not in pykka's global list.
"""

from __future__ import annotations

import itertools
import logging
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, overload

from pykka import Actor, ActorDeadError, ActorRef, Future
from pykka.messages import ProxyCall, ProxyGetAttr, ProxySetAttr, _ActorStop

from actors_rs.errors import DefectError
from actors_rs.runtime._primitives import Full, random_bits
from actors_rs.runtime.future import PooledFuture
from actors_rs.runtime.mailbox import EMPTY, Mailbox
from actors_rs.runtime.stop_flag import StopFlag

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from actors_rs.runtime.dispatcher import Dispatcher
    from actors_rs.runtime.system import ActorSystem

__all__ = ["TURN_SECONDS", "PooledActor", "PooledActorRef"]

TURN_SECONDS = 0.002
"""Seconds after which a turn gives its thread back, between two messages."""
THROUGHPUT = 100
"""Messages after which a turn gives its thread back."""
SLOW_SECONDS = 0.1
"""Seconds that one message may hold a pool thread before the log says so, once per actor."""

A = TypeVar("A", bound="PooledActor")
logger = logging.getLogger("actors_rs.runtime")
_PROXY_MESSAGES = frozenset({ProxyCall, ProxyGetAttr, ProxySetAttr})
_STOP = _ActorStop()
_urns = itertools.count(random_bits(128))


class _Ask:
    """A message whose sender waits for an answer."""

    __slots__ = ("message", "reply_to")

    def __init__(self, message: Any, reply_to: Future[Any]) -> None:
        self.message = message
        self.reply_to = reply_to


class PooledActorRef(ActorRef[A]):
    """pykka's reference to an actor. All methods may be called from any thread."""

    def __init__(self, actor: A) -> None:
        self._urn_number = actor._urn_number
        self.actor_class = type(actor)
        self.actor_inbox: Mailbox = actor.actor_inbox
        self.actor_stopped = actor.actor_stopped

    def _actor_weakref(self) -> A | None:  # type: ignore[override]  # pykka has a weakref here
        """The actor while it lives."""
        return self.actor_inbox.owner  # type: ignore[return-value]

    @property
    def actor_urn(self) -> str:  # type: ignore[override]
        """The actor's unique name; stays when the actor is gone."""
        return _urn(self._urn_number)

    def tell(self, message: Any) -> None:
        """Send ``message``, do not wait. Raises ``ActorDeadError`` if the actor has stopped."""
        if self.actor_stopped.is_set() or not self.actor_inbox.offer(message):
            raise ActorDeadError(f"{self} not found")

    @overload
    def ask(
        self, message: Any, *, block: Literal[False], timeout: float | None = None
    ) -> Future[Any]: ...

    @overload
    def ask(self, message: Any, *, block: bool = True, timeout: float | None = None) -> Any: ...

    def ask(self, message: Any, *, block: bool = True, timeout: float | None = None) -> Any:
        """Send ``message`` and wait for the answer, or return a future of it.

        Raises what the handler raised, ``pykka.Timeout``, or ``ActorDeadError`` when the actor
        stopped before handling the message or ended in the midst of it (``SystemExit``).
        """
        future = self.actor_class._create_future()
        if self.actor_stopped.is_set() or not self.actor_inbox.offer(_Ask(message, future)):
            _answer_dead(future, f"{self} not found")
        return future.get(timeout=timeout) if block else future

    def stop(self, *, block: bool = True, timeout: float | None = None) -> Any:
        """Ask the actor to stop after the messages it has; True if it was alive.

        With ``block`` waits until ``on_stop`` has run, at most ``timeout`` seconds, then raises
        ``pykka.Timeout``; without, returns a future of the answer.
        """
        future: PooledFuture[bool] = PooledFuture()
        if self.actor_stopped.is_set() or not self.actor_inbox.offer(_Ask(_STOP, future)):
            future.set(False)
        return future.get(timeout=timeout) if block else future


class PooledActor(Actor):
    """An actor on the shared pool; subclass it as you would ``pykka.ThreadingActor``.

    ``dispatcher`` says who gives it a thread: ``"pool"`` (default), ``"pinned"`` for a thread of
    its own, needed if handlers wait for futures, or ``"calling_thread"``. Handlers run one at a
    time, in a copy of the context in which the actor was started.
    """

    dispatcher: ClassVar[str] = "pool"
    _reported_slow = False

    actor_inbox: Mailbox
    _dispatcher: Dispatcher

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        """Prepare the fields pykka documents, more cheaply; call ``super().__init__()``."""
        self._urn_number = next(_urns)
        self.actor_inbox = self._create_actor_inbox()
        self.actor_inbox.owner = self
        self.actor_stopped = StopFlag()  # type: ignore[assignment]  # an Event's methods
        self._actor_ref = PooledActorRef(self)
        self._system: ActorSystem | None = None
        self._on_start_due = True

    @classmethod
    def start(cls, *args: Any, **kwargs: Any) -> ActorRef[Self]:
        """Start in the current system: the innermost ``with ActorSystem()``, else a default one.

        The default system keeps the process alive until its last actor has stopped, as pykka's
        threads do.
        """
        from actors_rs.runtime.system import spawn_in_current_system

        return spawn_in_current_system(cls, *args, **kwargs)

    @property
    def actor_urn(self) -> str:  # type: ignore[override]
        """A name no other actor has."""
        return _urn(self._urn_number)

    @property
    def system(self) -> ActorSystem:
        """The system this actor lives in; there is one from ``on_start`` on."""
        if self._system is None:
            raise DefectError(f"{self} was never started in a system")
        return self._system

    @staticmethod
    def _create_actor_inbox() -> Mailbox:
        return Mailbox()

    @staticmethod
    def _create_future() -> Future[Any]:
        return PooledFuture()

    def _start_actor_loop(self) -> None:
        system = self.system
        self._context = system.context()
        self._dispatcher = system.dispatcher_for(self)
        self._schedule_turn()

    def _stop_when_read(self) -> None:
        """Stop after the messages it has; unlike ``actor_ref.stop`` there is no answer to make."""
        self.actor_inbox.offer(_STOP)

    def _schedule_turn(self) -> None:
        """Let the dispatcher run a turn; called by the mailbox when there is work."""
        self._dispatcher.schedule(self._turn)

    def _turn(self) -> None:
        again = self._context.run(self._run_turn)
        # The turn ends outside the context: the next one may begin on another thread at once,
        # and a context can be entered by one thread at a time.
        if not self.actor_inbox.closed and self.actor_inbox.end_turn(again):
            self._dispatcher.schedule(self._turn)

    def _run_turn(self) -> bool:
        """Handle messages; True if there is more to do than the messages left in the mailbox."""
        if self._on_start_due:
            self._on_start_due = False
            self._guarded(self.on_start)
        inbox, stopwatch = self.actor_inbox, self.system.stopwatch
        deadline = stopwatch() + TURN_SECONDS
        for _ in range(THROUGHPUT):
            if inbox.closed or (message := inbox.take()) is EMPTY:
                break
            self._process(message)
            if (now := stopwatch()) > deadline:
                self._note_slow_message(now - deadline)
                break
        return False

    def _first_report(self) -> bool:
        """Once a class, of which there may be thousands of actors, and not of its subclasses."""
        first = "_reported_slow" not in vars(type(self))
        type(self)._reported_slow = True
        return first

    def _note_slow_message(self, late: float) -> None:
        if late > SLOW_SECONDS and self.dispatcher == "pool" and self._first_report():
            logger.warning(
                "%s held a pool thread for %.0f ms; if handlers block, set dispatcher = 'pinned'",
                self,
                late * 1000,
            )

    def _process(self, message: Any) -> None:
        if type(message) is _Ask:
            try:
                self._process_ask(message.message, message.reply_to)
            except Full:
                logger.warning("%s: the future of an ask was set by somebody else", self)
        else:
            self._guarded(self._handle_receive, message)

    def _process_ask(self, message: Any, reply_to: Future[Any]) -> None:
        try:
            reply = self._handle_receive(message)
        except Exception:
            logger.info("Exception returned from %s to caller:", self, exc_info=True)
            reply_to.set_exception()
        except BaseException as error:
            self._fail(error)
            _answer_dead(reply_to, f"{self._actor_ref} ended while handling the message", error)
        else:
            reply_to.set(reply)

    def _handle_receive(self, message: Any) -> Any:
        if type(message) is _ActorStop:
            self._stop()
            return True
        if type(message) in _PROXY_MESSAGES:
            return super()._handle_receive(message)
        return self.on_receive(message)

    def _guarded(self, hook: Any, *args: Any) -> None:
        try:
            hook(*args)
        except BaseException as error:
            self._fail(error)

    def _stop(self) -> None:
        """Stop now: the rest of the mailbox is not handled."""
        self._end(self.on_stop)

    def _fail(self, error: BaseException) -> None:
        """End after an exception that nobody was waiting for."""
        self.actor_stopped.set()
        self._note_failure(error)
        self._end(self.on_failure, type(error), error, error.__traceback__)

    def _end(self, last_hook: Callable[..., None], *args: Any) -> None:
        """The actor's last act; it leaves, whatever the hook raises."""
        self.actor_stopped.set()
        try:
            last_hook(*args)
        except BaseException as error:
            self._note_failure(error)
        finally:
            self._leave()

    def _handle_failure(
        self,
        exception_type: type[BaseException] | None,
        exception_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        info = (exception_type, exception_value, traceback)
        logger.error("Unhandled exception in %s:", self, exc_info=info)  # type: ignore[arg-type]

    def _note_failure(self, error: BaseException) -> None:
        """Log and record a failure that nobody waits for; one that is fatal ends the system."""
        self._handle_failure(type(error), error, error.__traceback__)
        self.system.dead_letters.record(None, where=str(self), why="the actor failed", error=error)
        if not isinstance(error, Exception):
            self.system.fatal(error)

    def _leave(self) -> None:
        """Close the mailbox, answer or dead-letter what is left in it, leave the system."""
        try:
            for message in self.actor_inbox.close():
                self._return_unread(message)
        finally:
            self.system.forget(self)

    def _return_unread(self, message: Any) -> None:
        if type(message) is not _Ask:
            if type(message) is not _ActorStop:
                self.system.dead_letters.publish(
                    message, where=str(self), why="the actor stopped before it read the message"
                )
        elif type(message.message) is _ActorStop:
            with suppress(Full):
                message.reply_to.set(True)
        else:
            reason = f"{self._actor_ref} stopped before handling the message"
            _answer_dead(message.reply_to, reason)


def _urn(number: int) -> str:
    return uuid.UUID(int=number % 2**128).urn


def _answer_dead(future: Future[Any], reason: str, cause: BaseException | None = None) -> None:
    error = ActorDeadError(reason)
    error.__cause__ = cause
    with suppress(Full):  # its owner has set it, and waits for nothing any more
        future.set_exception((ActorDeadError, error, None))
