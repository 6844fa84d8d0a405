"""What runs in a Python worker to map elements there.

This module travels to the executors as it is, so that they need not have this package: it imports
nothing of ours.

Elements come as pickled lists, and go as pickled lists of ``(True, value)`` or ``(False, error)``:
an element that raises fails alone. A result that cannot be pickled is an error of its element. An
error goes in parts (``Parts``), so that a part that cannot travel does not affect the others.

An element that cannot be unpickled does not affect the others either. Elements come once more then,
each pickled by itself (``of_pickled``), for which the answer is ``UNREAD``: the function was called
for none of them. Results go that way at once, and the driver sees which of them it cannot read.
"""

from __future__ import annotations

import asyncio
import inspect
import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Any

__all__ = ["UNREAD", "Parts", "mapper", "of_pickled"]

Parts = tuple[bytes | None, bytes | None, list[bytes], dict[str, bytes], str]
"""An exception: pickled as a whole, its class, its ``args``, its attributes, and all of it as text.

``None`` stands for what cannot be pickled.
"""

UNREAD = b""
"""The answer for a list of elements that could not be unpickled."""


def mapper(f: Callable[[Any], Any]) -> Callable[[Iterator[bytes]], Iterator[bytes]]:
    """For ``RDD.mapPartitions``: ``f`` of each element, which may give an awaitable."""

    def run(frames: Iterator[bytes]) -> Iterator[bytes]:
        for frame in frames:
            try:
                elements = _load(frame)
            except Exception:
                yield UNREAD
            else:
                yield _pickled([_outcome(f, element) for element in elements])

    return run


def of_pickled(f: Callable[[Any], Any]) -> Callable[[bytes], Any]:
    """``f`` of an element that was pickled by itself; raises ``TypeError`` if it cannot be read."""

    def unpickled(pickled: bytes) -> Any:
        try:
            element = _load(pickled)
        except Exception as error:
            raise TypeError(f"cannot be unpickled in a Python worker ({_said(error)})") from None
        return f(element)

    return unpickled


def _outcome(f: Callable[[Any], Any], element: Any) -> tuple[bool, Any]:
    try:
        value = f(element)
        if inspect.isawaitable(value):
            value = asyncio.run(_awaited(value))
    except BaseException as error:  # a SystemExit would end the worker, and all calls with it
        return False, _parts(error)
    return True, value


async def _awaited(made: Awaitable[Any]) -> Any:
    return await made


def _parts(error: BaseException) -> Parts:
    """``error`` with its traceback as a note, which cannot travel."""
    note = "in a Python worker: " + "".join(traceback.format_exception(error)).rstrip()
    error.__traceback__ = error.__cause__ = error.__context__ = None
    with suppress(Exception):
        error.add_note(note)
    args = [_dumped(value) or _dump(_repr_of(value)) for value in error.args]
    attributes = {name: _dumped(value) for name, value in vars(error).items()}
    return (
        _dumped(error),
        _dumped(type(error)),
        args,
        {name: value for name, value in attributes.items() if value is not None},
        f"{_said(error)}\n{note}",
    )


def _said(error: BaseException) -> str:
    """Class and text of ``error``, though its ``__str__`` may raise."""
    return traceback.format_exception_only(error)[0].rstrip()


def _repr_of(value: object) -> str:
    """``repr(value)``, though it may raise: ``actors_rs.texts`` does not come along."""
    try:
        return repr(value)
    except BaseException as failure:
        kind = type(value).__name__
        return f"<{kind} whose __repr__ raised {type(failure).__name__}>"


def _dumped(value: object) -> bytes | None:
    """``value``, pickled, if it can be read again."""
    try:
        pickled = _dump(value)
        _load(pickled)
    except Exception:
        return None
    return pickled


def _pickled(outcomes: list[tuple[bool, Any]]) -> bytes:
    try:
        pickled = _dump(outcomes)
        _load(pickled)
    except Exception:
        return _dump([_by_itself(outcome) for outcome in outcomes])
    return pickled


def _by_itself(outcome: tuple[bool, Any]) -> bytes:
    try:
        return _dump(outcome)
    except Exception as error:
        kind = f"{type(outcome[1]).__module__}.{type(outcome[1]).__qualname__}"
        text = f"the result, a {kind}, cannot be pickled ({_said(error)})"
        return _dump((False, _parts(TypeError(text))))


def _dump(value: object) -> bytes:
    from pyspark import cloudpickle

    untyped: Any = cloudpickle
    return bytes(untyped.dumps(value))


def _load(pickled: bytes) -> Any:
    from pyspark import cloudpickle

    return cloudpickle.loads(pickled)
