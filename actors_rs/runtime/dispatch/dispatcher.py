"""The dispatcher contract: which thread runs a mailbox, and when.

A dispatcher runs *turns*. It promises three things: a turn handed in once runs once; it runs on a
thread where it may run; ``close`` leaves no thread of the dispatcher running. The mailbox ensures
that one actor never has two turns at a time: it hands in the next turn when the last one has ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

__all__ = ["Dispatcher", "DispatcherStatistics", "Turn"]

Turn: TypeAlias = Callable[[], None]
"""One run of a mailbox. It never raises: what fails inside is the actor's to handle."""


@dataclass(frozen=True, slots=True)
class DispatcherStatistics:
    """A dispatcher at one moment: threads, turns waiting for one, turns begun so far."""

    workers: int
    ready: int
    turns: int


class Dispatcher(Protocol):
    """Gives threads to turns. All methods may be called from any thread."""

    @property
    def kind(self) -> str:
        """Its name in statistics."""
        ...

    @property
    def enqueue(self) -> Callable[[Turn], object]:
        """Hands in a turn that must run soon: one C call, which no signal divides.

        Call ``enqueued`` after it. Both return at once.
        """
        ...

    def enqueued(self) -> None:
        """A turn was handed in: see to it that it runs. Once too often does no harm."""
        ...

    def take_over(self, enqueue: Callable[[Turn], object], /) -> None:
        """Run the turns that ``enqueue`` has handed in: Ctrl-C came before its caller could do so.

        Called on a thread that was begun for it, which is as shallow as a thread can be.
        """
        ...

    def schedule(self, turn: Turn, /) -> None:
        """Run ``turn`` soon: both of these."""
        ...

    def relieve(self) -> None:
        """Called inside a turn that goes on for a while: do not let ready turns wait for it."""
        ...

    def thread_of(self, owner: object) -> int | None:
        """The thread that is in a turn of ``owner``, an actor, at this moment."""
        ...

    def abandon(self, owner: object) -> bool:
        """Expect no end of the turn that ``owner`` is in: its thread takes no further one.

        False if no thread of the dispatcher's own is in such a turn.
        """
        ...

    def grow_if_starved(self) -> None:
        """A turn is in a call that lasts: if others wait and none begins, give them a thread."""
        ...

    def close(self, timeout: float) -> tuple[str, ...]:
        """Run what is scheduled, end the threads; names of those still busy after ``timeout`` s."""
        ...

    def statistics(self) -> DispatcherStatistics:
        """A snapshot; cheap, from any thread."""
        ...
