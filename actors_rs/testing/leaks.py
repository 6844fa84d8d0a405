"""Leaks: threads, actors and files that a piece of code has not closed.

    with no_leaks() as leaks:
        with ActorSystem() as system:
            run = system.start(graph)
            leaks.expect_collected(run)
            run.result()
        del system, run

Counted are threads, actors that have not stopped, file descriptors, and objects that the block
names as collectable by its end, such as a subscriber after its cancellation (rule 3.13).
"""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from actors_rs.runtime._primitives import AnyThread, living_threads, monotonic
from actors_rs.runtime.actors.contract import ActorBase
from actors_rs.runtime.condition import Condition
from actors_rs.runtime.system.exit import enrolled
from actors_rs.testing.tck.environment import Environment, holders
from actors_rs.texts import class_name_of, repr_of, text_of

__all__ = ["LeakWatch", "Leaked", "no_leaks"]

PAUSE = 0.01
DESCRIPTOR_FOLDERS = ("/proc/self/fd", "/dev/fd")


class Leaked(AssertionError):  # noqa: N818 - the verdict of a test
    """Something outlived its block; the message names it."""


class LeakWatch:
    """The state at the beginning, and the objects that must be gone at the end. Not thread-safe."""

    def __init__(self) -> None:
        self._threads = set(living_threads())
        self._actors = {id(actor) for actor in _living_actors()}
        self._descriptors = _descriptors()
        self._expected: list[tuple[str, weakref.ref[Any]]] = []

    def expect_collected(self, *things: object) -> None:
        """Nobody may refer to these any more at the end; they are held weakly until then."""
        for thing in things:
            self._expected.append((f"{class_name_of(thing)} at {id(thing):#x}", weakref.ref(thing)))

    def left(self) -> list[str]:
        """The leaks at this moment, a sentence each."""
        return [
            *(f"thread {repr_of(thread.name)} is alive" for thread in self._new_threads()),
            *(f"{text_of(actor)} has not stopped" for actor in self._new_actors()),
            *(f"file descriptor {what} is open" for what in self._new_descriptors()),
            *(f"{name} is referred to by {holders(ref)}" for name, ref in self._held()),
        ]

    def _new_threads(self) -> list[AnyThread]:
        return [thread for thread in living_threads() if thread not in self._threads]

    def _new_actors(self) -> list[ActorBase]:
        return [actor for actor in _living_actors() if id(actor) not in self._actors]

    def _new_descriptors(self) -> list[str]:
        before = self._descriptors
        new = [one for n, one in _descriptors().items() if before.get(n) != one]
        return [f"{one.number} ({one.what})" for one in new]

    def _held(self) -> list[tuple[str, weakref.ref[Any]]]:
        if any(ref() is not None for _, ref in self._expected):
            gc.collect()
        return [(name, ref) for name, ref in self._expected if ref() is not None]


@contextmanager
def no_leaks(seconds: float = 1.0) -> Iterator[LeakWatch]:
    """Raise ``Leaked`` if something is left ``seconds`` after the end of the block.

    Slow machines stretch the time, as in the conformance kit. A block that raises is not judged.
    """
    environment, watch, over = Environment(timeout=seconds), LeakWatch(), False
    yield watch
    deadline = monotonic() + environment.timeout
    pause = Condition()
    while left := watch.left():
        if over:
            raise Leaked(f"left behind after {environment.timeout:g} s: {'; '.join(left)}")
        pause.wait(PAUSE)
        over = monotonic() > deadline  # then look once more


def _living_actors() -> list[ActorBase]:
    """All actors of this process that have not stopped; of those in a world it knows nothing."""
    return [actor for system in enrolled() for actor in system.children()]


class _Descriptor(NamedTuple):
    """An open one, and what it is: a number is used again as soon as it was closed."""

    number: int
    what: str
    device: int
    inode: int


def _descriptors() -> dict[int, _Descriptor]:
    """Open file descriptors by number; empty where the system does not tell."""
    for folder in DESCRIPTOR_FOLDERS:
        if os.path.isdir(folder):
            found: dict[int, _Descriptor] = {}
            for name in os.listdir(folder):
                with suppress(OSError):  # the one that lists the folder is closed by now
                    number, what = int(name), os.readlink(f"{folder}/{name}")
                    seen = os.fstat(number)
                    what = what.removesuffix(" (deleted)")  # which may happen to an open file
                    found[number] = _Descriptor(number, what, seen.st_dev, seen.st_ino)
            return found
    return {}
