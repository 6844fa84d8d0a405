"""The only access to threads, time and randomness.

No other module imports ``threading``, ``queue``, ``time`` or ``random``; a test forbids it. A test
that replaces these names (virtual time, a controlled scheduler) runs the production code unchanged.
"""

from __future__ import annotations

import _thread
import os as _os
import queue as _queue
import random as _random
import threading as _threading
import time as _time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial as _partial
from math import inf
from typing import Any, Protocol, TypeVar

from actors_rs.errors import BlockingError

__all__ = [
    "CLOCKS",
    "THREAD_STARTERS",
    "WAIT",
    "AnyThread",
    "Driver",
    "Empty",
    "Event",
    "Full",
    "Lock",
    "RLock",
    "Random",
    "Semaphore",
    "SimpleQueue",
    "Thread",
    "ThreadLocal",
    "after_fork_in_child",
    "blocking_allowed",
    "blocking_forbidden",
    "chance",
    "check_may_block",
    "cpu_seconds",
    "current_driver",
    "current_thread_id",
    "drive_until",
    "driving",
    "forbid_blocking",
    "fork_count",
    "living_threads",
    "may_block",
    "monotonic",
    "on_event_loop",
    "on_main_thread",
    "or_for_ever",
    "random_bits",
    "serve_coroutines",
    "start_thread",
    "this_thread",
    "thread_clock",
    "wall_clock",
]

Lock = _threading.Lock
RLock = _threading.RLock
Semaphore = _threading.Semaphore
Random = _random.Random
AnyThread = _threading.Thread
ThreadLocal = _threading.local
SimpleQueue = _queue.SimpleQueue
Empty = _queue.Empty
Full = _queue.Full
monotonic = _time.monotonic
wall_clock = _time.time
cpu_seconds = _time.process_time
CLOCKS: dict[Callable[..., Any], int | None] = {
    **dict.fromkeys((_time.time, _time.time_ns, _time.monotonic, _time.monotonic_ns, _time.sleep)),
    **dict.fromkeys((_time.perf_counter, _time.perf_counter_ns)),
    **dict.fromkeys((_time.process_time, _time.process_time_ns, _os.times)),
    **{getattr(_time, f): None for f in ("thread_time", "thread_time_ns") if hasattr(_time, f)},
    **{getattr(_time, f): None for f in ("clock_gettime", "clock_gettime_ns") if hasattr(_time, f)},
    **dict.fromkeys((_time.localtime, _time.gmtime, _time.ctime, _time.asctime), 1),
    _time.strftime: 2,
}
"""What reads the real clock, or waits for it; if with fewer arguments only, with how many."""
WAIT = _threading.Condition.wait.__code__
"""Where a thread really waits: for an event, a condition, a future, what comes in a queue."""
start_thread = _thread.start_new_thread
THREAD_STARTERS = frozenset(
    getattr(_thread, name)
    for name in ("start_new_thread", "start_joinable_thread")
    if hasattr(_thread, name)
)
"""The function that starts each thread."""
current_thread_id = _threading.get_ident
random_bits = _random.SystemRandom().getrandbits
chance = _random.SystemRandom().random
"""From 0 to 1, at random; what belongs to a system asks its ``chance``, which a world decides."""

this_thread = _threading.local()
"""Of the calling thread: ``pooled`` where it must not wait for futures, and its ``driver``."""


SLICE = 1.0
"""Seconds after which the main thread, where it waits, looks whether a signal has come.

One that comes just before a thread falls asleep does not wake it.
"""
_LONGEST_START = 5.0
"""Seconds after which a thread that was asked for begins at the latest."""
P = TypeVar("P")


class Driver(Protocol):
    """Moves a world on while the thread that runs it waits for something."""

    def until(self, done: Callable[[], bool], seconds: float | None, /) -> None:
        """Move on until ``done``, at most ``seconds`` of its own time; raises if nothing can."""

    def step(self, seconds: float | None, /) -> bool:
        """Move on a little, at most ``seconds``; False when they are over."""


def or_for_ever(seconds: float | None) -> float | None:
    """``seconds`` to wait; ``None``, which is for ever, for more than the platform can count to.

    That is about 292 years on Linux. Every wait with a time that a user may have given asks here.
    """
    return None if seconds is None or seconds > _threading.TIMEOUT_MAX else seconds


class Event:
    """Set once. One call of C wakes all who wait; a thread that drives a world does so instead.

    Unlike ``threading.Event`` it holds no lock that an interrupt of the main thread, in ``set`` or
    in ``wait``, could leave locked.
    """

    __slots__ = ("_is_set", "_latch")

    def __init__(self) -> None:
        self._is_set = False
        self._latch = Lock()
        self._latch.acquire()

    def is_set(self) -> bool:
        """Whether ``set`` was called."""
        return self._is_set

    def set(self) -> None:
        """Wake all who wait, now and later; later calls do nothing."""
        if not self._is_set:
            self._is_set = True  # from here on Python looks for no signal before the call
            try:
                self._latch.release()
            except RuntimeError:  # another thread did at the same time
                pass

    def wait(self, timeout: float | None = None) -> bool:
        """Whether it was set within ``timeout`` seconds."""
        seconds = or_for_ever(timeout)
        if self._is_set or drive_until(self.is_set, seconds):
            return self._is_set
        return self._wait(seconds)

    def _wait(self, seconds: float | None) -> bool:
        """All who wait take the latch in turn, and give it back.

        ``KeyboardInterrupt`` may come anywhere in here; it cannot be known then who has the latch.
        To give back one that is free does no harm once it was set.
        """
        deadline = inf if seconds is None else monotonic() + seconds
        longest = SLICE if on_main_thread() else _threading.TIMEOUT_MAX
        latch = self._latch
        try:
            while not self._is_set:
                left = min(longest, deadline - monotonic())
                if left <= 0 or latch.acquire(timeout=left):
                    break
        finally:
            if self._is_set:  # no call, in which the interrupt could come before the release
                try:
                    latch.release()
                except RuntimeError:  # it was free
                    pass
        return self._is_set

    def _at_fork_reinit(self) -> None:
        """In a forked child, for a ``threading.Thread`` that has it: nobody has the latch."""
        is_set = self._is_set
        self.__init__()  # type: ignore[misc]
        if is_set:
            self.set()


def thread_clock() -> Callable[[], float]:
    """A function that returns the processor seconds that the calling thread has used.

    It may be called on any thread. Where the operating system reports no processor time of other
    threads, it returns the time of the whole process, which is not less.
    """
    if (clock_of := getattr(_time, "pthread_getcpuclockid", None)) is None:
        return cpu_seconds
    return _partial(_time.clock_gettime, clock_of(_threading.get_ident()))


class Thread(AnyThread):
    """A thread at whose end any number of threads may look at the same time.

    ``join`` and ``is_alive`` of CPython before 3.13 raise in one of two threads that meet there:
    each takes a lock for a moment and asserts that nobody else has it.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._started = Event()  # Python's own would stay locked if ``start`` is interrupted
        self._asked_for = False
        self._returned = Event()
        self._looked_at = Lock()  # nobody waits while holding it

    @property
    def _bootstrap(self) -> Callable[[], None]:
        """Read by ``threading`` right before it asks the system for the thread."""
        begin: Callable[[], None] = super()._bootstrap  # type: ignore[misc]
        self._asked_for = True
        return begin

    def start(self) -> None:
        """Let it begin; raises ``RuntimeError`` if the operating system gives no thread.

        When Ctrl-C is raised in here the thread has begun, see ``begun``, or never will.
        """
        try:
            super().start()
        except Exception:
            raise
        except BaseException:
            if not (self._asked_for and self._started.wait(_LONGEST_START)):
                _threading._limbo.pop(self, None)  # type: ignore[attr-defined]
            raise

    @property
    def begun(self) -> bool:
        """Whether it runs, or has run."""
        return self._started.is_set()

    def run(self) -> None:
        """The body of the thread."""
        try:
            super().run()
        finally:
            self._returned.set()

    def is_alive(self) -> bool:
        """Whether the thread was started and has not ended."""
        with self._looked_at:
            return super().is_alive()

    def join(self, timeout: float | None = None) -> None:
        """Wait until the thread has ended, at most ``timeout`` seconds.

        Raises ``RuntimeError`` in the thread itself, and before its start.
        """
        if self.ident is None or self is _threading.current_thread():  # an ident is used again
            super().join(timeout)
        seconds = or_for_ever(timeout)
        deadline = None if seconds is None else monotonic() + seconds
        if self.is_alive() and not self._returned.wait(seconds):
            return
        pause = 0.0  # until the thread has ended: freeing its thread-local data may take time
        while self.is_alive() and (deadline is None or monotonic() < deadline):
            _time.sleep(pause)
            pause = min(2 * pause + 0.0001, 0.01)


def living_threads() -> list[AnyThread]:
    """The threads of this process that Python started.

    Threads that a C library started are left out: Python lists them once they ask for their own
    name, for instance to write a log line, and does not notice their end.
    """
    foreign = _threading._DummyThread
    return [thread for thread in _threading.enumerate() if not isinstance(thread, foreign)]


def current_driver() -> Driver | None:
    """What moves a world on while the calling thread, which drives it, waits."""
    return getattr(this_thread, "driver", None)


def drive_until(done: Callable[[], bool], seconds: float | None) -> bool:
    """Call this before a wait for ``done`` that lasts at most ``seconds``.

    On a thread that drives a deterministic world, it advances the world instead of waiting and
    returns True: a longer wait would change nothing. On all other threads it returns False.
    """
    if (driver := current_driver()) is None:
        return False
    driver.until(done, or_for_ever(seconds))
    return True


class driving:  # noqa: N801 - used like a function
    """In its block the calling thread, where it would wait, lets ``driver`` move on instead."""

    __slots__ = ("_before", "_driver")

    def __init__(self, driver: Driver | None) -> None:
        self._driver = driver

    def __enter__(self) -> None:
        self._before = current_driver()
        this_thread.driver = self._driver

    def __exit__(self, *_: object) -> None:
        this_thread.driver = self._before


def forbid_blocking() -> None:
    """Mark the calling thread as one of a shared pool, which must not wait for futures."""
    this_thread.pooled = True


def blocking_forbidden() -> AbstractContextManager[None]:
    """The calling thread must not wait for futures in this block."""
    return _Blocking(forbidden=True)


def blocking_allowed() -> AbstractContextManager[None]:
    """The calling thread may wait for futures in this block after all."""
    return _Blocking(forbidden=False)


class _Blocking:
    """Whether the calling thread must not wait for futures in its block."""

    __slots__ = ("_before", "_forbidden")

    def __init__(self, *, forbidden: bool) -> None:
        self._forbidden = forbidden

    def __enter__(self) -> None:
        self._before = getattr(this_thread, "pooled", False)
        this_thread.pooled = self._forbidden

    def __exit__(self, *_: object) -> None:
        this_thread.pooled = self._before


def may_block() -> bool:
    """Whether the calling thread may wait for a future."""
    return not getattr(this_thread, "pooled", False)


def check_may_block(call: str, instead: str) -> None:
    """Raise ``BlockingError`` on a thread that must not wait; ``instead`` says what to write."""
    if not may_block():
        raise BlockingError(f"{call} would block a thread that actors share: {instead}")


def serve_coroutines() -> None:
    """Mark the calling thread as one that runs coroutines, which wait by ``await`` alone."""
    this_thread.coroutines = True


def on_event_loop() -> bool:
    """Whether the calling thread runs the coroutines of a system."""
    return getattr(this_thread, "coroutines", False)


def on_main_thread() -> bool:
    """Whether the calling thread is the one that may handle signals."""
    return _threading.current_thread() is _threading.main_thread()


def after_fork_in_child(action: Callable[[], None]) -> None:
    """Call ``action`` in every child that this process forks, on its only thread.

    Locks may be held there by threads that do not exist any more: ``action`` replaces its own.
    """
    if hasattr(_os, "register_at_fork"):
        _os.register_at_fork(after_in_child=action)


_forks: list[None] = []


def fork_count() -> int:
    """How many forks lie between this process and the one that imported this module."""
    return len(_forks)


def _forget_thread() -> None:
    """A pool thread that forks is no pool thread in the child."""
    _forks.append(None)
    this_thread.__dict__.clear()


after_fork_in_child(_forget_thread)
