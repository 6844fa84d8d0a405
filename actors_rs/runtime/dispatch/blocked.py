"""Advice for functions of the user's that block a thread of the pool.

A turn that lasts may compute, wait for the interpreter's lock, or for a core of a busy machine:
none of that calls for advice. The pool looks at its threads anyway, a few times a second. A thread
that it finds in the same turn twice gets a ``Glimpse``: the user's function that it is in, and the
processor time that was used by then. When the turn is over, it has blocked if its thread, and the
rest of the process, used next to none since. A turn that is not looked at pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType

from actors_rs.runtime._primitives import cpu_seconds, monotonic
from actors_rs.runtime.dispatch.user_code import function_inside

__all__ = ["SLOW_TURN_SECONDS", "VERY_SLOW_TURN_SECONDS", "Glimpse", "Look"]

SLOW_TURN_SECONDS = 0.1
"""A turn that holds a pool thread for longer may call for advice, if it is not the only one."""
VERY_SLOW_TURN_SECONDS = 0.5
"""A turn that blocks a pool thread for longer calls for advice by itself.

In less, a machine with too much to do may leave a thread that computes without a core.
"""
USED_IF_BLOCKED = 0.05
"""The share of its time that a thread which blocks may still compute."""
USED_BY_OTHERS = 0.5
"""From this share on, the others may have held the interpreter's lock."""
SEEN_IF_BLOCKED = 0.4
"""The share of a turn, up to its end, that must have been looked at."""


class Look:
    """At a ``thread`` of the pool, in its turn ``number``; ``used`` tells its processor time."""

    __slots__ = ("number", "thread", "used")

    def __init__(self, thread: int, number: int, used: Callable[[], float]) -> None:
        self.thread = thread
        self.number = number
        self.used = used


class Glimpse:
    """Of a turn that lasts."""

    __slots__ = ("_at", "_look", "_others", "_used", "_used_then", "function")

    def __init__(self, look: Look, turn: CodeType, owner: object) -> None:
        """``look`` found its thread in ``owner``'s method with the code ``turn``. Any thread."""
        self.function = function_inside(look.thread, turn, owner)
        """The name of the user's function that the turn is in; empty if it is in none."""
        self._look = look
        self._used, self._used_then = look.used, look.used()
        self._at, self._others = monotonic(), cpu_seconds() - self._used_then

    def is_of(self, look: Look) -> bool:
        """Whether ``look`` has found the same turn."""
        return (look.thread, look.number) == (self._look.thread, self._look.number)

    def shows_blocking(self, seconds: float) -> bool:
        """Whether the turn, which took ``seconds`` and is over now, spent them waiting."""
        seen = monotonic() - self._at
        if not self.function or not SEEN_IF_BLOCKED * seconds <= seen <= seconds:
            return False  # most of it was not looked at, or it was an earlier turn
        used = self._used() - self._used_then
        others = cpu_seconds() - self._used() - self._others
        return used < USED_IF_BLOCKED * seen and others < USED_BY_OTHERS * seen
