"""Frozen records of what a system and its actors are doing. See each ``statistics()``."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from actors_rs.runtime.actors.mailbox import Mailbox, MailboxStatistics
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters, DeadLetterStatistics
from actors_rs.runtime.memory_budget import MemoryBudget
from actors_rs.texts import text_of

if TYPE_CHECKING:
    from actors_rs.runtime.actors.stop_flag import StopFlag
    from actors_rs.runtime.dispatch.dispatcher import Dispatcher

__all__ = [
    "ActorStatistics",
    "SystemStatistics",
    "actor_statistics",
    "address_statistics",
    "statistics_of",
]


@dataclass(frozen=True, slots=True)
class ActorStatistics:
    """An actor at one moment.

    ``state`` is ``"running"``, ``"down"``, ``"stopping"`` or ``"stopped"``. A child is down until
    its supervisor starts it, for the first time or again. ``dispatcher`` is the one that serves it
    (``"pool"``, ``"pinned"``, ``"calling_thread"``, ``"world"``), and before its start the one it
    asks for. ``restarts`` counts the actors that its supervisor has made in place of others so far.
    """

    name: str
    state: str
    dispatcher: str
    mailbox: MailboxStatistics
    restarts: int = 0


@dataclass(frozen=True, slots=True)
class SystemStatistics:
    """A system at one moment.

    ``workers``, ``ready`` and ``turns`` are figures of its pool (see ``DispatcherStatistics``).
    ``pinned`` counts the actors with a thread of their own. ``runs`` counts the runs that have not
    ended; all hubs and processors without a subscriber so far count as one. ``abandoned`` counts
    the calls of user functions, so far, that had not returned within the grace of a run's end. It
    also counts the handlers of actors that had not returned when the time of a shutdown was up.
    ``restarts`` counts the actors, so far, that supervisors have made in place of others.
    ``state`` is ``"running"``, ``"draining"`` or ``"shut down"``. ``memory_reserved`` is the number
    of bytes that links hold or have requested, of ``memory_limit``; 0 and ``None`` without a limit.
    """

    name: str
    state: str
    workers: int
    ready: int
    turns: int
    pinned: int
    actors: int
    runs: int
    abandoned: int
    dead_letters: DeadLetterStatistics
    memory_reserved: int = 0
    memory_limit: int | None = None
    restarts: int = 0


class Place(Protocol):
    """What an actor and its reference have in common."""

    actor_inbox: Mailbox
    actor_stopped: StopFlag


class Addressed(Place, Protocol):
    """A reference, as the statistics see it."""

    actor_class: Any


class Slot(Protocol):
    """The slot of a supervisor for one child."""

    @property
    def restarts(self) -> int: ...


class Running(Place, Protocol):
    """An actor, as its statistics see it."""

    dispatcher: str

    @property
    def _supervisor_link_(self) -> Slot | None: ...


class Counted(Protocol):
    """A system, as its statistics see it."""

    name: str
    dead_letters: DeadLetters

    @property
    def is_open(self) -> bool: ...

    @property
    def _dispatcher(self) -> Dispatcher: ...

    @property
    def _draining(self) -> str: ...

    @property
    def _pinned(self) -> Sequence[Dispatcher]: ...

    @property
    def _actors(self) -> Sized: ...

    @property
    def _activities(self) -> Sized: ...

    @property
    def _abandoned(self) -> int: ...

    @property
    def _hanging(self) -> Sized: ...

    @property
    def _restarts(self) -> int: ...

    @property
    def memory(self) -> MemoryBudget | None: ...


def actor_statistics(actor: Running) -> ActorStatistics:
    """Read ``actor`` while it runs."""
    mailbox = actor.actor_inbox.statistics()
    serving = getattr(actor, "_dispatcher_", None)
    dispatcher = actor.dispatcher if serving is None else serving.kind
    link = actor._supervisor_link_
    restarts = 0 if link is None else link.restarts
    return ActorStatistics(text_of(actor), _state_of(actor), dispatcher, mailbox, restarts)


def address_statistics(ref: Addressed) -> ActorStatistics:
    """Read the actor at the address ``ref``, or the address if there is none now."""
    actor = ref.actor_inbox.owner
    if actor is not None:
        return actor_statistics(actor)  # type: ignore[arg-type]  # whose mailbox it is
    mailbox = ref.actor_inbox.statistics()
    return ActorStatistics(text_of(ref), _state_of(ref), ref.actor_class.dispatcher, mailbox)


def _state_of(address: Place) -> str:
    inbox = address.actor_inbox
    if inbox.closed:
        return "stopped"
    if address.actor_stopped.is_set():
        return "stopping"
    return "down" if inbox.halted else "running"


def statistics_of(system: Counted) -> SystemStatistics:
    """Read ``system`` while it runs: every figure is right by itself, not all at one instant."""
    pool, memory = system._dispatcher.statistics(), system.memory
    running = "draining" if system._draining else "running"
    return SystemStatistics(
        name=system.name,
        state=running if system.is_open else "shut down",
        workers=pool.workers,
        ready=pool.ready,
        turns=pool.turns,
        pinned=sum(1 for pinned in system._pinned if pinned.statistics().workers),
        actors=len(system._actors),
        runs=len(system._activities),
        abandoned=system._abandoned + len(system._hanging),
        dead_letters=system.dead_letters.statistics(),
        memory_reserved=0 if memory is None else memory.reserved,
        memory_limit=None if memory is None else memory.limit,
        restarts=system._restarts,
    )
