"""The text of a user's object, for a message or a log: it never raises, and it has an end.

An object whose ``__str__`` or ``__repr__`` raises, returns no text, or returns a gigabyte must not
break code that only names it: an actor's turn, the end of a run, a shutdown. So objects of users
get into a text through these functions only.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Callable
from dataclasses import fields
from types import TracebackType
from typing import Any

__all__ = [
    "MOST",
    "class_name_of",
    "named",
    "qualified_name_of",
    "repr_of",
    "repr_of_fields",
    "short_repr_of",
    "text_of",
]

MOST = 10_000
"""Characters of a text that are shown, and of a ``repr`` a tenth of them."""


_name_of_class = type.__dict__["__name__"].__get__  # past a ``__name__`` of its metaclass


def class_name_of(thing: object) -> str:
    """The name of the class of ``thing``, which its ``__class__`` or metaclass cannot change."""
    name: str = _name_of_class(type(thing))
    return name


def qualified_name_of(function: object) -> str:
    """``module.name`` of something that can be called; of its class if it has no name itself."""
    for thing in (function, type(function)):
        try:
            name, module = thing.__qualname__, thing.__module__  # type: ignore[attr-defined]
            if type(name) is str:
                return f"{module}.{name}" if type(module) is str else name
        except BaseException:
            continue
    return class_name_of(function)


def text_of(thing: object, most: int = MOST) -> str:
    """``str(thing)``, at most some ``most`` characters of it; safe for any ``__str__``.

    All exceptions are caught, also exits: a caller that waits for the text would wait for ever.
    """
    return _taken(str, "__str__", thing, most)


def repr_of(thing: object, most: int = MOST // 10) -> str:
    """``repr(thing)``, at most some ``most`` characters of it; safe for any ``__repr__``."""
    return _taken(repr, "__repr__", thing, most)


def short_repr_of(thing: object) -> str:
    """``reprlib.repr(thing)``, some dozens of characters; safe for any ``__repr__``."""
    return _taken(reprlib.repr, "__repr__", thing, MOST)


def repr_of_fields(data: Any) -> str:
    """The ``__repr__`` of a dataclass that holds users' objects: the generated one may raise."""
    shown = ", ".join(f"{one.name}={repr_of(getattr(data, one.name))}" for one in fields(data))
    return f"{type(data).__qualname__}({shown})"


def named(error: BaseException) -> str:
    """``error`` for a sentence: its class and its text, or where it was raised if it has no text.

    ``TimeoutError`` of asyncio and a bare ``assert`` have none.
    """
    text, kind = text_of(error), class_name_of(error)
    if text.strip():
        return f"{kind}: {text}"
    place = _place_of(error)
    return f"{kind} without a text{place and ', raised in '}{place}"


_LIBRARIES = os.path.dirname(os.__file__) + os.sep
_PACKAGE = os.path.dirname(__file__) + os.sep


def _place_of(error: BaseException) -> str:
    """The innermost function of the user's that ``error`` went through, with file and line."""
    place = ""
    step: TracebackType | None = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if not code.co_filename.startswith((_LIBRARIES, _PACKAGE, "<frozen")):
            place = f"{code.co_name} ({code.co_filename}:{step.tb_lineno})"
        step = step.tb_next
    return place


def _taken(call: Callable[[object], str], method: str, thing: object, most: int) -> str:
    try:
        text = call(thing)
        length = str.__len__(text)  # not as a subclass would have it
        if length <= most:
            return str.__str__(text)
        return f"{str.__getitem__(text, slice(most))}... ({length} characters)"
    except BaseException as failure:
        return f"<{class_name_of(thing)} whose {method} raised {class_name_of(failure)}>"
