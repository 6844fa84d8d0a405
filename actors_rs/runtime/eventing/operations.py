"""Operations: parts of a run that take a while, such as a call of ``map_async``.

An event has a moment, an operation has a begin and an end. Nothing is kept of an operation unless
a function given to ``follow`` wants to see its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from actors_rs.runtime._primitives import RLock
from actors_rs.runtime.dead_letters.dead_letters import DeadLetters

__all__ = ["Begin", "Followed", "Operation", "Operations"]


class Operation(NamedTuple):
    """An operation that begins.

    ``number`` is the position of the element of a ``"call"``, or the index of a ``"partition"``.
    ``attempt`` counts from 1.
    """

    kind: Literal["call", "partition"]
    run_id: int
    stage: str
    number: int
    attempt: int = 1


class Followed(Protocol):
    """An operation that goes on. All methods may be called from any thread."""

    def enter(self) -> None:
        """The caller's context belongs to the operation from now on: set context variables."""

    def end(self, error: BaseException | None, /, **figures: Any) -> None:
        """It has ended, with ``error`` if it failed."""


Begin: TypeAlias = Callable[[Operation], Followed | None]


class Operations:
    """The operations of one system. All methods may be called from any thread."""

    def __init__(self, dead_letters: DeadLetters) -> None:
        self._dead_letters = dead_letters
        self._lock = RLock()
        self._followers: tuple[Begin, ...] = ()

    def follow(self, begin: Begin, /) -> Callable[[], None]:
        """Call ``begin`` with each operation from now on; returns a function that ends that.

        ``begin`` returns ``None`` for operations that it does not follow. It must not block. An
        exception that it raises is a dead letter.
        """
        with self._lock:
            self._followers = (*self._followers, begin)

        def stop() -> None:
            with self._lock:
                self._followers = tuple(one for one in self._followers if one is not begin)

        return stop

    @property
    def are_followed(self) -> bool:
        """Whether there is a function that follows them."""
        return bool(self._followers)

    def begin(self, operation: Operation) -> Followed | None:
        """``operation`` begins. ``None`` if no function follows it. Never raises."""
        followed: list[Followed] = []
        for begin in self._followers:
            try:
                one = begin(operation)
            except Exception as error:
                _report(self._dead_letters, error)
            else:
                if one is not None:
                    followed.append(one)
        return _Guarded(followed, self._dead_letters) if followed else None


class _Guarded:
    """One operation for all that follow it; an exception of theirs is a dead letter."""

    __slots__ = ("_all", "_dead_letters")

    def __init__(self, all: Iterable[Followed], dead_letters: DeadLetters) -> None:
        self._all = tuple(all)
        self._dead_letters = dead_letters

    def enter(self) -> None:
        for one in self._all:
            try:
                one.enter()
            except Exception as error:
                _report(self._dead_letters, error)

    def end(self, error: BaseException | None, /, **figures: Any) -> None:
        for one in self._all:
            try:
                one.end(error, **figures)
            except Exception as raised:
                _report(self._dead_letters, raised)


def _report(dead_letters: DeadLetters, error: Exception) -> None:
    dead_letters.publish(None, where="operations", why="a follower raised", error=error)
