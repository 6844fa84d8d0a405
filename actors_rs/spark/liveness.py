"""Is the JVM frozen? Asked beside the calls that wait for it, for a frozen JVM ends none of them.

As long as a JVM has a watch, a thread of this module greets it every few seconds, over a connection
of its own and with a timeout. A JVM that does not answer is frozen. Its watches are called, and if
it is a child of this process, it is killed, so that every thread that waits for it comes back. This
module does not look for a dead JVM: each call that waits for it fails by itself.

A JVM that is stopped (SIGSTOP) has ten seconds; one that the system does run, and that is busy
with its own memory, say, has a minute.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from actors_rs.runtime._primitives import Event, Lock, Thread, monotonic

__all__ = ["Watch", "watch", "why_frozen"]

GREET_EVERY = 2.0
"""Seconds between two greetings."""
STOPPED_PATIENCE = 10.0
"""Seconds that a JVM may leave a greeting unanswered while it is stopped, or nobody can tell."""
BUSY_PATIENCE = 60.0
"""Seconds that a JVM may leave a greeting unanswered although the system runs it."""
_LOOK_EVERY = 1.0

_lock = Lock()
_watchmen: WeakKeyDictionary[Any, _Watchman] = WeakKeyDictionary()
_frozen: WeakKeyDictionary[Any, str] = WeakKeyDictionary()


class Watch:
    """The interest of one caller in one JVM, until it is closed. Any thread may close it."""

    def __init__(self, on_frozen: Callable[[], None]) -> None:
        self.on_frozen = on_frozen
        self.closed = False

    def close(self) -> None:
        """No longer interested."""
        self.closed = True

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def watch(gateway: Any, on_frozen: Callable[[], None] = lambda: None) -> Watch:
    """Watch the JVM of ``gateway``; ``on_frozen`` is called if it freezes.

    ``on_frozen`` runs on a thread of this module. Never blocks; ``None``, no gateway at all, is
    watched in vain.

    Raises ``RuntimeError`` if the operating system gives no thread for it; the next call tries
    again. Thread-safe.
    """
    wanted = Watch(on_frozen)
    if gateway is not None:
        with _lock:
            watchman = _watchmen.get(gateway)
            if watchman is None or not watchman.take(wanted):
                watchman = _Watchman(gateway)
                watchman.take(wanted)
                Thread(target=watchman.run, name="spark-liveness", daemon=True).start()
                _watchmen[gateway] = watchman  # not before: one without a thread would watch nobody
    return wanted


def why_frozen(gateway: Any) -> str | None:
    """How a JVM that was found frozen was handled, as a sentence; ``None`` for any other JVM."""
    return None if gateway is None else _frozen.get(gateway)


class _Watchman:
    """Asks one JVM, on a thread of its own, as long as it has a watch. Ends for good then."""

    def __init__(self, gateway: Any) -> None:
        self._gateway = gateway
        self._process = getattr(gateway, "proc", None)
        self._watches: list[Watch] = []
        self._ended = False

    def take(self, wanted: Watch) -> bool:
        """False if this one has ended. Under the module's lock."""
        if not self._ended:
            self._watches.append(wanted)
        return not self._ended

    def run(self) -> None:
        """Greet until nobody watches any more, or until there is no answer."""
        try:
            while self._is_wanted():
                if not self._is_answered():
                    self._found_frozen()
                    return
                if self._process is None:  # it was only stopped for a while
                    _frozen.pop(self._gateway, None)
                Event().wait(GREET_EVERY)
        finally:  # after any end, the next watch begins a new thread
            with _lock:
                self._ended = True

    def _is_wanted(self) -> bool:
        with _lock:
            self._watches = [wanted for wanted in self._watches if not wanted.closed]
            self._ended = not self._watches
            return not self._ended

    def _is_answered(self) -> bool:
        """False if the JVM did not answer in time; also True when nobody cares any more."""
        began = monotonic()
        try:
            with self._greeting() as connection:
                while True:
                    try:
                        connection.recv(1)
                        return True
                    except TimeoutError:
                        if monotonic() - began > self._patience():
                            return False
                        if not any(not wanted.closed for wanted in self._watches):
                            return True
        except OSError:
            return True  # it is dead, or not reached: its callers get the error

    def _greeting(self) -> socket.socket:
        """A connection on which the JVM has been sent what every client sends first."""
        parameters = self._gateway.gateway_parameters
        address = (parameters.address, parameters.port)
        connection = socket.create_connection(address, timeout=_LOOK_EVERY)
        connection.sendall(f"A\n{parameters.auth_token}\n".encode())
        return connection

    def _patience(self) -> float:
        return BUSY_PATIENCE if self._is_run() else STOPPED_PATIENCE

    def _is_run(self) -> bool:
        """Whether the system lets the process run, as far as one can tell."""
        with suppress(OSError, IndexError, AttributeError):
            stat = Path(f"/proc/{self._process.pid}/stat").read_text()  # type: ignore[union-attr]
            return stat.rpartition(")")[2].split()[0] not in ("T", "t")
        return False

    def _found_frozen(self) -> None:
        patience = self._patience()
        which, end = "", ""
        if self._process is not None:
            which, end = f" (process {self._process.pid})", ", so it was killed"
        with _lock:
            self._ended = True
            _frozen[self._gateway] = (
                f"Spark's JVM{which} is frozen: it did not answer for {patience:.0f} s{end}"
            )
            watches = [wanted for wanted in self._watches if not wanted.closed]
        if self._process is not None:
            with suppress(OSError):
                self._process.kill()
        for wanted in watches:
            wanted.on_frozen()
