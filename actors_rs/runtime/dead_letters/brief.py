"""The part of an exception to read first: the error, and the user's code that raised it.

A chain of exceptions holds frames of this library, of Spark and of Py4J, and a Java stack. Only a
few of its some hundred lines are frames of the user's own code, in this process or in a worker
process, whose traceback arrives as text. User code is what lies outside of the standard library and
of the installed packages. Where no such frame is, the user's program may be an installed package
itself: frames of packages are shown then.
"""

from __future__ import annotations

import os
import re
import sysconfig
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from actors_rs.texts import class_name_of, text_of

__all__ = ["brief"]

_OURS = str(Path(__file__).parents[2]) + os.sep
_STANDARD = str(sysconfig.get_path("stdlib")) + os.sep
_SPARK = ("/pyspark/", "/py4j/")
_is_of_python = re.compile(r"[/\\]lib(?:64)?[/\\]python3\.\d+t?[/\\]").search
"""Finds it also in paths of other processes, whose Python may lie elsewhere."""
_is_installed = re.compile(r"[/\\](?:site|dist)-packages[/\\]").search
_REMOTE = "Traceback (most recent call last):"
_MOST_LINES = 12
"""Of the code: the innermost, which raised."""
_LONGEST = 500


def brief(error: BaseException) -> str:
    """``error`` and the lines of the user's code that it went through; never raises."""
    try:
        return "\n".join([_named(error), *_code_of(error)])
    except Exception:  # a method of the user's, or a file of his that cannot be read
        return f"{class_name_of(error)} (its traceback cannot be shown)"


def _named(error: BaseException) -> str:
    first = text_of(error).strip().partition("\n")[0]
    cut = first if len(first) <= _LONGEST else f"{first[:_LONGEST]}..."
    return f"{class_name_of(error)}: {cut}" if cut else class_name_of(error)


def _code_of(error: BaseException) -> list[str]:
    return _code_in(error, _is_users) or _code_in(error, _is_of_a_program)


def _is_users(path: str) -> bool:
    """Whether a file is the user's own code, no package that is installed."""
    return _is_of_a_program(path) and not _is_installed(path)


def _is_of_a_program(path: str) -> bool:
    """Whether a file is neither of this library, nor of Spark, nor of Python."""
    if path.startswith((_OURS, "<frozen ")) or any(part in path for part in _SPARK):
        return False
    return bool(_is_installed(path)) or not (path.startswith(_STANDARD) or _is_of_python(path))


def _code_in(error: BaseException, is_shown: Callable[[str], bool]) -> list[str]:
    # A worker's traceback may stand in several errors of the chain: it is logged once.
    parts = dict.fromkeys(
        tuple(part)
        for one in _chain(error)
        for part in (_remote_code(one, is_shown), _code_here(one, is_shown))
    )
    return [line for part in parts for line in part][-_MOST_LINES:]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """``error`` and what it was raised from, outermost first."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        cause = error.__cause__  # not asked for its truth: a user's exception may define that
        if cause is None and not error.__suppress_context__:
            cause = error.__context__
        error = cause


def _code_here(error: BaseException, is_shown: Callable[[str], bool]) -> Iterator[str]:
    for frame in traceback.extract_tb(error.__traceback__):
        if is_shown(frame.filename):
            yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
            if frame.line:
                yield f"    {frame.line}"


def _remote_code(error: BaseException, is_shown: Callable[[str], bool]) -> list[str]:
    """Of a traceback that came as text, from a process of a worker, the lines of code."""
    texts = (text_of(error), *getattr(error, "__notes__", ()))
    text = next((text for text in texts if _REMOTE in text), "")
    lines: list[str] = []
    for line in text.rpartition(_REMOTE)[2].splitlines()[1:] if text else ():
        if not line.startswith("  "):
            break
        lines.append(line)
    return _shown(lines, is_shown)


def _shown(lines: list[str], is_shown: Callable[[str], bool]) -> list[str]:
    """``lines`` of a traceback without other frames and without marks below the code."""
    kept: list[str] = []
    shows = True
    for line in lines:
        if line.startswith('  File "'):
            shows = is_shown(line.split('"')[1])
        if shows and line.strip(" ^~"):
            kept.append(line)
    return kept
