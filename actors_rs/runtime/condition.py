"""``Condition``: threads that wait until something is so, and that no interrupt leaves locked."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeVar

from actors_rs.runtime._primitives import (
    Event,
    RLock,
    current_driver,
    drive_until,
    monotonic,
    or_for_ever,
)

__all__ = ["Condition"]

P = TypeVar("P")


class Condition:
    """Threads that wait until something is so; one that drives a world waits by driving it.

    ``lock`` guards what it is about. Nobody waits while holding it, and an interrupt of the main
    thread leaves nothing locked. Call ``notify_all`` under the lock and *before* the change: who
    waits looks when the lock is free, and an interrupt between the two loses no change.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self._changed = Event()

    def notify_all(self) -> None:
        """Let all who wait look again."""
        self._changed.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for ``notify_all``, at most ``timeout`` seconds; not with the lock held.

        A driving thread may be woken although nobody notified.
        """
        if (driver := current_driver()) is not None:
            return driver.step(or_for_ever(timeout))
        with self.lock:
            changed = self._next_change()
        return changed.wait(timeout)

    def wait_for(self, predicate: Callable[[], P], timeout: float | None = None) -> P:
        """Wait until ``predicate`` is true, at most ``timeout`` seconds; returns its last result.

        ``predicate`` is called with the lock held, and not again once it was true. Call this
        without the lock.
        """
        last: list[P] = []

        def look() -> bool:
            if not (last and last[0]):
                with self.lock:
                    last[:] = [predicate()]
            return bool(last[0])

        if not drive_until(look, timeout):
            self._wait_until(look, or_for_ever(timeout))
        look()
        return last[0]

    def _wait_until(self, look: Callable[[], bool], seconds: float | None) -> None:
        deadline = inf if seconds is None else monotonic() + seconds
        while True:
            with self.lock:
                changed = self._next_change()  # before the look, so that no change is missed
            if look():
                return
            left = None if seconds is None else max(0.0, deadline - monotonic())
            if not changed.wait(left):
                return

    def _next_change(self) -> Event:
        if self._changed.is_set():
            self._changed = Event()
        return self._changed
