"""Finds code in a world that uses the real clock or real threads.

Watching is expensive, so few runs are watched; forbidden calls mostly occur in all runs.
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from opcode import opname
from types import FrameType
from typing import Any

from actors_rs.errors import WorldError
from actors_rs.runtime._primitives import CLOCKS, THREAD_STARTERS, WAIT
from actors_rs.testing.explore.real_waits import WAITED, real_wait
from actors_rs.texts import text_of

__all__ = ["no_real_time_or_threads"]

_BENIGN = ("logging", "warnings", "importlib", "_pytest", "pluggy", "hypothesis")
"""Modules that may read the clock: it does not reach a stream from there."""

_FOR_ANOTHER = WAITED.format("wait() of an event, a condition, a queue or a future")
_TAKES_TURNS = "actors_rs.engine.aside"
"""A thread that it starts goes on only while the world waits for it."""
_OF_DATES = ("now", "utcnow", "today")
_UUID_OF_NOW = getattr(uuid, "_generate_time_safe", None)
"""Of C, where there is one: it reads the clock unseen."""
_OURS = __name__.partition(".")[0]
"""Threads of this library are allowed: the user has made a system of their own."""


@contextmanager
def no_real_time_or_threads() -> Iterator[None]:
    """In this block, raise ``WorldError`` where the clock is read, a thread started or waited for.

    It is raised at the call, since an endless wait may follow; and once more at the end of the
    block, in case the code has caught it.
    """
    before = sys.getprofile()
    found: list[WorldError] = []
    sys.setprofile(_watch(found))
    try:
        yield
    except BaseException as error:
        if found and error is not found[0]:
            raise WorldError(text_of(found[0])) from error
        raise
    finally:
        sys.setprofile(before)
    if found:
        raise found[0]


def _watch(found: list[WorldError]) -> Callable[[FrameType, str, Any], None]:
    def look(frame: FrameType, happened: str, function: Any) -> None:
        if happened == "c_call":
            said = _forbidden(frame, function)
        else:
            said = _FOR_ANOTHER if happened == "call" and _waits(frame) else ""
        if said:
            caller = _outside(frame)
            if caller is not None:
                said = f"{said} at {caller.f_code.co_filename}:{caller.f_lineno}"
                found.append(WorldError(said))
                raise found[0]  # and nothing more is looked at: Python takes the function away

    return look


def _waits(frame: FrameType) -> bool:
    """Whether ``frame``, which is about to run, waits for another thread; not if for no time."""
    return frame.f_code is WAIT and frame.f_locals.get("timeout") != 0


def _forbidden(frame: FrameType, function: Any) -> str:
    name = getattr(function, "__name__", "")
    if function in THREAD_STARTERS:
        return "a deterministic world has one thread, but another one was started"
    if _is_clock(frame, function) or _is_date(function):
        return (
            f"a deterministic world has its own time, but {name}() of the real one was called: "
            "use world.now, world.sleep or what the streams offer,"
        )
    return real_wait(frame, function)


def _is_clock(frame: FrameType, function: Any) -> bool:
    """Whether ``function`` tells the time, as ``frame`` calls it: some can be given one."""
    if function not in CLOCKS:
        return function is _UUID_OF_NOW
    enough = CLOCKS[function]
    return enough is None or _arguments(frame) < enough


def _arguments(frame: FrameType) -> int:
    """How many arguments the call has that ``frame`` is making; many, if they are unpacked."""
    code = frame.f_code.co_code
    operation, count = code[frame.f_lasti], code[frame.f_lasti + 1]
    return sys.maxsize if opname[operation] == "CALL_FUNCTION_EX" else count


def _is_date(function: Any) -> bool:
    owner: Any = getattr(function, "__self__", None)
    if not issubclass(type(owner), type) or function.__name__ not in _OF_DATES:
        return False
    # Not ``in``: what owns a method of C may have an ``__eq__`` of its own.
    return any(base is date for base in type.mro(owner))


def _outside(frame: FrameType) -> FrameType | None:
    """The frame whose code the error names; ``None`` if the call is harmless."""
    inner: FrameType | None = frame
    while inner is not None:
        module = str(inner.f_globals.get("__name__", ""))
        package = module.partition(".")[0]
        if package in _BENIGN or module == _TAKES_TURNS:
            return None
        if package not in sys.stdlib_module_names and package != _OURS:
            return inner
        inner = inner.f_back
    return frame
