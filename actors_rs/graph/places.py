"""Where a stage was made: the line of the user's that its errors show.

A function that returns a stream makes one for each element, and almost none of them fails. So what
is kept is where the interpreter was; a line is made of it when somebody asks.
"""

from __future__ import annotations

import sys
from functools import cache
from types import CodeType
from typing import TypeAlias

__all__ = ["Place", "assembly_place", "assembly_site", "site_of"]

Place: TypeAlias = tuple[CodeType, int] | str
"""Some code and how far it had come, or the file and line."""


def assembly_place(depth: int = 1) -> Place:
    """The nearest caller outside this package.

    ``depth``: so many frames above this one are known to be the package's, and are not looked at.
    """
    frame = sys._getframe(depth)
    while _is_ours(frame.f_globals.get("__name__", "")):
        if frame.f_back is None:
            break
        frame = frame.f_back
    return frame.f_code, frame.f_lasti


def assembly_site() -> str:
    """File and line of the nearest caller outside this package."""
    return site_of(assembly_place(2))


def site_of(place: Place) -> str:
    """File and line."""
    if isinstance(place, str):
        return place
    code, reached = place
    lines = (line for first, behind, line in code.co_lines() if first <= reached < behind)
    return f"{code.co_filename}:{next(lines, None) or code.co_firstlineno}"


@cache
def _is_ours(module: str) -> bool:
    return module == "actors_rs" or module.startswith("actors_rs.")
