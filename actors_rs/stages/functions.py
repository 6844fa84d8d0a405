"""Functions of the user whose call runs nothing yet: coroutine and generator functions.

A call only makes an object that must be awaited or drawn. If no stage does that, the user's code
would never run, and the object would pass for its result.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from inspect import (
    CO_ASYNC_GENERATOR,
    CO_COROUTINE,
    CO_GENERATOR,
    isasyncgenfunction,
    isawaitable,
    iscoroutinefunction,
    isgeneratorfunction,
)
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

__all__ = [
    "ASYNC_GENERATOR",
    "COROUTINE",
    "GENERATOR",
    "deferred_kind",
    "deferred_result",
    "is_awaitable",
    "is_coroutine_function",
]

COROUTINE = "coroutine function"
ASYNC_GENERATOR = "async generator function"
GENERATOR = "generator function"

_KINDS = (
    (iscoroutinefunction, COROUTINE),
    (isasyncgenfunction, ASYNC_GENERATOR),
    (isgeneratorfunction, GENERATOR),
)
_DEFERRED = CO_COROUTINE | CO_ASYNC_GENERATOR | CO_GENERATOR


def deferred_kind(f: Any) -> str:
    """What ``f``, which can be called, is if a call of it runs nothing; else an empty text.

    One that is wrapped in ``partial`` counts, and an object whose ``__call__`` is one.
    """
    if type(f) is MethodType:
        f = f.__func__
    if type(f) is FunctionType and not f.__code__.co_flags & _DEFERRED and not f.__dict__:
        return ""  # a look at nearly all that come, as each operator asks
    if isinstance(f, type | BuiltinFunctionType):
        return ""
    while isinstance(f, partial):
        f = f.func
    call = type(f).__call__
    return next((kind for is_one, kind in _KINDS if _says(is_one, f) or _says(is_one, call)), "")


def is_coroutine_function(f: Any) -> bool:
    """``inspect.iscoroutinefunction``; False for an object that does not let itself be asked."""
    return _says(iscoroutinefunction, f)


def is_awaitable(value: Any) -> bool:
    """Whether ``value`` is something to wait for; not if its class cannot be asked."""
    return _says(_can_be_awaited, value)


def _can_be_awaited(value: Any) -> bool:
    return isinstance(value, Future) or isawaitable(value)


def _says(is_one: Callable[[Any], bool], f: Any) -> bool:
    try:
        return is_one(f)
    except Exception:  # of its ``__getattr__``, for instance: it can be called all the same
        return False


def deferred_result(kind: str) -> str:
    """The end of an error sentence about a function of that ``kind``."""
    if kind == COROUTINE:
        return "map_async(f) awaits them"
    return "nothing iterates the result of a call, so it would never run"
