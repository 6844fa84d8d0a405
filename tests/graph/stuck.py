"""Calls that do not return before a test lets them, for the tests of ends that do not wait."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from actors_rs import ActorSystem
from tests.runtime.support import eventually

GRACE = 0.2
"""Seconds, in most of these tests."""
FAR_BELOW_A_CALL = 15.0
"""Seconds within which an end has come, on however busy a machine: no call returns before."""


class Stuck:
    """A function that notes its calls and does not return from one before ``release``."""

    def __init__(self, at: object = None, then: Callable[[Any], Any] = lambda x: x) -> None:
        self.at = at
        self.then = then
        self.calls: list[Any] = []
        self.begun, self.reading = threading.Event(), threading.Event()
        self._gate = threading.Event()
        self.threads: list[threading.Thread] = []

    def __call__(self, element: Any = None) -> Any:
        self.calls.append(element)
        if self.at is None or element == self.at:
            self.threads.append(threading.current_thread())
            self.begun.set()
            self._gate.wait(60)
        return self.then(element)

    def iterator(self) -> Iterator[int]:
        """Gives 1, and nothing more."""
        yield 1
        self()

    def reads(self, _: object) -> int:
        """Gives 1 for ever, at once."""
        self.reading.set()
        return 1

    def release(self) -> None:
        """Whoever is in it returns; so does each later call at once."""
        self._gate.set()


@contextmanager
def stuck_system(stuck: Stuck, grace: float = GRACE, **settings: Any) -> Iterator[ActorSystem]:
    """A system whose end lets ``stuck`` go, and sees its threads end."""
    try:
        with ActorSystem(cancel_grace=grace, **settings) as system:
            yield system
    finally:
        stuck.release()
    eventually(lambda: not any(thread.is_alive() for thread in stuck.threads))


def letters(system: ActorSystem, why: str) -> list[Any]:
    """What became a dead letter because of ``why``."""
    return [one for one in system.dead_letters.recent() if why in one.why]
