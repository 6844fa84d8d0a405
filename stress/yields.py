"""Yields: our own runtime gives the processor away at random, where it hurts most.

Plain repetition on real threads finds next to nothing: threads change places every few
milliseconds, and a window between two lines is a microsecond wide. So each lock, mailbox and
turn gets a random pause in front of and behind it. They are put behind the names that the runtime
uses, for as long as the block lasts; the production code holds no trace of it.

Meanwhile it is recorded what comes into mailboxes, and a mailbox beyond its bound fails the block.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from actors_rs.engine.island import Island
from actors_rs.runtime.actors.actor import PooledActor
from actors_rs.runtime.actors.mailbox import Mailbox
from actors_rs.runtime.dispatch.pool import PoolDispatcher

__all__ = ["Flight", "Yields", "injected", "recorded"]

REMEMBERED = 200
LONG = 50
"""One pause in so many is a real one, long enough for others to do a whole turn."""
LONG_SECONDS = 0.0005
BESIDES = 16
"""Messages a mailbox may hold beyond what its windows and outlets account for."""
PER_OUTLET = 8
"""Control messages that may wait for each outlet: requests come once a quarter of a window."""
PER_CALL = 3
"""The same for each of a stage's ``parallelism``: it holds twice as many calls, each of which tells
its end once, and so many slots, each of which is given back once."""

PLAIN = {"Lock": threading.Lock, "RLock": threading.RLock}


class Yields:
    """Gives the processor away with probability ``p``. Any thread."""

    def __init__(self, p: float, seed: int) -> None:
        self.p = p
        self._random = random.Random(seed).random

    def maybe(self) -> None:
        """Pause, perhaps."""
        drawn = self._random()
        if drawn < self.p:
            time.sleep(LONG_SECONDS if drawn < self.p / LONG else 0)

    def instead_of(self, kind: Callable[[], Any]) -> Callable[[], YieldingLock]:
        """What makes a lock in place of one of ``kind``."""
        return lambda: YieldingLock(self.maybe, kind())


class YieldingLock:
    """A lock that may pause in front of its acquisition and behind its release."""

    __slots__ = ("_lock", "_maybe")

    def __init__(self, maybe: Callable[[], None], lock: Any) -> None:
        self._lock = lock
        self._maybe = maybe

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        self._maybe()
        return bool(self._lock.acquire(blocking, timeout))

    def release(self) -> None:
        self._lock.release()
        self._maybe()

    def locked(self) -> bool:
        return bool(self._lock.locked())

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class Flight:
    """What was put into mailboxes last, and whether one held more than it may. Any thread."""

    def __init__(self) -> None:
        self.signals: deque[tuple[float, str, str, str]] = deque(maxlen=REMEMBERED)
        self.too_full: deque[str] = deque(maxlen=20)

    def note(self, mailbox: Mailbox, message: Any) -> None:
        """``message`` was put into ``mailbox``. Keeps texts alone, which keep nothing alive."""
        owner = mailbox.owner
        name = getattr(owner, "name", None) or type(owner).__name__
        frame = getattr(message, "frame", None)
        size = "" if frame is None else f" of {len(frame)}"
        thread = threading.current_thread().name
        self.signals.append((time.monotonic(), thread, name, f"{type(message).__name__}{size}"))
        if len(mailbox.data or ()) > BESIDES and isinstance(owner, Island):
            self._check(mailbox, owner)
        if len(mailbox.control or ()) > BESIDES and isinstance(owner, Island):
            self._check(mailbox, owner)

    def _check(self, mailbox: Mailbox, owner: Island) -> None:
        logics = [member.logic for member in owner.members()]
        inlets = [inlet for logic in logics for inlet in tuple(logic.inlets)]
        data = sum(inlet.window + 1 for inlet in inlets) + BESIDES
        calls = sum(PER_CALL * int(logic.details().get("parallelism", 0)) for logic in logics)
        outlets = sum(len(tuple(logic.outlets)) for logic in logics)
        control = PER_OUTLET * outlets + calls + BESIDES
        held = mailbox.statistics()
        if held.data > data or held.control > control:
            self.too_full.append(
                f"mailbox of '{owner.name}' holds {held.data} + {held.control} messages,"
                f" at most {data} + {control} may wait"
            )


@contextmanager
def recorded() -> Iterator[Flight]:
    """What comes into mailboxes in this block.

    Raises ``AssertionError`` behind it if one of a stage held more than it may.
    """
    flight = Flight()
    undo: list[tuple[object, str, Any]] = []
    for name in ("offer", "offer_control"):
        _replace(Mailbox, name, _noted(getattr(Mailbox, name), flight), undo)
    try:
        yield flight
    finally:
        _put_back(undo)
    assert not flight.too_full, list(flight.too_full)


@contextmanager
def injected(p: float, seed: int) -> Iterator[Flight]:
    """In this block the runtime yields with probability ``p``, and is ``recorded``."""
    with recorded() as flight, _yielding(Yields(p, seed)):
        yield flight


@contextmanager
def _yielding(yields: Yields) -> Iterator[None]:
    undo: list[tuple[object, str, Any]] = []
    _replace_locks(yields, undo)
    for owner, name in (
        (Mailbox, "offer"),
        (Mailbox, "offer_control"),
        (Mailbox, "take"),
        (Mailbox, "end_turn"),
        (Mailbox, "close"),
        (Mailbox, "resume"),
        (PooledActor, "_turn_"),
        (PooledActor, "_schedule_turn_"),
        (PoolDispatcher, "enqueued"),
    ):
        _replace(owner, name, _around(getattr(owner, name), yields.maybe), undo)
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(switch)
        _put_back(undo)


def _replace_locks(yields: Yields, undo: list[tuple[object, str, Any]]) -> None:
    """Wherever a module of ours has taken one from behind the seam."""
    for name, module in list(sys.modules.items()):
        for kind, plain in PLAIN.items():
            if name.startswith("actors_rs.") and vars(module).get(kind) is plain:
                _replace(module, kind, yields.instead_of(plain), undo)


def _replace(owner: object, name: str, new: Any, undo: list[tuple[object, str, Any]]) -> None:
    undo.append((owner, name, getattr(owner, name)))
    setattr(owner, name, new)


def _put_back(undo: list[tuple[object, str, Any]]) -> None:
    for owner, name, before in reversed(undo):
        setattr(owner, name, before)


def _around(method: Callable[..., Any], maybe: Callable[[], None]) -> Callable[..., Any]:
    @wraps(method)
    def yielding(*args: Any) -> Any:
        maybe()
        result = method(*args)
        maybe()
        return result

    return yielding


def _noted(offer: Callable[..., bool], flight: Flight) -> Callable[..., bool]:
    @wraps(offer)
    def noting(mailbox: Mailbox, message: Any) -> bool:
        taken = offer(mailbox, message)
        flight.note(mailbox, message)
        return taken

    return noting
