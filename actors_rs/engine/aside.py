"""``Aside``: code on a thread of its own that runs only while its owner waits for it.

A generator of the user's cannot be left in the middle of a ``next`` and gone on with later. On a
thread it can. Owner and code take turns, so the code may use all that belongs to the owner, and a
deterministic world sees one thread of control.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial

from actors_rs.runtime._primitives import (
    Lock,
    Thread,
    blocking_allowed,
    blocking_forbidden,
    driving,
    may_block,
)

__all__ = ["Aside"]


class Aside:
    """Runs ``code``, which raises nothing and calls ``pause`` where its owner is to go on."""

    __slots__ = ("_back", "_code", "_forward", "_name", "over")

    def __init__(self, code: Callable[[], None], name: str) -> None:
        self._code: Callable[[], None] | None = code
        self._name = name
        self._forward, self._back = Lock(), Lock()
        self.over = False
        """Whether ``code`` has returned."""

    def resume(self) -> None:
        """Let the code go on until it pauses or returns; not once it is ``over``.

        Raises ``RuntimeError`` if the operating system gives no thread for it.
        """
        if (code := self._code) is not None:
            self._forward.acquire()
            self._back.acquire()
            run = partial(self._run, code, copy_context(), may_block())
            with driving(None):  # a world does not go on while its thread waits for the start
                Thread(target=run, name=self._name, daemon=True).start()
            self._code = None
        else:
            self._forward.release()
        self._back.acquire()

    def pause(self) -> None:
        """Let the owner go on until it resumes; on the thread of the code."""
        self._back.release()
        self._forward.acquire()

    def _run(self, code: Callable[[], None], context: Context, may_block: bool) -> None:
        try:
            with blocking_allowed() if may_block else blocking_forbidden():
                context.run(code)
        finally:
            self.over = True
            self._back.release()
