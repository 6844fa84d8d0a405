"""Messages of a supervisor to itself, and to the supervisors and timers around it."""

from __future__ import annotations

from typing import Protocol

from actors_rs.runtime.actors.contract import RuntimeMessage
from actors_rs.runtime.supervision.supervised import Child

__all__ = ["Hurry", "LastCall", "LookAtStops", "WaitOver"]


class Reminded(Protocol):
    """A supervisor, as these messages see it."""

    def wait_over(self, child: Child | None, number: int) -> None:
        """The backoff of ``child``, or of the round, is over."""

    def time_to_look(self) -> None:
        """Children may have stopped late."""

    def last_call(self, at_once: bool) -> None:
        """No child is restarted from now on; ``at_once``: none is waited for either."""

    def hurry(self) -> None:
        """Stop all children at once."""


class WaitOver(RuntimeMessage):
    """The backoff of ``child`` is over, or of round ``number``."""

    __slots__ = ("child", "number")

    def __init__(self, child: Child | None, number: int) -> None:
        self.child = child
        self.number = number

    def receive(self, actor: Reminded, /) -> None:  # type: ignore[override]
        actor.wait_over(self.child, self.number)


class LookAtStops(RuntimeMessage):
    """Time to look at children that still stop."""

    __slots__ = ()

    def receive(self, actor: Reminded, /) -> None:  # type: ignore[override]
        actor.time_to_look()


class LastCall(RuntimeMessage):
    """The supervisor above must stop, perhaps ``at_once``."""

    __slots__ = ("at_once",)

    def __init__(self, at_once: bool) -> None:
        self.at_once = at_once

    def receive(self, actor: Reminded, /) -> None:  # type: ignore[override]
        actor.last_call(self.at_once)


class Hurry(RuntimeMessage):
    """Little time is left to stop."""

    __slots__ = ()

    def receive(self, actor: Reminded, /) -> None:  # type: ignore[override]
        actor.hurry()
