"""Errors that are kept for long must not keep what failed: a traceback holds all local variables.

Through them, one element that failed would keep a stage alive and everything connected with it. So
the traceback gives way to a note of where the error was raised.
"""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType

from actors_rs.raised import note_once

__all__ = ["forget_frames"]


def forget_frames(error: BaseException, but: BaseException | None = None) -> None:
    """Drop the tracebacks of ``error`` and its causes; a note says where each was raised.

    ``but`` keeps its traceback, for a reader that still needs it.
    """
    seen = {id(but)}
    left: list[BaseException | None] = [error]
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        with suppress(Exception):  # an exception of the user may have methods that raise
            left += (one.__cause__, one.__context__)
            _note_the_place(one)


def _note_the_place(error: BaseException) -> None:
    if error.__traceback__ is not None:
        note = _place(error.__traceback__)
        BaseException.__setattr__(error, "__traceback__", None)
        note_once(error, note)


def _place(trace: TracebackType) -> str:
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return f"raised in {code.co_qualname} ({code.co_filename}:{trace.tb_lineno})"
