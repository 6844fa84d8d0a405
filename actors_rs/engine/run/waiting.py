"""Waiting for the end of a run: which threads must not, and what a coroutine can be given.

Threads that actors share must not wait, and neither must functions of the run: the run waits for
them. They may wait for anything else on a thread of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import Context
from typing import TYPE_CHECKING, Protocol

from actors_rs.errors import BlockingError, StreamError
from actors_rs.runtime._primitives import ThreadLocal, check_may_block
from actors_rs.runtime.actors.awaiting import RUN_ELSEWHERE
from actors_rs.runtime.actors.contract import is_fatal
from actors_rs.texts import class_name_of, repr_of, text_of

if TYPE_CHECKING:
    from actors_rs.runtime.system.system import ActorSystem

__all__ = [
    "awaitable",
    "call_at_end",
    "check_not_on_loop_of",
    "wait_for_end",
    "work_for",
    "work_once_for",
]


class _End(Protocol):
    """The end of a run."""

    name: str

    def wait(self, timeout: float | None, /) -> bool: ...


class _Work(ThreadLocal):
    """The work of the current thread."""

    end: object = None
    """The end of the run that it works for."""


_work = _Work()


def work_for(end: _End) -> None:
    """The calling thread runs functions of a run, and nothing else up to its ``end``."""
    _work.end = end


def work_once_for(end: _End, context: Context, job: Callable[[], None]) -> None:
    """Call ``job``, which runs functions of the run with that ``end``, in ``context``."""
    before, _work.end = _work.end, end
    try:
        context.run(job)
    finally:
        _work.end = before


def wait_for_end(end: _End, timeout: float | None) -> None:
    """Wait until ``end`` has come, at most ``timeout`` seconds.

    Raises ``BlockingError`` where that might never come.
    """
    _check_may_wait(end)
    end.wait(timeout)


def check_not_on_loop_of(system: ActorSystem, run: object) -> None:
    """Raise ``BlockingError`` in a coroutine of ``system``: all of them, and ``run`` with them,
    would stand still while it waits."""
    if system.event_loop.is_current_thread():
        raise BlockingError(
            f"waiting for {repr_of(run)} in a coroutine would block the event loop that the run "
            "needs: await the run"
        )


def call_at_end(run: object, system: ActorSystem, action: Callable[[], object]) -> None:
    """Call ``action`` at the end of ``run``; an exception of it delays no other caller."""
    try:
        action()
    except BaseException as error:
        why = "a function that was called at the end of the run failed"
        system.dead_letters.publish(action, where=text_of(run), why=why, error=error)
        if is_fatal(error):
            system.fatal(error)


def _check_may_wait(end: _End) -> None:
    """Raise ``BlockingError`` where waiting for ``end`` might never end."""
    check_may_block(f"waiting for run '{end.name}'", RUN_ELSEWHERE)
    if _work.end is end:
        raise BlockingError(
            f"a function of run '{end.name}' must not wait for its end, which waits for it"
        )


def awaitable(error: BaseException) -> BaseException:
    """``error`` as a coroutine that awaits the run can raise it.

    A ``StopIteration`` is wrapped: asyncio refuses it, and the coroutine would wait for ever. So is
    asyncio's ``CancelledError``: it would mean that the awaiting task was cancelled, and a
    ``TaskGroup`` drops it.
    """
    if not isinstance(error, StopIteration | asyncio.CancelledError):
        return error
    named = f"{class_name_of(error)}({repr_of(text_of(error))})"
    refused = StreamError(f"the run ended with {named}, which no coroutine can raise for it")
    refused.__cause__ = error
    return refused
