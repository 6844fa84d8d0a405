# mypy: disable-error-code="var-annotated, type-arg, override, no-untyped-def"
"""What the threads of a model share, such that each use is an access of its run.

Locks, events, conditions and deques that take the place of the standard ones in our modules, and
classes whose attributes are watched. Outside of a run they do what the standard ones do.
"""

from collections import deque
from contextlib import ExitStack
from types import MemberDescriptorType
from typing import Any
from unittest.mock import patch

from tests.threads.one_at_a_time import Stage

CONTAINERS = frozenset({list, dict, set, bytearray, deque})


def access(of, name, writes, ready=None, timed=False):
    Stage.run.access(of, name, writes, ready, timed)


class Lock:
    """A lock or a latch: another thread may give it back."""

    def __init__(self):
        self.taken, self.holder = False, None
        Stage.run.meet(self)

    def _free(self):
        return not self.taken

    def acquire(self, blocking=True, timeout=-1):
        waits = blocking and timeout != 0
        access(self, "taken", True, self._free if waits else None, timeout > 0)
        if self.taken:
            assert Stage.run.going or not waits, "a lock is waited for that nobody gives back"
            return False
        self.taken = True
        self.holder = Stage.run.held[Stage.run.current] if Stage.run.going else None
        if self.holder is not None:
            self.holder.add(self)
        return True

    def release(self):
        access(self, "taken", True)
        if not self.taken:
            raise RuntimeError("release unlocked lock")
        self.taken = False
        if self.holder is not None:
            self.holder.discard(self)

    def locked(self):
        access(self, "taken", False)
        return self.taken

    def __enter__(self):
        return self.acquire()

    def __exit__(self, *_):
        self.release()


class Event:
    """As the standard one."""

    def __init__(self):
        self.up = False
        Stage.run.meet(self)

    def is_set(self):
        access(self, "up", False)
        return self.up

    def set(self):
        access(self, "up", True)
        self.up = True

    def wait(self, timeout=None):
        access(self, "up", False, lambda: self.up, timeout is not None)
        return self.up


class Condition(Lock):
    """As the standard one, with a lock of its own; a thread that is notified finds its ticket."""

    def __init__(self):
        super().__init__()
        self.tickets = []

    def wait(self, timeout=None):
        ticket = Event()
        self.tickets.append(ticket)
        self.release()
        heard = ticket.wait(timeout)
        self.acquire()
        if not heard and ticket in self.tickets:
            self.tickets.remove(ticket)
        return heard

    def notify(self, n=1):
        for ticket in self.tickets[:n]:
            self.tickets.remove(ticket)
            ticket.set()

    def notify_all(self):
        self.notify(len(self.tickets))


class VisibleDeque(deque):
    """A deque whose every use is one access."""

    def __init__(self, *args):
        super().__init__(*args)
        Stage.run.meet(self)


def _seen(name, writes):
    plain = getattr(deque, name)

    def method(self, *args):
        access(self, "items", writes)
        return plain(self, *args)

    return method


for _name in ("append", "appendleft", "extend", "popleft", "pop", "remove", "clear"):
    setattr(VisibleDeque, _name, _seen(_name, writes=True))
for _name in ("__iter__", "__len__", "__contains__", "__getitem__"):
    setattr(VisibleDeque, _name, _seen(_name, writes=False))


def make_visible(stack: ExitStack, kind: type) -> None:
    """Each read or write of an attribute of a ``kind`` is an access, as long as ``stack`` lasts.

    Whoever reads an attribute that holds a list, dict or set may change what it holds: such a read
    counts as a write.
    """
    get: Any = kind.__getattribute__
    put: Any = kind.__setattr__
    silent = set()
    for name in dir(kind):
        value = getattr(kind, name, None)
        if name.startswith("__") or (
            hasattr(value, "__get__") and not isinstance(value, MemberDescriptorType)
        ):
            silent.add(name)

    def read(self, name):
        if Stage.run.going and name not in silent:
            access(self, name, lambda: type(_peek(get, self, name)) in CONTAINERS)
        return get(self, name)

    def write(self, name, value):
        silent.discard(name)
        Stage.run.meet(self)
        access(self, name, True)
        put(self, name, value)

    stack.enter_context(patch.object(kind, "__getattribute__", read))
    stack.enter_context(patch.object(kind, "__setattr__", write))


def _peek(get, of, name):
    try:
        return get(of, name)
    except AttributeError:
        return None
