# mypy: disable-error-code="var-annotated, type-arg, override, import-untyped"
"""Small models on real threads, switched between bytecodes: the one wrapper around frontrun.

frontrun decides which thread runs its next bytecode, finds out which accesses conflict, and tries
orders of those; not all of them (decision 0014), which is what ``bounded`` is for. Our modules take
their locks from ``_primitives`` by name; for the model they get the standard ones at the moment of
the call, which frontrun replaces by its own. What C code does is hidden from it, so a deque becomes
one whose changes show as accesses of an attribute.
"""

import queue
import threading
import time
from collections import deque
from contextlib import ExitStack
from types import ModuleType
from unittest.mock import patch

import frontrun


class VisibleDeque(deque):
    """A deque whose every use is one access that can conflict with others: a read or a write.

    One each, for the interleavings that are to be tried grow with the power of that number.
    """

    version = None

    def append(self, one):
        self.version = None
        super().append(one)

    def popleft(self):
        self.version = None
        return super().popleft()

    def pop(self):
        self.version = None
        return super().pop()

    def remove(self, one):
        self.version = None
        super().remove(one)

    def clear(self):
        self.version = None
        super().clear()

    def __iter__(self):
        _ = self.version
        return super().__iter__()

    def __len__(self):
        _ = self.version
        return super().__len__()


class Latch:
    """A lock that one thread takes and another gives back, as those that threads sleep on.

    To frontrun a lock belongs to who took it: that nobody else is waited for is a deadlock.
    """

    def __init__(self):
        self.free = threading.Semaphore(1)

    def acquire(self, timeout=-1):
        return self.free.acquire(timeout=None if timeout < 0 else timeout)

    def release(self):
        self.free.release()


STANDARD = {
    "deque": VisibleDeque,
    "Condition": lambda *args: threading.Condition(*args),
    "Event": lambda: threading.Event(),
    "Lock": lambda: threading.Lock(),
    "RLock": lambda: threading.RLock(),
    "SimpleQueue": lambda: queue.SimpleQueue(),
}
LATCHES = {"actors_rs.runtime.dispatch.job_queue"}
"""Modules whose locks are all latches."""


def _beginning_in_any_order(thread):
    """``thread``, with an access that conflicts with the others' before its first one.

    Without it frontrun tries no order in which a thread whose first act is to take a lock begins
    behind the last act of another one: a message behind the end, for instance.
    """

    def run(model):
        model.began = thread
        thread(model)

    return run


def explored(
    model,
    threads,
    holds,
    *modules: ModuleType,
    packages=None,
    most=None,
    seconds=60,
):
    """What frontrun found: ``threads`` are called with a fresh ``model`` each, then ``holds``.

    ``modules`` are those whose locks take part, ``packages`` those of others that are traced too.
    ``most`` stops the search after so many, ``seconds`` after so long.
    """
    with ExitStack() as patched:
        patched.enter_context(patch.dict("os.environ", {"FRONTRUN_ACTIVE": "1"}))
        for module in modules:
            for name, standard in STANDARD.items():
                if hasattr(module, name):
                    is_latch = name == "Lock" and module.__name__ in LATCHES
                    stands_for = Latch if is_latch else standard
                    patched.enter_context(patch.object(module, name, stands_for))
        return frontrun.explore(
            setup=model,
            workers=[_beginning_in_any_order(thread) for thread in threads],
            invariant=holds,
            preemption_bound=None,
            max_executions=most,
            reproduce_on_failure=0,
            trace_packages=packages,
            detect_io=False,
            total_timeout=seconds,
        )


def check(model, threads, holds, *modules, seconds=60):
    """Every interleaving that is tried keeps what ``holds`` says; returns how many there were.

    Fails also if there are more of them than were tried in ``seconds``.
    """
    began = time.monotonic()
    found = explored(model, threads, holds, *modules, seconds=seconds)
    assert found.property_holds, found.explanation
    took = time.monotonic() - began
    assert took < seconds, f"{found.num_explored} interleavings in {took:.0f} s were not all"
    return found.num_explored
