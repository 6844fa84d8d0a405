"""Advice for functions of the user's that block a thread of the pool.

A turn that lasts may compute, wait for the interpreter's lock, or for a core of a busy machine:
none of that calls for advice. So a stage, or an actor, whose turn took long is suspected,
and its later turns are measured: one blocks if its thread, and the rest of the process, used next
to no processor time.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType

from actors_rs.runtime._primitives import cpu_seconds, thread_seconds
from actors_rs.runtime.user_code import function_inside

__all__ = ["SLOW_TURN_SECONDS", "ProcessorTime", "Suspicion"]

SLOW_TURN_SECONDS = 0.1
"""A turn that holds a pool thread for longer is suspected of blocking it."""
USED_IF_BLOCKED = 0.05
"""The share of its time that a thread which blocks may still compute."""
USED_BY_OTHERS = 0.5
"""From this share on, the others may have held the interpreter's lock."""


class ProcessorTime:
    """What a turn uses, from the making of this on. To be asked on the thread of the turn."""

    __slots__ = ("_process", "_thread")

    def __init__(self) -> None:
        self._thread, self._process = thread_seconds(), cpu_seconds()

    def shows_blocking(self, seconds: float) -> bool:
        """Whether a turn of ``seconds`` spent them waiting, for something outside of Python."""
        used = thread_seconds() - self._thread
        others = cpu_seconds() - self._process - used
        return used < USED_IF_BLOCKED * seconds and others < USED_BY_OTHERS * seconds


class Suspicion:
    """Of one stage, one of whose turns took long; ``look`` is called on any thread."""

    __slots__ = ("_function", "_used", "over")

    def __init__(self) -> None:
        self.over = False
        """Whether the advice has been given."""
        self.begin()

    def begin(self) -> None:
        """A turn begins, on this thread."""
        self._function = ""
        self._used = ProcessorTime()

    def look(self, thread: int | None, turn: CodeType, owner: object) -> None:
        """The turn lasts: note the function of the user's that ``thread`` is in."""
        if thread is not None and not self.over:
            self._function = function_inside(thread, turn, owner) or self._function

    def judge(self, seconds: float, say: Callable[[str], object]) -> None:
        """The turn took ``seconds``: ``say`` which function has blocked, once, if one has."""
        if not self.over and self._function and self._used.shows_blocking(seconds):
            self.over = True
            say(self._function)
