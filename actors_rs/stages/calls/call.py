"""One call of a user's function for an element, and what may come of it: ``map_async``'s."""

from __future__ import annotations

from asyncio import CancelledError, Task, get_running_loop, isfuture
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError as FutureCancelled
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import Context, copy_context
from typing import Any, Final

from actors_rs.errors import DeciderError
from actors_rs.raised import as_failure
from actors_rs.stages.context import Followed, StageContext
from actors_rs.texts import repr_of

__all__ = ["RESULT", "TIME", "Call", "answered", "awaited", "failure_of", "is_answer"]

RESULT: Final = "its result"
TIME: Final = "its time"
"""What ends a call that may take only so long."""


async def awaited(made: Awaitable[Any]) -> Any:
    """What comes of ``made``, which a function has returned, on this event loop.

    Raises ``TypeError`` for a future, or a task, of another one.
    """
    if isfuture(made) and made.get_loop() is not get_running_loop():
        raise TypeError(
            f"map_async awaits what f returns on the system's event loop, got {repr_of(made)} "
            "of another one; asyncio.run_coroutine_threadsafe gives a concurrent.futures.Future "
            "for that"
        )
    return await made


def is_answer(value: Any) -> bool:
    """Whether it is an actor's, a future of pykka's: to await one of another kind of actor, such as
    ``pykka.ThreadingActor``, blocks the whole event loop.
    """
    return hasattr(type(value), "set_get_hook")


def answered(value: Any) -> Any:
    """``value``, or what it is the answer with; waits for that, on a thread that may block."""
    while is_answer(value):
        value = value.get()
    return value


def failure_of(error: BaseException) -> Exception:
    """What an element fails with whose call raised ``error``: something with a policy."""
    if not issubclass(type(error), CancelledError):
        return as_failure(error)
    cancelled = FutureCancelled("the call was cancelled")
    cancelled.__cause__ = error
    return cancelled


class Call:
    """One call of ``f``: waiting, under way, then with a value or an error."""

    __slots__ = (
        "_ended_by",
        "_operation",
        "attempts",
        "began",
        "context",
        "done",
        "element",
        "error",
        "future",
        "position",
        "runner",
        "task",
        "undecided",
        "value",
    )

    def __init__(self, element: Any, position: int, limited: bool = False) -> None:
        self.element = element
        self.position = position
        self.attempts = 1
        self.began = 0.0
        self.done = False
        self.value: Any = None
        self.error: BaseException | None = None
        self.undecided: DeciderError | None = None  # whether it was to be made again
        self.future: Future[Any] | None = None
        self.task: Task[Any] | None = None  # that awaits it, on the event loop
        self.runner: object = None  # the job that is in it, for ``StageContext.abandon``
        self.context: Context | None = None  # that it was begun in
        self._operation: Followed | None = None
        self._ended_by: dict[str, str] | None = {} if limited else None

    def ended_by(self, who: str) -> bool:
        """Whether ``who``, its result or its time, ends it: the first that asks. Any thread."""
        ended_by = self._ended_by
        return ended_by is None or ended_by.setdefault("", who) == who

    def make(self, f: Callable[[Any], Any], stage: StageContext) -> Any:
        """Call ``f`` in a context of its own; waits for the answer of an actor."""
        self.context = copy_context()
        return self.context.run(self._answered, f, stage)

    def _answered(self, f: Callable[[Any], Any], stage: StageContext) -> Any:
        self.begin(stage)
        return answered(f(self.element))

    def submit(
        self, executor: Executor, f: Callable[[Any], Any], stage: StageContext
    ) -> Future[Any]:
        """Have ``executor`` call ``f``, in a context of its own where a context can go."""
        context = copy_context()
        context.run(self.begin, stage)
        if getattr(type(executor), "submit", None) is ThreadPoolExecutor.submit:
            return executor.submit(context.run, f, self.element)
        # It may send its arguments to another process, where a context cannot go.
        return context.run(executor.submit, f, self.element)

    def renewed(self) -> Call:
        """A new call for the same element and attempt, in place of one whose time is up."""
        again = Call(self.element, self.position, limited=True)
        again.attempts, again.began = self.attempts, self.began
        return again

    def begin(self, stage: StageContext) -> None:
        """The current context belongs to the call from now on, and ``f`` is about to be called."""
        self._operation = stage.operation("call", self.position, self.attempts)
        if self._operation is not None:
            self._operation.enter()

    def end(self, error: BaseException | None) -> None:
        """This attempt has ended, with ``error`` if it failed. Any thread, once."""
        operation, self._operation = self._operation, None
        if operation is not None:
            operation.end(error)

    @property
    def time_is_up(self) -> bool:
        """Whether its time has ended it. Any thread."""
        return self._ended_by is not None and self._ended_by.get("") == TIME
