"""Which function of the user's a thread is in: what to say of a call that does not return."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import CodeType, FrameType

from actors_rs.runtime._primitives import current_thread_id
from actors_rs.texts import qualified_name_of

__all__ = ["function_inside", "name_of_one_of", "place_in"]

_OURS = __name__.partition(".")[0]
_BETWEEN = {"contextlib", "functools", "pykka._actor", "threading"}
"""Modules of others that call the user's functions for us, or are called by us."""


def function_inside(thread: int, code: CodeType, owner: object) -> str:
    """The function that ``owner``, whose method with that ``code`` runs on ``thread``, has called.

    As ``module.function (file:line)``, with the line that it has come to; empty if ``thread`` is in
    no function of the user's that is written in Python. Any thread.

    Turns lie within one another on the thread of a world, which asks on that thread itself. Of
    another thread the innermost turn is taken: CPython 3.11 has crashed where the variables of a
    frame were read while its thread ran it.
    """
    frame = sys._current_frames().get(thread)
    found: FrameType | None = None
    mine = thread == current_thread_id()
    while frame is not None:
        if frame.f_code is code and (not mine or frame.f_locals.get("self") is owner):
            return "" if found is None else place_in(found)
        if not _is_ours(module := frame.f_globals.get("__name__")) and module not in _BETWEEN:
            found = frame  # the outermost one is what was given to the stage
        frame = frame.f_back
    return ""


def name_of_one_of(things: Iterable[object]) -> str:
    """The name of the first that the user may have given and that can be called or drawn from.

    Empty if there is none.
    """
    for thing in things:
        if callable(thing) or hasattr(type(thing), "__next__"):
            name = qualified_name_of(thing)
            if not (_is_ours(name) or _is_ours(qualified_name_of(type(thing)))):
                return name
    return ""


def place_in(frame: FrameType) -> str:
    """``module.function (file:line)``, with the line that it has come to."""
    code, module = frame.f_code, frame.f_globals.get("__name__", "")
    return f"{module}.{code.co_qualname} ({code.co_filename}:{frame.f_lineno})"


def _is_ours(module: object) -> bool:
    return isinstance(module, str) and module.partition(".")[0] == _OURS
