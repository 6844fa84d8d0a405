"""What the tests of the runtime share: waiting with a deadline, threads that are new, actors."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from actors_rs import PooledActor
from actors_rs.runtime._primitives import living_threads

DEADLINE = 20.0
"""Seconds after which a test gives a condition up; far more than it ever takes."""
raises_at_the_end = pytest.raises
"""For a whole ``with ActorSystem()`` block: what ends it is raised where it ends."""


def eventually(condition: Callable[[], object]) -> None:
    """Return as soon as ``condition()`` is true; fail when it never is."""
    pause = threading.Event()
    for _ in range(int(DEADLINE / 0.002)):
        if condition():
            return
        pause.wait(0.002)
    raise AssertionError(f"the condition did not come true within {DEADLINE} s")


@contextmanager
def no_thread_left() -> Iterator[None]:
    """Fail if a thread that began inside the block outlives it."""
    before = set(living_threads())
    yield
    left = [thread.name for thread in living_threads() if thread not in before]
    assert not left, f"threads still alive: {left}"


def in_threads(count: int, work: Callable[[int], object]) -> None:
    """Run ``work(0)`` to ``work(count - 1)``, each on its thread; fail if one raises or hangs."""
    failures: list[BaseException] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(n,), daemon=True) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
        assert not thread.is_alive(), "a thread hangs"
    if failures:
        raise failures[0]


class Dawdling(threading.Thread):
    """A thread that has done its work and is slow to end: until ``join`` waits for it."""

    awaited_for_ever_only = False
    """Whether a ``join`` that has a limit does not help it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._awaited = threading.Event()

    def run(self) -> None:
        super().run()
        self._awaited.wait(DEADLINE)

    def join(self, timeout: float | None = None) -> None:
        if timeout is None or not self.awaited_for_ever_only:
            self._awaited.set()
        super().join(timeout)


class Recorder(PooledActor):
    """Keeps what it gets, returns it when asked, and notes which hooks were called."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []
        self.hooks: list[str] = []
        self.failure: tuple[Any, ...] = ()

    def on_receive(self, message: Any) -> Any:
        if isinstance(message, BaseException):
            raise message
        if callable(message):
            return message()
        self.seen.append(message)
        return message

    def on_start(self) -> None:
        self.hooks.append("start")

    def on_stop(self) -> None:
        self.hooks.append("stop")

    def on_failure(self, *info: Any) -> None:
        self.hooks.append("failure")
        self.failure = info


def behind(ref: Any) -> Any:
    """The actor behind a reference, to look at its fields once it has stopped."""
    actor = ref._actor_weakref()
    assert actor is not None
    return actor


def asked_on_another_thread(question: Callable[[], object]) -> list[Any]:
    """A list of the answer; an empty one if whoever asks here holds what the answer needs."""
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(question()), daemon=True)
    thread.start()
    thread.join(20)
    return answers
