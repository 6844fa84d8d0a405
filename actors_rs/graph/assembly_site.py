"""Where a stage was made: the line of the user's that its errors show.

A function that returns a stream makes one for each element, and almost none of them fails. So the
site keeps the position of the interpreter, and makes the line of text when it is needed.
"""

from __future__ import annotations

import sys
from functools import cache, lru_cache
from types import CodeType
from typing import TypeAlias

__all__ = ["AssemblySite", "assembly_site", "at_site", "site_of"]

AssemblySite: TypeAlias = tuple[CodeType, int] | str
"""Some code and how far it had come, or the file and line; empty where no line is the user's."""
_NOBODYS = frozenset(("typing", "threading", "concurrent.futures.thread"))
"""Modules between this library and the user's code: ``Source`` is an alias of ``typing``; a thread
has no user code below it where a stage calls one of ours: ``flat_map(Source.from_iterable)``."""


def assembly_site(depth: int = 1) -> AssemblySite:
    """The nearest caller that is the user's.

    ``depth``: so many frames above this one are known to be the package's, and are not looked at.
    """
    frame = sys._getframe(depth)
    while _is_nobodys(frame.f_globals.get("__name__", "")):
        if frame.f_back is None:
            return ""
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def at_site() -> str:
    """File and line of that caller, for the end of a message; empty if there is none."""
    site = site_of(assembly_site(2))
    return f" (at {site})" if site else ""


def site_of(assembled_at: AssemblySite) -> str:
    """File and line."""
    return assembled_at if isinstance(assembled_at, str) else _line_of(*assembled_at)


@lru_cache(maxsize=1024)  # a line for each stage of each inner stream, and they are few
def _line_of(code: CodeType, reached: int) -> str:
    lines = (line for first, behind, line in code.co_lines() if first <= reached < behind)
    return f"{code.co_filename}:{next(lines, None) or code.co_firstlineno}"


@cache
def _is_nobodys(module: str) -> bool:
    return module == "actors_rs" or module.startswith("actors_rs.") or module in _NOBODYS
