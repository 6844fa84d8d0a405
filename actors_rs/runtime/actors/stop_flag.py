"""A flag with the methods of ``threading.Event`` at a fraction of its size.

Few actors are ever waited for through it, so the event for ``wait`` is made on demand.
"""

from __future__ import annotations

from actors_rs.runtime._primitives import Event, Lock, after_fork_in_child

__all__ = ["StopFlag"]

_making_events = Lock()


class StopFlag:
    """Set once, never cleared. All methods may be called from any thread."""

    __slots__ = ("_event", "_set", "error")

    def __init__(self) -> None:
        self._set = False
        self._event: Event | None = None
        self.error: BaseException | None = None
        """The exception that the actor failed with, once it has ended for good."""

    def is_set(self) -> bool:
        """Whether ``set`` was called."""
        return self._set

    def set(self) -> None:
        """Raise the flag and wake all waiting threads; later calls do nothing."""
        if self._set:
            return
        with _making_events:
            event = self._event
            if event is not None:
                try:
                    event.set()
                except BaseException:  # Ctrl-C, before or after the flag was set
                    self._set = event.is_set()
                    raise
            self._set = True

    def mark(self) -> None:
        """Raise the flag without a lock, and wake nobody; in a forked child."""
        self._set = True

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the flag is set, at most ``timeout`` seconds; returns whether it is."""
        # Made outside the lock: the collector may run a ``__del__`` in here that stops an actor
        # and waits for it, and that actor needs the lock to say that it has ended.
        event = self._event or Event()
        with _making_events:
            if self._set:
                return True
            if self._event is None:
                self._event = event
            event = self._event
        if event.wait(timeout):
            with _making_events:  # ``set`` sets the event first
                return self._set
        return False


def _renew_lock() -> None:
    global _making_events
    _making_events = Lock()


after_fork_in_child(_renew_lock)
