"""The part of an exception to read first: the error, and the user's code that raised it.

A chain of exceptions holds frames of this library, of Spark and of Py4J, and a Java stack. Only a
few of its some hundred lines are frames of the user's own code, in this process or in a worker
process, whose traceback arrives as text.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path

from actors_rs.texts import class_name_of, text_of

__all__ = ["brief"]

_OURS = str(Path(__file__).parents[2])
_FOREIGN = ("/pyspark/", "/py4j/", "/concurrent/futures/")
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
    # A worker's traceback may stand in several errors of the chain: it is logged once.
    parts = dict.fromkeys(
        tuple(part) for one in _chain(error) for part in (_remote_code(one), _own_code(one))
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


def _own_code(error: BaseException) -> Iterator[str]:
    for frame in traceback.extract_tb(error.__traceback__):
        if not frame.filename.startswith(_OURS) and not any(
            part in frame.filename for part in _FOREIGN
        ):
            yield f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}'
            if frame.line:
                yield f"    {frame.line}"


def _remote_code(error: BaseException) -> list[str]:
    """Of a traceback that came as text, from a process of a worker, the lines of code."""
    texts = (text_of(error), *getattr(error, "__notes__", ()))
    text = next((text for text in texts if _REMOTE in text), "")
    lines: list[str] = []
    for line in text.rpartition(_REMOTE)[2].splitlines()[1:] if text else ():
        if not line.startswith("  "):
            break
        lines.append(line)
    return _without_foreign(lines)


def _without_foreign(lines: list[str]) -> list[str]:
    """``lines`` of a traceback without frames of other libraries and marks below the code."""
    kept: list[str] = []
    foreign = False
    for line in lines:
        if line.startswith("  File "):
            foreign = any(part in line for part in _FOREIGN)
        if not foreign and line.strip(" ^~"):
            kept.append(line)
    return kept
