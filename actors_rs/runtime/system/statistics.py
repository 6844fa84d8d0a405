"""Frozen records of what a system and its actors are doing. See each ``statistics()``."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from actors_rs.runtime.actors.mailbox import Mailbox, MailboxStatistics
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters, DeadLetterStatistics
from actors_rs.runtime.memory_budget import MemoryBudget
from actors_rs.texts import text_of

if TYPE_CHECKING:
    from actors_rs.runtime.actors.stop_flag import StopFlag
    from actors_rs.runtime.dispatch.dispatcher import Dispatcher

__all__ = ["ActorStatistics", "SystemStatistics", "actor_statistics", "statistics_of"]


@dataclass(frozen=True, slots=True)
class ActorStatistics:
    """An actor at one moment.

    ``state`` is ``"running"``, ``"stopping"`` or ``"stopped"``; ``dispatcher`` is the one that
    serves it (``"pool"``, ``"pinned"``, ``"calling_thread"``, ``"world"``), and before its start
    the one it asks for.
    """

    name: str
    state: str
    dispatcher: str
    mailbox: MailboxStatistics


@dataclass(frozen=True, slots=True)
class SystemStatistics:
    """A system at one moment.

    ``workers``, ``ready`` and ``turns`` are figures of its pool (see ``DispatcherStatistics``).
    ``pinned`` counts the actors with a thread of their own. ``runs`` counts the runs that have not
    ended; all hubs and processors without a subscriber so far count as one. ``abandoned`` counts
    the calls of user functions, so far, that had not returned within the grace of a run's end.
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


class Running(Protocol):
    """An actor, as its statistics see it."""

    dispatcher: str
    actor_inbox: Mailbox
    actor_stopped: StopFlag


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
    def memory(self) -> MemoryBudget | None: ...


def actor_statistics(actor: Running) -> ActorStatistics:
    """Read ``actor`` while it runs."""
    mailbox = actor.actor_inbox.statistics()
    ending = "stopping" if actor.actor_stopped.is_set() else "running"
    state = "stopped" if mailbox.closed else ending
    serving = getattr(actor, "_dispatcher_", None)
    dispatcher = actor.dispatcher if serving is None else serving.kind
    return ActorStatistics(text_of(actor), state, dispatcher, mailbox)


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
        abandoned=system._abandoned,
        dead_letters=system.dead_letters.statistics(),
        memory_reserved=0 if memory is None else memory.reserved,
        memory_limit=None if memory is None else memory.limit,
    )
