"""The answer to an ``ask``: a pykka ``Future`` that no interrupt leaves locked.

A pool thread that would have to wait raises ``BlockingError`` instead: it might be the very
thread that the answer needs.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Generator, Iterable
from contextlib import suppress
from math import inf
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from pykka import ActorDeadError, Future

from actors_rs.runtime._primitives import (
    SLICE,
    Event,
    Full,
    Lock,
    drive_until,
    fork_count,
    monotonic,
    or_for_ever,
    start_thread,
)
from actors_rs.runtime.actors.awaiting import Awaiting
from actors_rs.runtime.actors.late_answer import LateAnswerError, Question, late_answer
from actors_rs.runtime.actors.may_wait import ANSWER, check_may_wait
from actors_rs.runtime.settings import check_timeout

__all__ = ["PooledFuture", "release"]

T = TypeVar("T")
M = TypeVar("M")
_ExcInfo: TypeAlias = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]


class PooledFuture(Future[T]):
    """Holds one value or exception. All methods may be called from any thread."""

    question: Question | None = None
    """What this is the answer to, until there is one."""
    _awaiting: Awaiting | None = None
    _made_of: tuple[Any, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self._asked_in = fork_count()
        self._claim = Lock()  # its holder sets the result
        self._there = Event()  # the result, or a hook
        self._done = False  # a hint: once true, value and error stay as they are
        self._value: Any = None
        self._error: BaseException | None = None
        self._traceback: TracebackType | None = None

    def get(self, *, timeout: float | None = None) -> T:
        """The value, or raises the exception; waits ``timeout`` seconds, ``None`` for ever.

        Raises ``pykka.Timeout``, also a ``TimeoutError``, when time is up; it names the actor and
        the question. Raises ``BlockingError`` on a thread of the shared pool before the result is
        set, and ``InvalidArgumentError`` for a ``timeout`` that is no number.
        """
        if timeout is not None:
            check_timeout(timeout)
        if not self._done:
            if self._get_hook is None:
                timeout = self._wait(timeout)
            if self._get_hook is not None:
                return self._computed(timeout)
        if self._error is not None:
            raise self._error.with_traceback(self._traceback)  # not longer with every get
        return self._value  # type: ignore[no-any-return]

    def __await__(self) -> Generator[Any, None, T]:
        """The value, for a coroutine on a loop of asyncio; what else runs there goes on.

        What ``map`` and its like compute of other futures, they compute on the loop when these are
        there; what another hook computes, on a thread of the loop's executor.
        """
        yield from self._until_there()
        if self._done or self._made_of:
            return self.get()
        return (yield from asyncio.to_thread(_got, self).__await__())

    __iter__ = __await__

    def _until_there(self) -> Generator[Any, None, None]:
        """Wait, in a coroutine, until ``get`` need not wait, but for what a hook does itself."""
        if not self._done and self._get_hook is None:
            self._check_is_here()
            yield from self._all_awaiting().until(self._is_there)
        for future in self._made_of:
            yield from future._until_there()

    def filter(self, func: Callable[[Any], bool]) -> Future[Any]:
        """As pykka's; raises what ``get`` does."""
        return self._made(super().filter(func), self)  # type: ignore[misc]

    def join(self, *futures: Future[Any]) -> Future[Iterable[Any]]:
        """As pykka's; raises what ``get`` does."""
        return self._made(super().join(*futures), self, *futures)

    def map(self, func: Callable[[T], M]) -> Future[M]:
        """As pykka's; raises what ``get`` does."""
        return self._made(super().map(func), self)

    def reduce(self, func: Callable[[Any, Any], Any], *args: Any) -> Future[Any]:
        """As pykka's; raises what ``get`` does."""
        return self._made(super().reduce(func, *args), self)  # type: ignore[misc]

    @staticmethod
    def _made(future: Future[M], *of: Future[Any]) -> Future[M]:
        if isinstance(future, PooledFuture) and all(isinstance(one, PooledFuture) for one in of):
            future._made_of = of
        return future

    def set(self, value: T | None = None) -> None:
        """Set the value; raises ``queue.Full`` if there is a result already."""
        self._claim_or_raise()
        self._value = value
        self._done = True
        self.question = None
        self._tell()

    def set_exception(self, exc_info: _ExcInfo | None = None) -> None:
        """Set the exception, by default the one being handled; raises like ``set``."""
        exc_type, error, traceback = exc_info if exc_info is not None else sys.exc_info()
        if error is None:
            error = exc_type() if exc_type is not None else RuntimeError("no exception given")
        self._claim_or_raise()
        self._error, self._traceback = error, traceback
        self._done = True
        self.question = None
        self._tell()

    def end_interrupted(self, error: BaseException) -> None:
        """Set ``error`` if ``set`` was interrupted on this thread before there was a result."""
        with suppress(Full):
            self._claim_or_raise()
        if not self._done:  # the interrupted call holds the claim
            self._error, self._done = error, True
        self._tell()

    def set_get_hook(self, func: Callable[[float | None], T]) -> None:
        """Let ``func(timeout)`` compute the result on ``get``; raises like ``set``."""
        self._claim_or_raise()
        self._computing = Lock()  # held while the hook runs, by the first caller
        super().set_get_hook(func)
        self._tell()

    def _tell(self) -> None:
        """Wake the waiting threads: there is a result or a hook."""
        try:
            self._there.set()
            if self._awaiting is not None:
                self._awaiting.wake()
        except BaseException:  # Ctrl-C, on a thread of the program's
            start_thread(self._tell, ())
            raise

    def _all_awaiting(self) -> Awaiting:
        """Made for the first coroutine: hardly any answer is awaited by one."""
        one: Awaiting = self.__dict__.setdefault("_awaiting", Awaiting())  # of two who meet here
        return one

    def _claim_or_raise(self) -> None:
        if not self._claim.acquire(blocking=False):
            raise Full("the future has a result already")

    def _check_is_here(self) -> None:
        """Raise ``ActorDeadError`` where nobody will ever answer: in a child of the process."""
        if self._asked_in != fork_count():
            raise ActorDeadError(
                "the question was sent before the process forked, and the answer goes to the "
                "parent: ask an actor of a system that was made after the fork"
            )

    def _wait(self, timeout: float | None) -> float | None:
        """Return when there is a result or a hook, with the seconds left of ``timeout``."""
        if self._is_there():
            return timeout
        self._check_is_here()
        question = self.question
        check_may_wait(timeout, ANSWER, question and question[1])
        if drive_until(self._is_there, timeout):
            left = timeout  # it is the world's, whose clock this thread cannot read
        else:
            began = monotonic()
            self._there.wait(timeout)
            left = None if timeout is None else max(0.0, timeout - (monotonic() - began))
        if not self._is_there():
            raise late_answer(timeout, self.question)
        return left

    def _is_there(self) -> bool:
        """Whether there is a result or a hook."""
        return self._done or self._get_hook is not None

    def _computed(self, timeout: float | None) -> T:
        """The result of the hook, which runs once for all callers, unless it raises."""
        lock, left = self._computing, timeout
        if not lock.acquire(blocking=False):
            self._check_is_here()
            left = _wait_for(lock, timeout)
        try:
            if not self._done:
                self._value = super().get(timeout=left)
                self._done = True
            return self._value  # type: ignore[no-any-return]
        finally:
            lock.release()


def _got(future: Future[T]) -> T:
    """On a thread of asyncio's, which cannot hand a ``StopIteration`` over."""
    try:
        return future.get()
    except StopIteration as error:
        raise RuntimeError("a future's hook raised StopIteration") from error


def _wait_for(lock: Lock, timeout: float | None) -> float | None:
    """Take ``lock``, held elsewhere, within ``timeout`` seconds; returns the seconds left."""
    check_may_wait(timeout, ANSWER)
    if drive_until(lambda: not lock.locked(), timeout):
        if not lock.acquire(blocking=False):
            raise _late_hook(timeout)
        return timeout  # it is the world's, whose clock this thread cannot read
    limit = or_for_ever(timeout)
    left = inf if limit is None else max(0.0, limit)
    deadline = inf if limit is None else monotonic() + left
    while not lock.acquire(timeout=min(left, SLICE)):  # a signal may come just before it sleeps
        left = deadline - monotonic()
        if left <= 0:
            raise _late_hook(timeout)
    return timeout if limit is None else max(0.0, deadline - monotonic())


def _late_hook(timeout: float | None) -> LateAnswerError:
    return LateAnswerError(
        f"another thread still computes this result after {timeout} seconds, with what map, "
        "filter, reduce or a get hook was given; get(timeout=...) with more seconds waits longer"
    )


def release(futures: Iterable[Future[Any]]) -> None:
    """Answer each of ``futures`` with True, unless it has an answer already."""
    for future in futures:
        with suppress(Full):
            future.set(True)
