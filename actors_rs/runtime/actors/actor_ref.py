"""The reference to a pooled actor: its address, which outlives every actor that lives there."""

from __future__ import annotations

import asyncio
import itertools
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal, TypeVar, overload

from pykka import Actor, ActorDeadError, ActorRef, Future
from pykka.messages import _ActorStop

from actors_rs.runtime._primitives import (
    Full,
    ThreadLocal,
    after_fork_in_child,
    or_for_ever,
    random_bits,
)
from actors_rs.runtime.actors.address import Address, not_found
from actors_rs.runtime.actors.awaiting import ON_TRIO, check_not_on_trio
from actors_rs.runtime.actors.delayed import Delayed, DelayingSystem, tell_later
from actors_rs.runtime.actors.future import PooledFuture
from actors_rs.runtime.actors.late_answer import late_answer
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.runtime.actors.may_wait import ASK, check_may_wait
from actors_rs.runtime.actors.proxy import PooledActorProxy
from actors_rs.runtime.actors.stop_flag import StopFlag
from actors_rs.runtime.settings import check_timeout
from actors_rs.runtime.system.statistics import ActorStatistics, address_statistics

__all__ = [
    "STOP",
    "Ask",
    "PooledActorRef",
    "answer_dead",
    "being_made",
    "next_urn_number",
    "number_of_urn",
    "urn_of",
]

A = TypeVar("A", bound=Actor)
STOP = _ActorStop()
"""Pykka's wish to stop after the messages before it."""
_LOW, _HIGH = 62, 74
"""Bits of a UUID of version 4 that are free, below its variant and below its version."""
_urns = [itertools.count(random_bits(121))]  # counts on from there, and stays below 122 bits


class _MadeHere(ThreadLocal):
    """The child whose constructor runs on this thread, with its reference."""

    both: tuple[PooledActorRef[Any] | None, Actor | None] = (None, None)


_made_here = _MadeHere()


class Ask:
    """A message whose sender waits for an answer.

    ``failed`` is what the last attempt to handle it raised, where failed messages are retried.
    """

    __slots__ = ("failed", "message", "reply_to")

    def __init__(self, message: Any, reply_to: Future[Any]) -> None:
        self.message = message
        self.reply_to = reply_to
        self.failed: BaseException | None = None


class PooledActorRef(ActorRef[A]):
    """The address of an actor: ``system.spawn`` and ``MyActor.start()`` return it.

    Also pykka's ``ActorRef``. All methods may be called from any thread.
    """

    actor_stopped: StopFlag  # type: ignore[assignment]  # an Event's methods
    _home: DelayingSystem | None = None
    """Of a child, which has an address before an actor lives there."""

    def __init__(self, address: Address, actor_class: type[A]) -> None:
        self._urn_number_ = address._urn_number_
        self.actor_class = actor_class
        self.actor_inbox: Mailbox = address.actor_inbox
        self.actor_stopped = address.actor_stopped

    def _actor_weakref(self) -> A | None:  # type: ignore[override]  # pykka has a weakref here
        """The actor while it lives, and in its constructor."""
        ref, actor = _made_here.both
        return actor if ref is self else self.actor_inbox.owner  # type: ignore[return-value]

    @property
    def actor_urn(self) -> str:  # type: ignore[override]
        """The actor's unique name; stays when the actor is gone."""
        return urn_of(self._urn_number_)

    def tell(self, message: Any) -> None:
        """Send ``message``, do not wait. Raises ``ActorDeadError`` if the actor has stopped."""
        if self.actor_stopped.is_set() or not self.actor_inbox.offer(message):
            raise ActorDeadError(not_found(self)) from self.actor_stopped.error

    def tell_after(self, seconds: float, message: Any) -> Delayed:
        """Send ``message`` in ``seconds``; the result has a ``cancel()``.

        The message waits for the address: a child that is restarted in the meantime receives it. If
        the actor has ended for good by then, the message is a dead letter. Raises
        ``ActorDeadError`` if the actor has already ended for good, ``InvalidArgumentError`` for
        ``seconds`` that are no number, and ``IllegalStateError`` in the constructor of an actor
        without a supervisor: call it in ``on_start`` instead.
        """
        return tell_later(self, self._lives_in(), "tell_after", seconds, message, again=False)

    def tell_every(self, seconds: float, message: Any) -> Delayed:
        """Send ``message`` every ``seconds``, for the first time after as many, until ``cancel()``.

        It ends with the actor, not with a restart of it. A timer that ``on_start`` starts needs
        ``cancel()`` in ``on_stop`` and ``on_failure``, or each restart adds one. Times at which
        nothing could be sent are not made up for. Raises as ``tell_after`` does, and for
        ``seconds`` that are not above 0.
        """
        return tell_later(self, self._lives_in(), "tell_every", seconds, message, again=True)

    def _lives_in(self) -> DelayingSystem | None:
        owner: Any = self.actor_inbox.owner
        return self._home if owner is None else owner._system_

    @overload
    def ask(
        self, message: Any, *, block: Literal[False], timeout: float | None = None
    ) -> Future[Any]: ...

    @overload
    def ask(self, message: Any, *, block: bool = True, timeout: float | None = None) -> Any: ...

    def ask(self, message: Any, *, block: bool = True, timeout: float | None = None) -> Any:
        """Send ``message`` and wait for the answer; without ``block``, return a future of it.

        Raises the exception of the handler; ``pykka.Timeout``, which is also a ``TimeoutError``,
        after ``timeout`` seconds; ``ActorDeadError`` when the actor stopped before it handled the
        message, or ended while it handled the message (``SystemExit``). The cause of
        ``ActorDeadError`` is the exception that the actor failed with. A ``timeout`` that is no
        number raises ``InvalidArgumentError``, and waiting on a thread that must not wait raises
        ``BlockingError``; then nothing is sent. In a coroutine write ``await
        ref.ask_async(message)``.
        """
        if timeout is not None:
            check_timeout(timeout)
        future: PooledFuture[Any] = PooledFuture()
        future.question = (self, message)
        if not self._offer_ask(Ask(message, future), block, timeout):
            answer_dead(future, not_found(self), self.actor_stopped.error)
        return future.get(timeout=timeout) if block else future

    async def ask_async(self, message: Any, *, timeout: float | None = None) -> Any:
        """Send ``message`` and return the answer; does not block the event loop of asyncio.

        Raises the errors of ``ask``. A coroutine that is cancelled gets no answer, but the actor
        handles the message. On trio: ``actors_rs.interop.anyio.ask_async``.

            total = await ref.ask_async({"order": 7}, timeout=2.0)
        """
        check_not_on_trio("ref.ask_async", ON_TRIO)
        if timeout is not None:
            check_timeout(timeout)
        answer: Any = self.ask(message, block=False)
        seconds = None if timeout is None else or_for_ever(timeout)
        limit = asyncio.timeout(seconds)
        try:
            async with limit:
                return await answer
        except TimeoutError as error:
            if answer._is_there():  # an error of its own, or it came when the time was up
                return answer.get()
            if not limit.expired():
                raise
            raise late_answer(timeout, (self, message)) from error

    def stop(self, *, block: bool = True, timeout: float | None = None) -> Any:
        """Ask the actor to stop after the messages it has; True if it was alive.

        With ``block`` waits until ``on_stop`` has run or a shutdown gives the actor up, at most
        ``timeout`` seconds, then raises ``pykka.Timeout``; without, returns a future of the answer.
        Raises ``InvalidArgumentError``, and stops nothing, for a ``timeout`` that is no number.
        """
        check_timeout(timeout)
        future: PooledFuture[bool] = PooledFuture()
        future.question = (self, STOP)
        if not self._offer_ask(Ask(STOP, future), block, timeout):
            future.set(False)
        return future.get(timeout=timeout) if block else future

    def _offer_ask(self, ask: Ask, block: bool, timeout: float | None) -> bool:
        """Send ``ask`` unless the actor has ended; nothing where the sender may not wait for it."""
        if self.actor_stopped.is_set():
            return False
        if block:
            check_may_wait(timeout, ASK, ask.message)
        return self.actor_inbox.offer(ask)

    def statistics(self) -> ActorStatistics:
        """Its state, dispatcher, restarts and unread messages at this moment; cheap.

        >>> class Counter(PooledActor): ...
        >>> with ActorSystem() as system:
        ...     seen = system.spawn(Counter).statistics()
        >>> seen.state, seen.restarts, seen.mailbox.data
        ('running', 0, 0)
        """
        return address_statistics(self)

    def proxy(self) -> Any:
        """A proxy of the actor at this address; waits until the supervisor has started one."""
        return PooledActorProxy(actor_ref=self)


@contextmanager
def being_made(actor: Actor, ref: PooledActorRef[Any]) -> Iterator[None]:
    """In this block runs the constructor of ``actor``, whose reference others know already.

    On this thread ``ref`` leads to ``actor``, so that it can make a proxy of itself. All others
    wait for the constructor: an actor that is half made would lack some attributes.
    """
    before, _made_here.both = _made_here.both, (ref, actor)
    try:
        yield
    finally:
        _made_here.both = before


def next_urn_number() -> int:
    """A number that no other actor has."""
    return next(_urns[0])


def urn_of(number: int) -> str:
    """The number as the URN of a UUID of version 4, as pykka's."""
    low, middle, high = number % 2**_LOW, number >> _LOW & 0xFFF, number >> _HIGH
    return uuid.UUID(int=high << 80 | 0x4 << 76 | middle << 64 | 0b10 << 62 | low).urn


def number_of_urn(urn: str) -> int | None:
    """The number that ``urn_of`` made ``urn`` of; ``None`` for what is no URN of an actor."""
    try:
        bits = uuid.UUID(urn).int
    except (ValueError, AttributeError, TypeError):
        return None
    number = bits >> 80 << _HIGH | (bits >> 64 & 0xFFF) << _LOW | bits % 2**_LOW
    return number if urn_of(number) == urn else None


def _count_elsewhere() -> None:
    """Make the URNs of a forked child differ from the URNs that its parent will make."""
    _urns[0] = itertools.count(random_bits(121))


after_fork_in_child(_count_elsewhere)


def answer_dead(future: Future[Any], reason: str, cause: BaseException | None = None) -> None:
    """Tell who asked that nobody will answer."""
    error = ActorDeadError(reason)
    error.__cause__ = cause
    with suppress(Full):  # its owner has set it, and waits for nothing any more
        future.set_exception((ActorDeadError, error, None))
