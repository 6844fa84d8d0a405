"""What runs an actor: its turns, from the first hook to the last, and its end.

``PooledActor`` is what a user sees of it. All that is ours in an actor has a name like ``_this_``:
a user's own ``_process``, ``_close`` or ``_system`` meets none of them, and a class that uses one
of ours is refused (``actor_class.py``).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from types import CoroutineType
from typing import Any

from pykka import ActorDeadError, Future
from pykka.messages import ProxyCall, ProxyGetAttr, ProxySetAttr, _ActorStop

from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import Full, start_thread
from actors_rs.runtime.actors.actor_ref import STOP, Ask, answer_dead
from actors_rs.runtime.actors.contract import (
    NO_MESSAGE,
    RUNTIME_MESSAGES,
    ActorBase,
    RuntimeMessage,
    is_fatal,
)
from actors_rs.runtime.actors.future import PooledFuture
from actors_rs.runtime.actors.mailbox import EMPTY, Mailbox
from actors_rs.runtime.actors.pending import (
    Pending,
    PendingEnd,
    PendingMessage,
    PendingStart,
)
from actors_rs.runtime.actors.slow_turns import SlowTurns
from actors_rs.runtime.actors.unread import return_all_unread, return_unread
from actors_rs.runtime.actors.watch import end_all_watches, tell_watchers
from actors_rs.runtime.dead_letters.raised_at import forget_frames
from actors_rs.runtime.dispatch.blocked import SLOW_TURN_SECONDS
from actors_rs.texts import class_name_of, repr_of, text_of

__all__ = ["TURN_SECONDS", "ActorCore"]

TURN_SECONDS = 0.002
"""Seconds after which a turn gives its thread back, between two messages."""
THROUGHPUT = 100
"""Messages after which a turn gives its thread back, unless the system says otherwise."""

logger = logger_called("actors_rs.runtime")
RUNTIME_MESSAGES.update((ProxyCall, ProxyGetAttr, ProxySetAttr))  # pykka's own


class ActorCore(SlowTurns, ActorBase):
    """The turns and the end of an actor; private to the runtime and to stages."""

    _ends_early_ = False  # coroutines of its handlers are cancelled
    _turn_began_ = 0.0  # by the system's timing_clock

    @staticmethod
    def _create_actor_inbox() -> Mailbox:
        return Mailbox()

    @staticmethod
    def _create_future() -> Future[Any]:
        return PooledFuture()

    # Positional only, so that a subclass may call its message what it is.
    def on_receive(self, message: Any, /) -> Any:
        """Handle ``message``; by default it is logged, as pykka does."""
        text = repr_of(message)
        logging.getLogger("pykka").warning(
            "Unexpected message received by %s: %s", text_of(self), text
        )

    def _start_actor_loop(self) -> None:
        """Pykka's seam: it has to be there, and is not called."""

    def _start_loop_(self) -> None:
        system = self._system_
        self._context_ = system.context()
        self._dispatcher_ = system.dispatcher_for(self)
        self._schedule_turn_()

    def _stop_when_read_(self) -> bool:
        """Stop after the messages it has; False if it has ended. There is no answer to make."""
        return self.actor_inbox.offer(STOP)

    def _stop_at_once_(self) -> bool:
        """Stop before any further message; False if it has ended."""
        offered = self.actor_inbox.offer_control(STOP)
        self._end_early_()
        return offered

    def _hurry_(self) -> None:
        """The time for an orderly stop is up: wait for nobody else."""
        self._end_early_(last_hook_too=True)

    def _end_early_(self, *, last_hook_too: bool = False) -> None:
        """Cancel the coroutine that it waits for, if there is one. Any thread."""
        self._ends_early_ = True  # before the look: one that is about to be there looks at it
        if (pending := self._pending_) is not None:
            pending.stop_early(last_hook_too=last_hook_too)

    def _schedule_turn_(self) -> None:
        """Let the dispatcher run a turn; called by the mailbox when there is work."""
        self._dispatcher_.schedule(self.actor_inbox.next_turn(self))

    def _turn_(self) -> None:
        inbox = self.actor_inbox
        again = self._context_.run(self._run_turn_)
        # The turn ends outside the context: the next one may begin on another thread at once, and
        # a context can be entered by one thread at a time.
        if self._pending_ is not None:
            inbox.pause()
            self._pending_.start()  # it ends with a turn; until then there is none
        elif inbox.halted:
            self._turn_halted_()
        elif inbox.end_turn(again):
            if inbox.halted:  # seized just now
                self._turn_halted_()
            else:
                self._schedule_turn_()

    def _turn_halted_(self) -> None:
        """The turn has ended, and there is no further one by itself."""
        if self._supervisor_link_ is not None:
            self._supervisor_link_.report()  # its successor may begin on another thread at once

    def _run_turn_(self) -> bool:
        """Handle messages; True if there is more to do than the messages left in the mailbox."""
        inbox, system = self.actor_inbox, self._system_
        timing_clock = system.timing_clock
        self._turn_began_ = began = timing_clock()
        deadline = began + TURN_SECONDS
        if (pending := self._pending_) is not None:
            self._pending_ = None
            pending.finish()
        elif self._on_start_due_:
            self._begin_()
        message: Any = EMPTY
        for _ in range(system.throughput or THROUGHPUT):
            if self._pending_ is not None or inbox.halted or (message := inbox.take()) is EMPTY:
                break
            self._in_hand_ = message
            try:
                self._process_(message)
            except KeyboardInterrupt as error:  # outside of its handler
                try:
                    self._interrupted_in_(message, error)
                except KeyboardInterrupt:  # again
                    start_thread(self._interrupted_in_, (message, error))
                    raise
                raise
            if (now := timing_clock()) > deadline:
                if now > deadline + SLOW_TURN_SECONDS:
                    self._turn_was_slow_(now - deadline + TURN_SECONDS)
                break
        self._in_hand_ = EMPTY
        return False

    def _begin_(self) -> None:
        self._on_start_due_ = False
        try:
            made: Any = self.on_start()  # type: ignore[func-returns-value]  # a coroutine, perhaps
        except BaseException as error:
            self._fail_(error)
        else:
            if type(made) is CoroutineType:
                self._pending_ = PendingStart(self, made)
            else:
                self._started_()

    def _started_(self) -> None:
        """``on_start`` has returned: the supervisor hears that this actor has started."""
        if self._supervisor_link_ is not None:
            self._supervisor_link_.started(self)

    def _interrupted_in_(self, message: Any, error: BaseException) -> None:
        """Ctrl-C arrived before or after the handler: answer an ``ask`` in any case."""
        if type(message) is Ask and isinstance(message.reply_to, PooledFuture):
            dead = ActorDeadError(f"{self._ref_} was interrupted with the message")
            dead.__cause__ = error
            message.reply_to.end_interrupted(dead)
        elif issubclass(type(message), RuntimeMessage) or type(message) is _ActorStop:
            self.actor_inbox.offer_control(message)
        else:
            self._system_.dead_letters.publish(
                message, where=text_of(self), why="Ctrl-C came around its handler", error=error
            )

    def _process_(self, message: Any) -> None:
        if type(message) is Ask:
            try:
                self._process_ask_(message)
            except Full:
                self._note_dropped_answer_()
            return
        try:
            made = self._receive_(message)
        except BaseException as error:
            self._fail_(error, message)
        else:
            if type(made) is CoroutineType:
                self._pending_ = PendingMessage(self, made, message, message)

    def _process_ask_(self, ask: Ask) -> None:
        try:
            reply = self._receive_(ask.message)
        except BaseException as error:
            self._answer_failure_(ask, error)
        else:
            if type(reply) is CoroutineType:
                self._pending_ = PendingMessage(self, reply, ask, ask, asked=True)
            elif self._pending_ is not None:  # it stops, and on_stop is a coroutine
                self._pending_.message = ask
            else:
                ask.reply_to.set(reply)

    def _reply_(self, ask: Ask, reply: Any) -> None:
        try:
            ask.reply_to.set(reply)
        except Full:
            self._note_dropped_answer_()

    def _note_dropped_answer_(self) -> None:
        logger.warning(
            "%s: an answer was dropped, the future of the ask has a result already", text_of(self)
        )

    def _answer_failure_(self, ask: Ask, error: BaseException) -> None:
        """An exception with an asker is an answer, unless it is fatal or messages are retried."""
        link = self._supervisor_link_
        retrier = link if link is not None and link.retries else None
        if is_fatal(error) or (retrier is not None and retrier.is_last(error)):
            self._fail_(error)
            answer_dead(ask.reply_to, f"{self._ref_} ended while handling the message", error)
        elif retrier is not None:
            ask.failed = error
            self._fail_(error, ask)
        else:
            logger.info("Exception returned from %s to caller:", text_of(self), exc_info=error)
            ask.reply_to.set_exception((type(error), error, error.__traceback__))

    def _receive_(self, message: Any) -> Any:
        if type(message) is _ActorStop:
            self._stop_()
            return True
        if type(message) in RUNTIME_MESSAGES:
            if isinstance(message, RuntimeMessage):
                return message.receive(self)
            return super()._handle_receive(message)
        return self.on_receive(message)

    def _stop_(self) -> None:
        """Stop now: the rest of the mailbox is not handled."""
        self._end_(None, self.on_stop)

    def _fail_(
        self, error: BaseException, message: Any = NO_MESSAGE, retried: Any = NO_MESSAGE
    ) -> None:
        """End after an exception that nobody was waiting for; ``message`` set it off.

        Where messages are retried, ``retried`` is put back if given, else the message itself.
        """
        link = self._supervisor_link_
        if link is None:
            self.actor_stopped.error = error
            self.actor_stopped.set()
            self._note_failure_(error, None if message is NO_MESSAGE else message)
        elif message is NO_MESSAGE:
            self._log_failure_(error)  # nothing is lost, and the supervisor hears of it
        elif link.retries and not link.is_last(error):
            self._log_failure_(error)
            self.actor_inbox.put_back(message if retried is NO_MESSAGE else retried)
        else:
            self._note_failure_(error, message)
        self._end_(error, self.on_failure, type(error), error, error.__traceback__)

    def _end_(
        self, error: BaseException | None, last_hook: Callable[..., None], *args: Any
    ) -> None:
        """The last step of an actor: it leaves the system even if the hook raises.

        After the hook, an error is only kept, without the message that the handler had. A fatal
        error is not kept: it is raised again where the system ends.
        """
        if self._supervisor_link_ is None or self._supervisor_link_.is_last(error):
            self.actor_stopped.error = error
            self.actor_stopped.set()
        pending: Pending | None = None
        failure: BaseException | None = None
        try:
            made: Any = last_hook(*args)  # type: ignore[func-returns-value]
            if type(made) is CoroutineType:
                self._pending_ = pending = PendingEnd(self, made, error)
        except BaseException as raised:
            failure = raised
        finally:
            if pending is None:
                self._leave_after_(error, failure)

    def _leave_after_(self, error: BaseException | None, failure: BaseException | None) -> None:
        """The last hook has ended, perhaps with a ``failure``."""
        try:
            if failure is not None:
                self._note_failure_(failure)
                _release_frames(failure)
        finally:
            _release_frames(error)
            self._leave_(error)

    def _note_failure_(self, error: BaseException, message: Any = None) -> None:
        """Log and record a failure that nobody waits for."""
        self._log_failure_(error)
        self._system_.dead_letters.record(
            message, where=text_of(self), why="the actor failed", error=error
        )

    def _log_failure_(self, error: BaseException) -> None:
        """A failure that is fatal also ends the system."""
        failures = self._system_.dead_letters.failures
        failures.add(f"Unhandled exception in {text_of(self)}", class_name_of(self), error)
        if is_fatal(error):
            self._system_.fatal(error)

    def _leave_(self, error: BaseException | None = None) -> None:
        """Leave the system for good, unless a supervisor decides otherwise."""
        if self._watching_:
            end_all_watches(self)
        if self._supervisor_link_ is None:
            self._close_(error)
        else:
            self._supervisor_link_.ended(error)
            self.actor_inbox.halt()

    def _close_(self, error: BaseException | None) -> None:
        """Close the mailbox, answer or dead-letter what is left in it, leave the system."""
        try:
            self.actor_stopped.error = error
            self.actor_stopped.set()
            try:
                self.actor_inbox.close()
                return_all_unread(self, self.actor_inbox.take)
            finally:
                self._be_gone_(error)
        except KeyboardInterrupt:  # each step may be done twice
            start_thread(self._close_, (error,))  # no signal comes first
            raise

    def _be_gone_(self, error: BaseException | None) -> None:
        """Leave the system, tell the watchers, let the next in line stop."""
        system = self._system_
        try:
            system.forget(self)
            if system.delayed:
                system.delayed.end(self._urn_number_)
            if self._watchers_ is not None:
                tell_watchers(self, error)
        finally:
            system._stop_line.ended(self)

    def _return_unread_(self, message: Any, when: str = "") -> None:
        return_unread(self, message, when)


def _release_frames(error: BaseException | None) -> None:
    if error is not None and not is_fatal(error):
        forget_frames(error)
