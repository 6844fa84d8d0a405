"""Ctrl-C at every place of a call where CPython looks for signals."""

import dis
import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType, FrameType
from typing import Any

import actors_rs

LOOKS_BEHIND = {"CALL", "CALL_KW", "CALL_FUNCTION_EX", "JUMP_BACKWARD"}
"""Instructions behind which it does, if what is called is C; and where other functions begin."""

HANDLED = dict[int, int | None]
"""By the offset of an instruction, where an exception in it is handled."""

OURS = os.path.dirname(actors_rs.__file__)
"""It may come in functions there that are no generators, and where these enter a condition of
Python's. Raising in generators, or in functions that C calls, makes CPython 3.11 stumble; and
``threading`` itself is not made for it, ``Thread.start`` and ``Condition.wait`` least of all."""


class Interruption:
    """Raises ``KeyboardInterrupt`` at one of these places, counted from 0, in its block.

    It calls ``before`` first. With ``again`` it raises a second time, ``again`` places later.
    Python ends a trace function that raises, so the second one comes from a profile function, which
    sees calls and the ends of calls of C.
    """

    def __init__(
        self, place: int, again: int | None = None, before: Callable[[], object] | None = None
    ) -> None:
        self._left = place
        self._before = before
        self._again = again
        self._last: dict[FrameType | None, int] = {}
        self.came = self.came_again = False

    def __enter__(self) -> "Interruption":
        if self._again is not None:
            sys.setprofile(self._profile)
        sys.settrace(self._call)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        sys.setprofile(None)
        self._last.clear()

    def _profile(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        ours = code.co_filename.startswith(OURS) and not code.co_flags & inspect.CO_GENERATOR
        if not (self.came and ours and event in ("call", "c_return")):
            return
        assert self._again is not None
        self._again -= 1
        if self._again < 0 and not self.came_again:
            self.came_again = True
            raise KeyboardInterrupt

    def _call(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        self._last.pop(frame.f_back, None)
        enters = code.co_filename == threading.__file__ and code.co_name == "__enter__"
        from_where = frame.f_back.f_code if enters and frame.f_back else code
        if not from_where.co_filename.startswith(OURS) or code.co_flags & inspect.CO_GENERATOR:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        self._place()
        return self._opcode

    def _opcode(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode":
            names, handled = names_of(frame.f_code), handlers_of(frame.f_code)
            last = self._last.pop(frame, None)
            # CPython raises in the last instruction; here it comes in the next one.
            if last is not None and handled[last] == handled[frame.f_lasti]:
                self._place()
            if names[frame.f_lasti] in LOOKS_BEHIND:
                self._last[frame] = frame.f_lasti
        return self._opcode

    def _place(self) -> None:
        self._left -= 1
        if self._left < 0 and not self.came:
            self.came = True
            if self._before is not None:
                self._before()
            raise KeyboardInterrupt


@cache
def names_of(code: CodeType) -> dict[int, str]:
    return {one.offset: one.opname for one in dis.get_instructions(code)}


@cache
def handlers_of(code: CodeType) -> HANDLED:
    entries = dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]
    return {
        offset: next((e.target for e in entries if e.start <= offset < e.end), None)
        for offset in names_of(code)
    }


def interrupted_everywhere(
    call: Callable[[], object],
    most: int = 1000,
    before: Callable[[], object] | None = None,
    *,
    first: int = 0,
    step: int = 1,
) -> Iterator[int]:
    """Interrupt ``call`` at its first place, then at its second, ...; after each, its number.

    Ends when a call got through without an interruption. ``before`` is called before each. With
    ``step`` only each ``step``-th place is taken, from ``first`` on.
    """
    for place in range(first, most, step):
        interruption = Interruption(place, before=before)
        try:
            with interruption:
                call()
        except KeyboardInterrupt:
            pass
        if not interruption.came:
            return
        yield place
    raise AssertionError(f"more than {most} places")


def interrupted_twice(call: Callable[[], object], step: int = 1) -> Iterator[tuple[int, int]]:
    """Interrupt ``call`` at each place, and at each ``step``-th place of what that sets off.

    Gives the two numbers after each. Where the second one begins differs from place to place, so
    that large steps miss nothing that is set off at several places.
    """
    for place in range(1000):
        for again in range(place % step, 1000, step):
            interruption = Interruption(place, again)
            try:
                with interruption:
                    call()
            except KeyboardInterrupt:
                pass
            yield place, again
            if not interruption.came:
                return
            if not interruption.came_again:
                break
