"""The contract of an actor, its system and its supervisor: what each may ask of the others.

The messages of the runtime, supervision and the system refer to an actor as an ``ActorBase``, and
actors refer to their system as a ``Home``. An actor that nobody supervises or watches pays nothing
for either: no field of its own and no question asked for a message.
"""

from __future__ import annotations

from asyncio import CancelledError
from collections.abc import Callable
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol

from pykka import Actor

from actors_rs.runtime.actors.actor_ref import STOP, PooledActorRef, next_urn_number, urn_of
from actors_rs.runtime.actors.delayed import DelayingSystem
from actors_rs.runtime.actors.mailbox import EMPTY, Mailbox
from actors_rs.runtime.actors.stop_flag import StopFlag
from actors_rs.runtime.system.statistics import ActorStatistics, actor_statistics

if TYPE_CHECKING:
    from contextvars import Context

    from actors_rs.runtime.actors.pending import Pending
    from actors_rs.runtime.dispatch.dispatcher import Dispatcher

__all__ = [
    "NO_MESSAGE",
    "RUNTIME_MESSAGES",
    "ActorBase",
    "Home",
    "RuntimeMessage",
    "SupervisorLink",
    "is_fatal",
]

NO_MESSAGE: Final = object()
"""In place of the message that failed an actor, where none did."""
RUNTIME_MESSAGES: set[type] = set()
"""The types of all runtime messages: an actor looks a message's type up here, once."""


class RuntimeMessage:
    """A message of the runtime's own, which no ``on_receive`` sees."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        RUNTIME_MESSAGES.add(cls)

    def receive(self, actor: ActorBase, /) -> Any:
        """``actor`` came to it; in its turn."""
        raise NotImplementedError

    def unread(self, actor: ActorBase, /) -> None:
        """``actor`` has ended before it came to it."""


class SupervisorLink(Protocol):
    """Who decides whether an actor lives again. Called in that actor's turns only."""

    label: str
    """The name of the actor in logs."""
    restarts: int
    """How many actors have followed another one in its place."""

    @property
    def supervisor(self) -> PooledActorRef[Any]:
        """The parent of the actor."""

    @property
    def retries(self) -> bool:
        """Whether the next life handles the message that fails the actor again."""

    def identify(self, actor: ActorBase, /) -> None:
        """Give a new actor the fields that outlive it: address, mailbox, flag, system."""

    def is_last(self, error: BaseException | None, /) -> bool:
        """Whether ending now, with or without ``error``, is certainly for good."""
        ...

    def started(self, actor: ActorBase, /) -> None:
        """``on_start`` has returned."""

    def ended(self, error: BaseException | None, /) -> None:
        """The last hook has run; the mailbox is halted and keeps its messages."""

    def report(self) -> None:
        """The turn is over: from now on the mailbox is the supervisor's."""


class StopOrder(Protocol):
    """The order in which the actors of a system stop."""

    def ended(self, actor: ActorBase) -> None:
        """``actor`` has ended; the next one may stop."""


class Home(DelayingSystem, Protocol):
    """A system, as the actors that live in it know it."""

    name: str
    throughput: int | None

    @property
    def timing_clock(self) -> Callable[[], float]:
        """The seconds that turns are timed by."""
        ...

    @property
    def chance(self) -> Callable[[], float]:
        """From 0 to 1, at random: the dice of waits with jitter."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether something can be started."""
        ...

    @property
    def _stop_line(self) -> StopOrder: ...

    def context(self) -> Context:
        """The context to run an actor's code in."""
        ...

    def dispatcher_for(self, actor: ActorBase) -> Dispatcher:
        """The dispatcher that ``actor`` asks for by name."""
        ...

    def forget(self, actor: ActorBase) -> None:
        """``actor`` has stopped."""

    def fatal(self, error: BaseException) -> None:
        """Stop the whole system: no restart cures ``error``."""


class ActorBase(Actor):
    """The fields of an actor, and what the runtime calls of it."""

    dispatcher: str = "pool"
    actor_inbox: Mailbox
    actor_stopped: StopFlag  # type: ignore[assignment]  # an Event's methods

    _ref_class_: ClassVar[type[PooledActorRef[Any]]] = PooledActorRef
    _stops_in_order_: ClassVar[bool] = True  # when its system stops: after those started later
    _urn_number_: int
    _ref_: PooledActorRef[Any]
    _system_: Home  # from its start on
    _on_start_due_: bool
    _context_: Context
    _dispatcher_: Dispatcher
    # What most actors never need has its place in the class until they do.
    _supervisor_link_: SupervisorLink | None = None
    _has_slot_ = False  # a supervisor is about to take charge of it
    _watchers_: dict[str, Mailbox] | None = None
    _watching_: dict[str, Mailbox] | None = None
    _pending_: Pending | None = None  # a coroutine of a handler or hook, before the next message
    _in_hand_: Any = EMPTY  # the message that its turn is in

    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        """Prepare the fields pykka documents, more cheaply; call ``super().__init__()``."""
        if self._supervisor_link_ is not None:
            self._supervisor_link_.identify(self)
            return
        self._urn_number_ = next_urn_number()
        self.actor_inbox = Mailbox()
        self.actor_inbox.owner = self
        self.actor_stopped = StopFlag()
        self._ref_ = self._ref_class_(self, type(self))
        self._system_ = None  # type: ignore[assignment]  # until it is started
        self._on_start_due_ = True

    def _give_up_(self) -> None:
        """A shutdown waits for it no more, and neither does anybody else."""
        self.actor_stopped.set()
        self.actor_inbox.offer_control(STOP)  # a child may have no order to stop yet

    @property
    def actor_urn(self) -> str:  # type: ignore[override]
        """A name no other actor has."""
        return urn_of(self._urn_number_)

    @property
    def actor_ref(self) -> PooledActorRef[Any]:
        """The reference to this actor, to hand to others."""
        return self._ref_

    def __str__(self) -> str:
        named = f" '{self._supervisor_link_.label}'" if self._supervisor_link_ is not None else ""
        return f"{type(self).__name__}{named} ({self.actor_urn})"

    def statistics(self) -> ActorStatistics:
        """This actor at this moment; cheap, from any thread."""
        return actor_statistics(self)

    @property
    def _activity_(self) -> object | None:
        """The activity of the system that this actor ends with; ``None``: it ends by itself."""
        return None

    def _thread_(self) -> int | None:
        """The thread that is in a turn of it at this moment. Any thread."""
        thread = self._dispatcher_.thread_of(self)
        if thread is None and (link := self._supervisor_link_) is not None:
            thread = self._dispatcher_.thread_of(link)  # a child's first turn makes it as well
        return thread

    def _turn_(self) -> None:
        """Take messages, one after another, on a thread of the dispatcher."""
        raise NotImplementedError

    def _stop_(self) -> None:
        """Stop now: the rest of the mailbox is not handled."""
        raise NotImplementedError

    def _stop_when_read_(self) -> bool:
        """Stop after the messages it has; False if it has ended. There is no answer to make."""
        raise NotImplementedError

    def _stop_at_once_(self) -> bool:
        """Stop before any further message; False if it has ended."""
        raise NotImplementedError

    def _hurry_(self) -> None:
        """The time for an orderly stop is up: wait for nobody else."""
        raise NotImplementedError

    def _end_early_(self, *, last_hook_too: bool = False) -> None:
        """Cancel the coroutine that it waits for, if there is one. Any thread."""
        raise NotImplementedError

    def _fail_(
        self, error: BaseException, message: Any = NO_MESSAGE, retried: Any = NO_MESSAGE
    ) -> None:
        """End after an exception that nobody was waiting for; ``message`` set it off."""
        raise NotImplementedError

    def _close_(self, error: BaseException | None) -> None:
        """Close the mailbox, answer or dead-letter what is left in it, leave the system."""
        raise NotImplementedError

    def _interrupted_in_(self, message: Any, error: BaseException) -> None:
        """Ctrl-C came before or after the handler of ``message``."""
        raise NotImplementedError

    def _return_unread_(self, message: Any, when: str = "") -> None:
        """Answer or dead-letter ``message``, which is not handled."""
        raise NotImplementedError


def is_fatal(error: BaseException | None) -> bool:
    """Whether ``error`` is one that no restart cures: its whole system ends.

    ``CancelledError`` is not fatal, although it is no ``Exception``: it ends one task. Neither is
    ``RecursionError``: its stack is gone when it arrives. ``MemoryError`` is fatal, since all
    actors share the memory.
    """
    kind = type(error)  # not ``isinstance``, which may ask an attribute of the user's exception
    return issubclass(kind, MemoryError) or not issubclass(
        kind, Exception | CancelledError | NoneType
    )
