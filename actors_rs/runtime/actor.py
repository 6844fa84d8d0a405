"""``PooledActor``: pykka's actor, on a dispatcher instead of a thread of its own.

It plugs into pykka's documented seams (inbox, future, loop start), so ``ActorRef``,
``ActorProxy``, ``ask``, ``stop`` and the hooks keep their meaning. What differs is on purpose:

- a message is handled, answered with ``ActorDeadError`` or dead-lettered, never forgotten;
- an exception, of whatever kind, ends this actor at most and no other;
- a failing ``on_start`` calls ``on_failure``;
- actors live in their system, not in pykka's global list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from pykka import Actor, ActorRef, Future
from pykka.messages import ProxyCall, ProxyGetAttr, ProxySetAttr, _ActorStop

from actors_rs.errors import DefectError, IllegalStateError
from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import Full
from actors_rs.runtime.actor_ref import (
    STOP,
    Ask,
    PooledActorRef,
    answer_dead,
    next_urn_number,
    urn_of,
)
from actors_rs.runtime.future import PooledFuture
from actors_rs.runtime.keeper import (
    NO_MESSAGE,
    RUNTIME_MESSAGES,
    Keeper,
    RuntimeMessage,
    is_fatal,
)
from actors_rs.runtime.mailbox import EMPTY, Mailbox
from actors_rs.runtime.raised_at import forget_frames
from actors_rs.runtime.statistics import ActorStatistics, actor_statistics
from actors_rs.runtime.stop_flag import StopFlag
from actors_rs.runtime.unread import return_unread
from actors_rs.runtime.watch import begin_watch, end_all_watches, end_watch, tell_watchers

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from actors_rs.runtime.dispatcher import Dispatcher
    from actors_rs.runtime.supervisor_ref import SupervisorRef
    from actors_rs.runtime.system import ActorSystem

__all__ = ["TURN_SECONDS", "PooledActor", "PooledActorRef"]

TURN_SECONDS = 0.002
"""Seconds after which a turn gives its thread back, between two messages."""
THROUGHPUT = 100
"""Messages after which a turn gives its thread back, unless the system says otherwise."""
SLOW_SECONDS = 0.1
"""Seconds that one message may hold a pool thread before the log says so, once per actor."""

A = TypeVar("A", bound="PooledActor")
logger = logger_called("actors_rs.runtime")
RUNTIME_MESSAGES.update((ProxyCall, ProxyGetAttr, ProxySetAttr))  # pykka's own


class PooledActor(Actor):
    """An actor on the shared pool; subclass it as you would ``pykka.ThreadingActor``.

    ``dispatcher`` says who gives it a thread: ``"pool"`` (default), ``"pinned"`` for a thread of
    its own, needed if handlers wait for futures, or ``"calling_thread"``. Handlers run one at a
    time, in a copy of the context in which the actor was started.
    """

    dispatcher: ClassVar[str] = "pool"
    _reported_slow = False
    _ref_class: ClassVar[type[PooledActorRef[Any]]] = PooledActorRef
    _stops_in_order: ClassVar[bool] = True  # when its system stops: behind those started later

    actor_inbox: Mailbox
    _dispatcher: Dispatcher
    # What most actors never need has its place in the class until they do.
    _keeper: Keeper | None = None
    _has_place = False  # a supervisor is about to become its keeper
    _watchers: dict[str, Mailbox] | None = None
    _watching: dict[str, Mailbox] | None = None

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        """Prepare the fields pykka documents, more cheaply; call ``super().__init__()``."""
        if self._keeper is not None:
            self._keeper.identify(self)
            return
        self._urn_number = next_urn_number()
        self.actor_inbox = self._create_actor_inbox()
        self.actor_inbox.owner = self
        self.actor_stopped = StopFlag()  # type: ignore[assignment]  # an Event's methods
        self._actor_ref = self._ref_class(self, type(self))
        self._system: ActorSystem | None = None
        self._on_start_due = True

    @classmethod
    def start(cls, *args: Any, **kwargs: Any) -> ActorRef[Self]:
        """Start in the current system: the innermost ``with ActorSystem()``, else a default one.

        The default system keeps the process alive until its last actor has stopped, as pykka's
        threads do.
        """
        from actors_rs.runtime.current import spawn_in_current_system

        return spawn_in_current_system(cls, *args, **kwargs)

    @property
    def actor_urn(self) -> str:  # type: ignore[override]
        """A name no other actor has."""
        return urn_of(self._urn_number)

    def __str__(self) -> str:
        named = f" '{self._keeper.label}'" if self._keeper is not None else ""
        return f"{type(self).__name__}{named} ({self.actor_urn})"

    def watch(self, ref: ActorRef[Any]) -> None:
        """Get one ``Terminated`` when the actor of ``ref`` has ended, also if it has by now.

        It comes to ``on_receive``, but not while this actor's own system stops. To be called in
        a handler or hook of this actor; watching twice is watching once. Raises
        ``InvalidArgumentError`` for a ref of another kind.
        """
        begin_watch(self, ref)

    def unwatch(self, ref: ActorRef[Any]) -> None:
        """Get no ``Terminated`` of ``ref`` any more; in a handler or hook of this actor."""
        end_watch(self, ref)

    def statistics(self) -> ActorStatistics:
        """This actor at this moment; cheap, from any thread."""
        return actor_statistics(self)

    @property
    def system(self) -> ActorSystem:
        """The system this actor lives in; there is one from ``on_start`` on."""
        if self._system is None:
            raise DefectError(f"{self} was never started in a system")
        return self._system

    @property
    def supervisor(self) -> SupervisorRef:
        """The supervisor whose child this is, and with it the way to siblings, by name.

        Raises ``IllegalStateError`` if there is none.
        """
        if self._keeper is None:
            raise IllegalStateError(f"{self} has no supervisor")
        return self._keeper.supervisor

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

    def _stop_when_read(self) -> bool:
        """Stop after the messages it has; False if it has ended. There is no answer to make."""
        return self.actor_inbox.offer(STOP)

    def _stop_at_once(self) -> bool:
        """Stop before any further message; False if it has ended."""
        return self.actor_inbox.offer_control(STOP)

    def _hurry(self) -> None:
        """The time for an orderly stop is up: wait for nobody else."""

    def _schedule_turn(self) -> None:
        """Let the dispatcher run a turn; called by the mailbox when there is work."""
        self._dispatcher.schedule(self._turn)

    def _turn(self) -> None:
        inbox = self.actor_inbox
        try:
            again = self._context.run(self._run_turn)
            # The turn ends outside the context: the next one may begin on another thread at once,
            # and a context can be entered by one thread at a time.
            if inbox.halted:
                self._turn_halted()
            elif inbox.end_turn(again):
                if inbox.halted:  # seized just now
                    self._turn_halted()
                else:
                    self._schedule_turn()
        except KeyboardInterrupt:  # on a thread of the program's, which runs turns too
            if not inbox.idle:
                self._schedule_turn()
            raise

    def _turn_halted(self) -> None:
        """The turn has ended, and there is no further one by itself."""
        if self._keeper is not None:
            self._keeper.report()  # its successor may begin on another thread at once

    def _run_turn(self) -> bool:
        """Handle messages; True if there is more to do than the messages left in the mailbox."""
        if self._on_start_due:
            self._begin()
        inbox, system = self.actor_inbox, self.system
        stopwatch = system.stopwatch
        deadline = stopwatch() + TURN_SECONDS
        for _ in range(system.throughput or THROUGHPUT):
            if inbox.halted or (message := inbox.take()) is EMPTY:
                break
            self._process(message)
            if (now := stopwatch()) > deadline:
                self._note_slow_message(now - deadline)
                break
        return False

    def _begin(self) -> None:
        self._on_start_due = False
        try:
            self.on_start()
        except BaseException as error:
            self._fail(error)
        else:
            if self._keeper is not None:
                self._keeper.started(self)

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
        if type(message) is Ask:
            try:
                self._process_ask(message)
            except Full:
                logger.warning("%s: the future of an ask was set by somebody else", self)
            return
        try:
            self._handle_receive(message)
        except BaseException as error:
            self._fail(error, message)

    def _process_ask(self, ask: Ask) -> None:
        try:
            reply = self._handle_receive(ask.message)
        except BaseException as error:
            self._answer_failure(ask, error)
        else:
            ask.reply_to.set(reply)

    def _answer_failure(self, ask: Ask, error: BaseException) -> None:
        """An exception with an asker is an answer, unless it is fatal or messages are retried."""
        retrier = self._keeper if self._keeper is not None and self._keeper.retries else None
        if is_fatal(error) or (retrier is not None and retrier.is_last(error)):
            self._fail(error)
            answer_dead(ask.reply_to, f"{self._actor_ref} ended while handling the message", error)
        elif retrier is not None:
            ask.failed = error
            self._fail(error, ask)
        else:
            logger.info("Exception returned from %s to caller:", self, exc_info=True)
            ask.reply_to.set_exception()

    def _handle_receive(self, message: Any) -> Any:
        if type(message) is _ActorStop:
            self._stop()
            return True
        if type(message) in RUNTIME_MESSAGES:
            if isinstance(message, RuntimeMessage):
                return message.receive(self)
            return super()._handle_receive(message)
        return self.on_receive(message)

    def _stop(self) -> None:
        """Stop now: the rest of the mailbox is not handled."""
        self._end(None, self.on_stop)

    def _fail(
        self, error: BaseException, message: Any = NO_MESSAGE, retried: Any = NO_MESSAGE
    ) -> None:
        """End after an exception that nobody was waiting for; ``message`` set it off.

        Where messages are retried, ``retried`` is put back if given, else the message itself.
        """
        keeper = self._keeper
        if keeper is None:
            self.actor_stopped.set()
            self._note_failure(error, None if message is NO_MESSAGE else message)
        elif message is NO_MESSAGE:
            self._log_failure(error)  # nothing is lost, and the keeper hears of it
        elif keeper.retries and not keeper.is_last(error):
            self._log_failure(error)
            self.actor_inbox.put_back(message if retried is NO_MESSAGE else retried)
        else:
            self._note_failure(error, message)
        self._end(error, self.on_failure, type(error), error, error.__traceback__)

    def _end(self, error: BaseException | None, last_hook: Callable[..., None], *args: Any) -> None:
        """The actor's last act; it leaves, whatever the hook raises.

        Behind the hook an error is only kept, without what the handler had in hand; not one that
        is fatal, which is raised again where the system ends.
        """
        if self._keeper is None or self._keeper.is_last(error):
            self.actor_stopped.set()
        try:
            last_hook(*args)
        except BaseException as failure:
            self._note_failure(failure)
            _let_go(failure)
        finally:
            _let_go(error)
            self._leave(error)

    def _handle_failure(
        self,
        exception_type: type[BaseException] | None,
        exception_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        info = (exception_type, exception_value, traceback)
        logger.error("Unhandled exception in %s:", self, exc_info=info)  # type: ignore[arg-type]

    def _note_failure(self, error: BaseException, message: Any = None) -> None:
        """Log and record a failure that nobody waits for."""
        self._log_failure(error)
        self.system.dead_letters.record(
            message, where=str(self), why="the actor failed", error=error
        )

    def _log_failure(self, error: BaseException) -> None:
        """A failure that is fatal also ends the system."""
        try:
            self._handle_failure(type(error), error, error.__traceback__)
        except Exception as broken:  # a log that raises must not keep the actor from ending
            self.system.dead_letters.record(
                None, where=str(self), why="the failure could not be logged", error=broken
            )
            forget_frames(broken, but=error)  # ``on_failure`` is still to see that
        if is_fatal(error):
            self.system.fatal(error)

    def _leave(self, error: BaseException | None = None) -> None:
        """Leave the system for good, unless there is a keeper to decide whether it is."""
        if self._watching:
            end_all_watches(self)
        if self._keeper is None:
            self._close(error)
        else:
            self.actor_inbox.halted = True
            self._keeper.ended(error)

    def _close(self, error: BaseException | None) -> None:
        """Close the mailbox, answer or dead-letter what is left in it, leave the system."""
        self.actor_stopped.set()
        try:
            for message in self.actor_inbox.close():
                self._return_unread(message)
        finally:
            self._be_gone(error)

    def _be_gone(self, error: BaseException | None) -> None:
        """Leave the system, tell the watchers, let the next in line stop."""
        system = self.system
        try:
            system.forget(self)
            if self._watchers is not None:
                tell_watchers(self, error)
        finally:
            system._stop_line.ended(self)

    def _return_unread(self, message: Any) -> None:
        return_unread(self, message)


def _let_go(error: BaseException | None) -> None:
    if error is not None and not is_fatal(error):
        forget_frames(error)
