"""Functions and elements that travel to executors: pickled, or told what is in the way."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from types import CellType
from typing import Any

from actors_rs.errors import InvalidArgumentError
from actors_rs.texts import class_name_of, named, qualified_name_of, text_of

__all__ = ["frames_of", "pickled_function"]

_EMPTY = CellType()
"""Of a variable that has no value yet: equal to all such cells, and it travels."""


def pickled_function(f: Callable[..., Any], what: str) -> bytes:
    """``f`` pickled; raises ``InvalidArgumentError`` naming what in it cannot be."""
    try:
        return _dumps(f)
    except Exception as error:
        name = qualified_name_of(f)
        culprits = list(dict.fromkeys(_culprits(f, [])))
        why = ", ".join(culprits) or f"{class_name_of(error)}: {_first_line(error)}"
        raise InvalidArgumentError(
            f"{what}: the function '{name}' is to run on executors, but cannot be pickled: {why}"
        ) from error


def frames_of(
    elements: Sequence[Any], count: int, limit: int
) -> tuple[list[bytes], list[list[int]], dict[int, Exception]]:
    """``elements`` pickled in ``count`` lists of at most ``limit`` bytes, or more of them.

    With the positions of the elements in each list, and the errors of elements that cannot travel.
    """
    size = -(-len(elements) // max(1, count))
    todo = [list(range(at, min(at + size, len(elements)))) for at in range(0, len(elements), size)]
    todo.reverse()
    frames: list[bytes] = []
    places: list[list[int]] = []
    refused: dict[int, Exception] = {}
    while todo:
        place = todo.pop()
        error: Exception | None = None
        try:
            frame = _dumps([elements[at] for at in place])
        except Exception as failure:
            error = TypeError(f"cannot be pickled ({named(failure)})")
            frame = b""
        if error is None and len(frame) > limit:
            error = InvalidArgumentError(
                f"an element of {len(frame):,} bytes is too large for a Spark task: at most "
                f"{limit:,}, see spark.rpc.message.maxSize"
            )
        if error is None:
            frames.append(frame)
            places.append(place)
        elif len(place) == 1:
            refused[place[0]] = error
        else:
            half = len(place) // 2
            todo += [place[half:], place[:half]]
    return frames, places, refused


def _dumps(value: object) -> bytes:
    from pyspark import cloudpickle

    untyped: Any = cloudpickle
    return bytes(untyped.dumps(value))


def _travels(value: object) -> bool:
    try:
        _dumps(value)
    except Exception:
        return False
    return True


def _first_line(error: Exception) -> str:
    return (text_of(error).splitlines() or [""])[0]


def _culprits(f: Any, seen: list[Any]) -> Iterator[str]:
    """What in ``f`` cannot travel; of a function that cannot, what in that."""
    seen.append(f)
    for said, part in _parts(f):
        if any(part is one for one in seen) or _travels(part):
            continue
        within = list(_culprits(part, seen)) if inspect.isroutine(part) else []
        yield from within or (said,)


def _parts(f: Any) -> Iterator[tuple[str, Any]]:
    """What ``f`` takes along, each with how to say so."""
    if isinstance(f, functools.partial):
        yield from _parts(f.func)
        for argument in (*f.args, *f.keywords.values()):
            yield f"its argument {_named(argument)}", argument
        return
    if inspect.ismethod(f):
        yield f"its object {_named(f.__self__)}", f.__self__
        f = f.__func__
    if not inspect.isfunction(f):
        return
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        if cell != _EMPTY:
            yield f"'{name}' {_named(cell.cell_contents)}", cell.cell_contents
    for name in f.__code__.co_names:
        if name in f.__globals__:
            yield f"the global '{name}' {_named(f.__globals__[name])}", f.__globals__[name]
    for default in f.__defaults__ or ():
        yield f"a default {_named(default)}", default


def _named(value: object) -> str:
    return f"(a {qualified_name_of(type(value))})"
