"""Calls of C that wait for real: for a lock that is held, or for what comes from outside.

Who looks on at a call of C sees the function, and not what it is given. How many arguments there
are, the names of the last of them, and the last one itself if it is a constant, stand in the code
of the caller.
"""

from __future__ import annotations

import dis
import select
import sys
from types import FrameType
from typing import Any, Final, NamedTuple

from actors_rs.runtime._primitives import Lock

__all__ = ["POLLED", "WAITED", "real_wait"]

WAITED: Final = (
    "a deterministic world has one thread, but it was about to wait for another one, in {}: "
    "use run.result(), world.sleep or world.settle,"
)
POLLED: Final = (
    "a deterministic world has its own time, and nothing outside, but {}() was about to wait for "
    "that: use world.sleep or what the streams offer,"
)
_LOCK: Final = type(Lock())
_POLL_METHODS: Final = frozenset({"poll", "control"})
"""Of what the module ``select`` makes, on one system or another."""
_SKIPPED: Final = frozenset({"PRECALL", "CACHE", "EXTENDED_ARG", "PUSH_NULL"})
_CONSTANTS: Final = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})
_UNKNOWN: Final = object()


class _Given(NamedTuple):
    """The arguments of a call: their number, the names of the last ones, the last one."""

    arguments: int
    names: tuple[str, ...] = ()
    last: Any = _UNKNOWN


def real_wait(frame: FrameType, function: Any) -> str:
    """The fault of a call of ``function`` by ``frame``, in words.

    Empty if the call does not wait, or if that cannot be seen: ``with lock``, ``*arguments``, a
    number of seconds for a poll that is no constant.
    """
    owner = getattr(function, "__self__", None)
    name = getattr(function, "__name__", "")
    if type(owner) is _LOCK:
        waits = name == "acquire" and owner.locked() and _waits_for_lock(_given(frame))
        return WAITED.format("acquire() of a lock that is held") if waits else ""
    if owner is select:
        waits = name == "select" and _waits_outside(_given(frame), 3)
    else:
        polls = name in _POLL_METHODS and type(owner).__module__ == select.__name__
        waits = polls and _waits_outside(_given(frame), 0)
    return POLLED.format(name) if waits else ""


def _waits_for_lock(given: _Given) -> bool:
    """Whether it takes a lock that is held, and not only if it was free or in no time."""
    if given.names == ("timeout",) or given.arguments == 2:
        return given.last is _UNKNOWN or given.last != 0
    return given.arguments == 0 or (given.arguments == 1 and given.last is True)


def _waits_outside(given: _Given, without: int) -> bool:
    """Whether a poll waits, which does so without end if it is given so many arguments."""
    return given.arguments <= without or (given.last is not _UNKNOWN and given.last != 0)


def _given(frame: FrameType) -> _Given:
    code = frame.f_code
    before = [
        one
        for one in dis.get_instructions(code)
        if one.offset <= frame.f_lasti and one.opname not in _SKIPPED
    ]
    call = before.pop()
    if call.opname == "CALL_FUNCTION_EX" or call.arg is None:
        return _Given(sys.maxsize)
    names: tuple[str, ...] = ()
    if before[-1].opname == "KW_NAMES" or call.opname == "CALL_KW":
        names = code.co_consts[before.pop().arg or 0]
    last = before[-1].argval if before[-1].opname in _CONSTANTS else _UNKNOWN
    return _Given(call.arg, names, last)
