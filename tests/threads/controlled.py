# mypy: disable-error-code="var-annotated, type-arg, override, import-untyped"
"""Small models on real threads, run in every interleaving: the one wrapper around frontrun.

frontrun decides which thread runs its next bytecode, finds out which accesses conflict, and tries
every order of those. Our modules take their locks from ``_primitives`` by name; for the model they
get the standard ones at the moment of the call, which frontrun replaces by its own. What C code
does is hidden from it, so a deque becomes one whose changes show as accesses of an attribute.
"""

import queue
import threading
from collections import deque
from contextlib import ExitStack
from types import ModuleType
from unittest.mock import patch

import frontrun


class VisibleDeque(deque):
    """A deque whose every use is an access that can conflict with others."""

    version = 0

    def append(self, one):
        self.version += 1
        super().append(one)

    def popleft(self):
        self.version += 1
        return super().popleft()

    def pop(self):
        self.version += 1
        return super().pop()

    def remove(self, one):
        self.version += 1
        super().remove(one)

    def clear(self):
        self.version += 1
        super().clear()

    def __iter__(self):
        assert self.version >= 0
        return super().__iter__()

    def __len__(self):
        assert self.version >= 0
        return super().__len__()


STANDARD = {
    "deque": VisibleDeque,
    "Condition": lambda *args: threading.Condition(*args),
    "Event": lambda: threading.Event(),
    "Lock": lambda: threading.Lock(),
    "SimpleQueue": lambda: queue.SimpleQueue(),
}


def explored(
    model,
    threads,
    holds,
    *modules: ModuleType,
    preemptions=None,
    packages=None,
    most=None,
    seconds=60,
):
    """What frontrun found: ``threads`` are called with a fresh ``model`` each, then ``holds``.

    ``modules`` are those whose locks take part. Without ``preemptions`` every interleaving is
    tried, else those with at most so many switches that no thread asked for. ``most`` stops the
    search after so many.
    """
    with ExitStack() as patched:
        patched.enter_context(patch.dict("os.environ", {"FRONTRUN_ACTIVE": "1"}))
        for module in modules:
            for name, standard in STANDARD.items():
                if hasattr(module, name):
                    patched.enter_context(patch.object(module, name, standard))
        return frontrun.explore(
            setup=model,
            workers=list(threads),
            invariant=holds,
            preemption_bound=preemptions,
            max_executions=most,
            reproduce_on_failure=0,
            trace_packages=packages,
            detect_io=False,
            total_timeout=seconds,
        )


def check(model, threads, holds, *modules, **options):
    """Every interleaving keeps what ``holds`` says; returns how many there were."""
    found = explored(model, threads, holds, *modules, **options)
    assert found.property_holds, found.explanation
    return found.num_explored
