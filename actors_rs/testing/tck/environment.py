"""The environment of one conformance test: its clock, its waiting, and errors from other threads.

All signals that the kit receives are recorded under one condition. So a wait ends as soon as its
event has happened, or at its deadline. Only "nothing happens" has to let a quiet period pass.
Thread-safe.
"""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any, TypeVar
from unittest import SkipTest

from actors_rs.errors import InvalidArgumentError
from actors_rs.runtime._primitives import Thread, monotonic
from actors_rs.runtime.condition import Condition
from actors_rs.runtime.settings import is_finite, is_number, shown
from actors_rs.testing.tck.calls import Calls
from actors_rs.texts import repr_of

__all__ = ["DILATION_VARIABLE", "Environment", "Failure", "Latch", "NotVerified", "holders"]

R = TypeVar("R")

DILATION_VARIABLE = "ACTORS_RS_TCK_DILATION"
"""Environment variable with the factor that stretches every waiting time of the kit."""


class Failure(AssertionError):  # noqa: N818 - the verdict of a test
    """A rule is broken: the message names it, the expected and the actual signal."""


class NotVerified(SkipTest):
    """A test does not apply or cannot be decided; the message says why. Counts as skipped."""


class Environment:
    """Deadlines, waiting and collected errors of one test.

    ``timeout``: seconds that an expected signal may take, and a call of the code under test, which
    always has one second. ``no_signals_timeout``: seconds of
    silence that count as "nothing came". ``dilation`` multiplies both; by default it is the
    variable ``ACTORS_RS_TCK_DILATION``, or 1. Raises ``InvalidArgumentError`` for a time that is
    negative or a dilation that is not above 0.
    """

    def __init__(
        self,
        timeout: float = 3.0,
        no_signals_timeout: float = 0.05,
        dilation: float | None = None,
    ) -> None:
        factor = _dilation() if dilation is None else dilation
        if not is_number(factor) or not (factor > 0 and is_finite(factor)):
            raise InvalidArgumentError(f"dilation needs a number above 0, got {shown(factor)}")
        self.timeout = _seconds("timeout", timeout) * factor
        self.no_signals_timeout = _seconds("no_signals_timeout", no_signals_timeout) * factor
        self.changed = Condition()
        self._calls = Calls(self.changed, self.timeout)
        self._raised: type[BaseException] = Exception
        self._errors: list[str] = []
        self._open_ends: list[weakref.ref[Any]] = []

    # Errors

    def flop(self, message: str) -> None:
        """Note a violation seen where raising would reach the wrong one; the test fails by it."""
        with self.changed.lock:
            if message not in self._errors:
                self._errors.append(message)
            self.changed.notify_all()

    @property
    def async_errors(self) -> tuple[str, ...]:
        """The violations noted so far."""
        with self.changed.lock:
            return tuple(self._errors)

    def verify_no_async_errors(self) -> None:
        """Raise ``Failure`` with all violations noted so far, if there are any."""
        if errors := self.async_errors:
            raise Failure("; ".join(errors))

    def call(
        self,
        promise: str,
        function: Callable[..., R],
        *args: Any,
        in_time: str | None = None,
        caller: object = None,
    ) -> R:
        """Call code under test that has to return normally; ``promise`` opens the message.

        ``in_time`` is the promise that it breaks if it never returns, if that is another one. In a
        test of the kit a ``SystemExit`` counts as raised by the code under test; elsewhere it may
        be meant for the caller, as Ctrl-C is, and is passed on.
        """
        with self.under_way(in_time or promise, caller):
            try:
                return function(*args)
            except self._raised as error:
                raise Failure(f"{promise}, it raised {repr_of(error)}") from error

    def under_way(self, promise: str, caller: object = None) -> AbstractContextManager[None]:
        """In the block code under test is called; if it never returns, a test of the kit fails.

        ``promise`` opens the message; ``caller``, an end of a link, is kept during the block.
        """
        return self._calls.under_way(promise, caller)

    def run(self, test: Callable[[], None]) -> None:
        """Run a test on a thread of its own; ``Failure`` if a call in it does not return in time.

        Such a call keeps that (daemon) thread: no thread of Python can be stopped.
        """
        self._raised = BaseException  # Ctrl-C reaches the main thread alone, and not this one
        if (late := self._calls.run(test)) is not None:
            raise Failure(late)

    # Waiting

    def wait_until(self, condition: Callable[[], bool], otherwise: Callable[[], str] | str) -> None:
        """Wait for what the kit records; at the deadline raise ``Failure`` with ``otherwise``."""
        if self.changed.wait_for(condition, self.timeout):
            return
        with self.changed.lock:
            message = otherwise if isinstance(otherwise, str) else otherwise()
        raise Failure(f"{message} (waited {self.timeout:g} s)")

    def stays_false(self, condition: Callable[[], bool]) -> bool:
        """Whether ``condition`` stays false for the quiet period."""
        return not self.changed.wait_for(condition, self.no_signals_timeout)

    def wait_for_quiet(self, count: Callable[[], int], otherwise: str) -> None:
        """Wait until ``count`` has not changed for a quiet period; ``Failure`` at the deadline."""
        deadline = monotonic() + self.timeout
        seen = count()
        while not self.stays_false(partial(_differs, count, seen)):
            seen = count()
            if monotonic() > deadline:
                raise Failure(f"{otherwise} (waited {self.timeout:g} s)")

    def wait_until_dropped(self, reference: weakref.ref[Any], otherwise: str) -> None:
        """Wait until nobody refers to the object any more, cycles not counted."""
        deadline = monotonic() + self.timeout
        collected = False  # one collection of a large heap may take longer than the timeout
        while reference() is not None:
            if collected and monotonic() > deadline:
                held = holders(reference)
                raise Failure(f"{otherwise}: {held} (waited {self.timeout:g} s)")
            gc.collect()
            collected = True
            self.changed.wait(0.005)

    def returns_in_time(self, promise: str, function: Callable[..., object], *args: Any) -> None:
        """Call ``function`` on a thread of its own; ``Failure`` unless it returns in time.

        One that never returns keeps that (daemon) thread: no thread of Python can be stopped.
        """
        latch = Latch(self)

        def run() -> None:
            try:
                function(*args)
            except BaseException as error:  # even an exit: it would end this thread unnoticed
                self.flop(f"{promise}, it raised {repr_of(error)}")
            latch.close()

        Thread(target=run, daemon=True, name="tck-call").start()
        latch.expect_closed(f"{promise}, it has not")

    # Cleaning up

    def clean_up_later(self, end: Any) -> None:
        """Call ``give_up`` of this end of a link when the test is over; held weakly (3.13)."""
        with self.changed.lock:
            self._open_ends.append(weakref.ref(end))

    def close(self) -> None:
        """End what the test left open, so that nobody waits for a signal for ever.

        What hangs in a call is left alone: its other calls must not overlap with that one (2.7).
        """
        with suppress(Failure):  # it hangs only now: the test has its verdict
            self.run(self._end_all)

    def _end_all(self) -> None:
        for reference in self._open_ends:
            end = reference()
            if end is not None and self._calls.have_returned(end):
                end.give_up()


class Latch:
    """Closes once, on any thread; a test waits for it."""

    def __init__(self, env: Environment) -> None:
        self._env = env
        self._closed = False

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def close(self) -> None:
        """Close it; closing again changes nothing."""
        with self._env.changed.lock:
            self._closed = True
            self._env.changed.notify_all()

    def expect_closed(self, otherwise: str) -> None:
        """Wait for it; ``Failure`` with the sentence ``otherwise`` at the deadline."""
        self._env.wait_until(lambda: self._closed, otherwise)


def _differs(count: Callable[[], int], seen: int) -> bool:
    return count() != seen


def _seconds(name: str, value: float) -> float:
    if not is_number(value) or not (value >= 0 and is_finite(value)):
        raise InvalidArgumentError(f"{name} needs seconds of 0 or more, got {shown(value)}")
    return value


def _dilation() -> float:
    text = os.environ.get(DILATION_VARIABLE, "1")
    try:
        return float(text)
    except ValueError:
        raise InvalidArgumentError(
            f"{DILATION_VARIABLE} needs a number, got {repr_of(text)}"
        ) from None


def holders(reference: weakref.ref[Any]) -> str:
    """What still refers to the object, by type."""
    held = [one for one in gc.get_referrers(reference()) if type(one).__name__ != "frame"]
    return ", ".join(sorted({type(one).__name__ for one in held})) or "something unknown"
