"""What an actor knows of supervision: its keeper, the runtime's own messages, what is fatal.

Small and below ``actor.py``, so that an actor that nobody supervises or watches pays nothing for
either: no field of its own and no question asked for a message.
"""

from __future__ import annotations

from asyncio import CancelledError
from types import NoneType
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from actors_rs.runtime.actors.actor_core import ActorCore
    from actors_rs.runtime.supervision.supervisor_ref import SupervisorRef

__all__ = ["NO_MESSAGE", "RUNTIME_MESSAGES", "Keeper", "RuntimeMessage", "is_fatal"]

NO_MESSAGE: Final = object()
"""In place of the message that failed an actor, where none did."""
RUNTIME_MESSAGES: set[type] = set()
"""The types of all runtime messages: an actor looks a message's type up here, once."""


class RuntimeMessage:
    """A message of the runtime's own, which no ``on_receive`` sees."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        RUNTIME_MESSAGES.add(cls)

    def receive(self, actor: ActorCore, /) -> Any:
        """``actor`` came to it; in its turn."""
        raise NotImplementedError

    def unread(self, actor: ActorCore, /) -> None:
        """``actor`` has ended before it came to it."""


class Keeper(Protocol):
    """Who decides whether an actor lives again. Called in that actor's turns only."""

    label: str
    """What the actor is called in logs."""

    @property
    def supervisor(self) -> SupervisorRef:
        """Of whom the actor is a child."""

    @property
    def retries(self) -> bool:
        """Whether the message that fails the actor is to be handled again."""

    def identify(self, actor: ActorCore, /) -> None:
        """Give a new actor the fields that outlive it: address, mailbox, flag, system."""

    def is_last(self, error: BaseException | None, /) -> bool:
        """Whether ending now, with or without ``error``, is certainly for good."""
        ...

    def started(self, actor: ActorCore, /) -> None:
        """``on_start`` has returned."""

    def ended(self, error: BaseException | None, /) -> None:
        """The last hook has run; the mailbox is halted, what is in it stays."""

    def report(self) -> None:
        """The turn is over: from now on the mailbox is the supervisor's."""


def is_fatal(error: BaseException | None) -> bool:
    """Whether ``error`` is one that no restart cures: its whole system ends.

    A cancelled task is none, although it is no ``Exception``: it was that task that was to end. Nor
    is a ``RecursionError``: its stack is gone when it arrives. Memory is shared by all actors, so
    ``MemoryError`` is one.
    """
    kind = type(error)  # not ``isinstance``, which may ask an attribute of the user's exception
    return issubclass(kind, MemoryError) or not issubclass(
        kind, Exception | CancelledError | NoneType
    )
