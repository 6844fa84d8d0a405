"""The one seam to threads, time and randomness.

No other module of the package imports ``threading``, ``queue``, ``time`` or ``random``; a test
forbids it. Whoever replaces what is behind these names (virtual time, a controlled scheduler)
runs the production code unchanged.
"""

from __future__ import annotations

import queue as _queue
import random as _random
import threading as _threading
import time as _time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = [
    "Condition",
    "Empty",
    "Event",
    "Full",
    "Lock",
    "Semaphore",
    "SimpleQueue",
    "Thread",
    "ThreadLocal",
    "blocking_forbidden",
    "current_thread_id",
    "forbid_blocking",
    "may_block",
    "monotonic",
    "random_bits",
    "wall_clock",
]

Condition = _threading.Condition
Event = _threading.Event
Lock = _threading.Lock
Semaphore = _threading.Semaphore
Thread = _threading.Thread
ThreadLocal = _threading.local
SimpleQueue = _queue.SimpleQueue
Empty = _queue.Empty
Full = _queue.Full
monotonic = _time.monotonic
wall_clock = _time.time
current_thread_id = _threading.get_ident
random_bits = _random.SystemRandom().getrandbits

_thread_state = _threading.local()


def forbid_blocking() -> None:
    """Mark the calling thread as one of a shared pool, which must not wait for futures."""
    _thread_state.pooled = True


@contextmanager
def blocking_forbidden() -> Iterator[None]:
    """The calling thread must not wait for futures in this block."""
    before = getattr(_thread_state, "pooled", False)
    _thread_state.pooled = True
    try:
        yield
    finally:
        _thread_state.pooled = before


def may_block() -> bool:
    """Whether the calling thread may wait for a future."""
    return not getattr(_thread_state, "pooled", False)
