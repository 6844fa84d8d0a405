"""The text of a user's object, for a message or a log: it never raises, and it has an end.

An object whose ``__str__`` or ``__repr__`` raises, returns no text, or returns a gigabyte must not
break code that only names it: an actor's turn, the end of a run, a shutdown. So objects of users
get into a text through these functions only.
"""

from __future__ import annotations

import difflib
import os
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import fields
from types import TracebackType
from typing import Any

__all__ = [
    "MOST",
    "MOST_NAMES",
    "attempts_text",
    "class_name_of",
    "counted",
    "did_you_mean",
    "few",
    "named",
    "nearest",
    "one_of",
    "plain_name",
    "qualified_name_of",
    "repr_of",
    "repr_of_fields",
    "short_repr_of",
    "text_of",
]

MOST = 10_000
"""Characters of a text that are shown, and of a ``repr`` a tenth of them."""
MOST_NAMES = 8
"""Names in a row that a reader looks through."""
_ALIKE = 0.75
"""Of 1, how much two names must have in common for one to be taken for the other."""


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


def few(names: Iterable[Any], show: Callable[[Any], str] = str) -> str:
    """``names`` in a row, the few by ``show``, and how many more there are; or ``none``."""
    given = tuple(names)
    more = (f"{len(given) - MOST_NAMES} more",) if len(given) > MOST_NAMES else ()
    return ", ".join((*map(show, given[:MOST_NAMES]), *more)) or "none"


def one_of(known: Iterable[object], got: object, listed_in: str = "") -> str:
    """``one of 'a', 'b', got 'c'``, with the names that ``got`` may be meant for.

    It does not list many names; ``listed_in`` is where the reader finds them all.
    """
    names = tuple(known)
    hint = did_you_mean(names, got)
    listed = few(map(repr, names))
    if len(names) > MOST_NAMES and (listed_in or hint):
        listed = f"{len(names)} names" + (f" that {listed_in} lists" if listed_in else "")
    return f"one of {listed}, got {repr_of(got)}{hint}"


def did_you_mean(known: Iterable[object], got: object) -> str:
    """The end of a message: the ``known`` names that ``got`` may be meant for, if there are."""
    names = (one for one in known if isinstance(one, str))
    meant = nearest(got, names) if type(got) is str else []
    return f": did you mean {' or '.join(map(repr, meant))}?" if meant else ""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The three ``known`` names, at most, that ``name`` may be meant for, the most alike first.

    Case and underscores do not count: libraries differ in them.
    """
    plain = {plain_name(one): one for one in known}
    return [plain[one] for one in difflib.get_close_matches(plain_name(name), plain, 3, _ALIKE)]


def plain_name(name: str) -> str:
    """``name`` without what libraries differ in: ``flatMap``, ``flatmap``, ``flat_map``."""
    return name.replace("_", "").lower()


def named(error: BaseException) -> str:
    """``error`` for a sentence: its class and its text, or where it was raised if it has no text.

    ``TimeoutError`` of asyncio and a bare ``assert`` have none.
    """
    text, kind = text_of(error), class_name_of(error)
    if text.strip():
        return f"{kind}: {text}"
    place = _place_of(error)
    return f"{kind} without a text{place and ', raised in '}{place}"


CALL_NOTE = "that was call "
"""Begins the note on an error that says how often its call was made."""


def call_note(error: BaseException) -> str:
    """The last note on ``error`` that says how often its call was made, in brackets, if any."""
    try:
        notes = getattr(error, "__notes__", None)
    except BaseException:  # a user's class may raise
        return ""
    said = [one for one in notes if type(one) is str] if type(notes) is list else []
    said = [one for one in said if one.startswith(CALL_NOTE)]
    return f" ({said[-1]})" if said else ""


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


def counted(number: int, what: str) -> str:
    """``1 link``, ``2 links``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def attempts_text(here: int, in_all: int, start: str = "this start") -> str:
    """``2 attempts``, or ``2 attempts in this start, 5 in all`` where earlier starts made some."""
    there = f" in {start}, {in_all:,} in all" if in_all > here else ""
    return f"{counted(here, 'attempt')}{there}"
