"""The parts of a system, as the shutdown and the end of the process see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from actors_rs.runtime.actors.contract import ActorBase, Home, StopOrder
from actors_rs.runtime.condition import Condition

if TYPE_CHECKING:
    from actors_rs.runtime._primitives import RLock

__all__ = ["Activity", "Closeable", "StopLineLike", "SystemParts"]


class Activity(Protocol):
    """What runs in a system and has to end before it: a run of a graph."""

    def drain(self) -> object:
        """Take no more elements, deliver the accepted ones. Does not wait."""

    def cancel(self, grace: float | None = None) -> None:
        """Stop now, and within ``grace`` seconds in any case. Does not wait."""

    def abort(self, error: BaseException) -> None:
        """Stop now, and end with ``error``. Does not wait."""

    def wait(self, timeout: float) -> bool:
        """Whether it ended within ``timeout`` seconds."""
        ...

    def disown(self) -> None:
        """It goes on in the process that forked this one, and not here. Takes no old lock."""


class Closeable(Protocol):
    """Something with threads."""

    def close(self, timeout: float, /) -> tuple[str, ...]:
        """End the threads; names of those still busy after ``timeout`` seconds."""
        ...


class Workers(Closeable, Protocol):
    """What ends with the process that made it, not with one that is forked from it."""

    def disown(self) -> None:
        """It goes on in the process that forked this one."""


class StopLineLike(StopOrder, Protocol):
    """The order in which actors stop, and what cuts it short."""

    def hurry(self, actors: Sequence[ActorBase]) -> None:
        """The time is up: stop all of ``actors`` at once."""


class Hurriable(Protocol):
    """A shutdown that is under way, or a part of it."""

    def hurry(self, seconds: float, /) -> None:
        """Be over within ``seconds``."""


class HurriableThreads(Closeable, Hurriable, Protocol):
    """Threads that are not waited for any longer than that."""


class SystemParts(Home, Protocol):
    """An actor system, with what only its parts use."""

    cancel_grace: float
    _closed: bool
    _orphaned: bool
    _spared: int
    _given_up: set[int]
    _hanging: set[int]
    _shutdowns: list[Hurriable]
    _shutdown_limit: float
    _lock: RLock
    _emptied: Condition | None

    @property
    def _stop_line(self) -> StopLineLike: ...

    @property
    def _guardian(self) -> ActorBase | None: ...

    @property
    def _actors(self) -> Mapping[int, ActorBase]: ...

    @property
    def _activities(self) -> Mapping[Activity, None]: ...

    @property
    def _pinned(self) -> Sequence[Closeable]: ...

    @property
    def _dispatcher(self) -> Closeable: ...

    @property
    def blocking(self) -> Closeable:
        """The threads for calls that block."""
        ...

    @property
    def event_loop(self) -> HurriableThreads:
        """The thread of coroutines."""
        ...

    @property
    def processes(self) -> Workers:
        """The worker processes."""
        ...

    def note_abandoned(self) -> None:
        """A call of the user's that has not returned is waited for no more."""

    def children(self) -> Sequence[ActorBase]:
        """The living actors, in the order they were started."""
        ...

    def shutdown(self, *, drain: bool = True, timeout: float | None = None) -> None:
        """End everything, and wait for it."""

    def _living_activities(self) -> Sequence[Activity]: ...

    def _observers(self) -> Sequence[Activity]: ...

    def _tell_to_stop(self, actors: Sequence[ActorBase], *, at_once: bool) -> None: ...

    def _refuse_more(self) -> None: ...
