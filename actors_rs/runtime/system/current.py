"""The current system: the system of the innermost ``with ActorSystem()`` block, where actors start.

A block may be left in another context than it was entered in: on another thread, or in another
task, like a fixture whose halves run in two. The context variable of the first context cannot be
changed there. So the variable holds the block, and the block knows that it was left.
"""

from __future__ import annotations

import contextvars
from typing import Protocol

__all__ = ["Block", "innermost_system"]


class Owner(Protocol):
    """A system, as its blocks see it."""

    _orphaned: bool


class Block:
    """A ``with`` block of ``system``; or, never entered or left, the code of its actors."""

    __slots__ = ("_outer", "_system")

    def __init__(self, system: Owner) -> None:
        self._system: Owner | None = system  # none after the block, which releases it
        self._outer: Block | None = None

    def enter(self) -> None:
        """From here on it is the innermost one."""
        block = self
        block._outer = _not_left(_innermost.get())
        while (outer := block._outer) is not None:  # release blocks that were left further out
            outer._outer = _not_left(outer._outer)
            block = outer
        _innermost.set(self)

    def leave(self) -> None:
        """From now on the block does not count, in any context."""
        self._system = None
        if _innermost.get() is self:
            _innermost.set(_not_left(self._outer))

    def context(self) -> contextvars.Context:
        """A copy of the caller's context in which this is the innermost one."""
        context = contextvars.copy_context()
        if context.get(_innermost) is not self:
            context.run(_innermost.set, self)
        return context


_innermost: contextvars.ContextVar[Block | None] = contextvars.ContextVar(
    "actors_rs_current_system", default=None
)


def _not_left(block: Block | None) -> Block | None:
    """``block``, or the first one around it, that was not left."""
    while block is not None and block._system is None:
        block = block._outer
    return block


def innermost_system() -> Owner | None:
    """The system of the innermost block that was not left; not one of a parent process."""
    block = _innermost.get()
    while block is not None:
        system = block._system
        if system is not None and not system._orphaned:
            return system
        block = block._outer
    return None
