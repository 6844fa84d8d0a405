"""Checks of what users hand to the language: early, one sentence each, with the user's line."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Sequence
from os import PathLike, fsdecode
from typing import Any

from actors_rs.errors import ArgumentTypeError, GraphError, InvalidArgumentError
from actors_rs.graph.assembly_site import at_site
from actors_rs.protocol.demand import UNBOUNDED
from actors_rs.runtime.settings import is_finite, is_number, shown
from actors_rs.stages.functions import (
    ASYNC_GENERATOR,
    COROUTINE,
    GENERATOR,
    deferred_kind,
    deferred_result,
)
from actors_rs.texts import did_you_mean, repr_of, text_of
from actors_rs.texts import one_of as text_of_choice

__all__ = [
    "at_least",
    "cannot_run",
    "encoding_of",
    "flag",
    "function",
    "integer",
    "known_options",
    "naming_site",
    "one_of",
    "optional_plain_function",
    "optional_text",
    "path_of",
    "plain_function",
    "positive",
    "positive_seconds",
    "required_text",
    "wrong_kind",
    "wrong_value",
]


def wrong_kind(message: str) -> ArgumentTypeError:
    """The error for an argument of the wrong type, with the line that gave it."""
    return ArgumentTypeError(_with_site(message))


def wrong_value(message: str) -> InvalidArgumentError:
    """The error for an argument out of its range, with the line that gave it."""
    return InvalidArgumentError(_with_site(message))


def cannot_run(message: str) -> GraphError:
    """The error for stages that cannot be put together so, with the line that tried."""
    return GraphError(_with_site(message))


class naming_site:  # noqa: N801 - no @contextmanager, whose frame would be taken for the user's
    """``with`` it, the user's line is added to what a layer below says of an argument."""

    __slots__ = ()

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if isinstance(error, TypeError):
            raise wrong_kind(text_of(error)) from None
        if isinstance(error, InvalidArgumentError):
            raise wrong_value(text_of(error)) from None


def _with_site(message: str) -> str:
    return f"{message}{at_site()}"


def integer(value: Any, what: str) -> int:
    """``value`` if it is an int, of which ``True`` and ``False`` are none here."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong_kind(f"{what} must be an int, got {repr_of(value)}")
    return value


def flag(value: Any, what: str) -> bool:
    """``value`` if it is ``True`` or ``False``: a text like ``"no"`` would be taken for true."""
    if not isinstance(value, bool):
        raise wrong_kind(f"{what} must be True or False, got {repr_of(value)}")
    return value


def at_least(least: int, value: Any, what: str) -> int:
    """``value`` if it is an int not below ``least``; ``what`` names it in the message.

    No collection holds 2**63 elements, nor can Python's own iterators count so far.
    """
    if integer(value, what) < least:
        raise wrong_value(f"{what} must be at least {least}, got {shown(value)}")
    if value > UNBOUNDED:
        raise wrong_value(f"{what} must be below 2**63, got {shown(value)}")
    return value  # type: ignore[no-any-return]


def function(value: Any, what: str, *, awaited: bool = False) -> Callable[..., Any]:
    """``value`` if it can be called, and is no coroutine function unless those are ``awaited``.

    The stage would not run the coroutine. A generator function passes: its generator is an element,
    or the stage iterates it. An async generator function is refused: see ``stream_function``.
    """
    return _called(value, what, (COROUTINE, GENERATOR) if awaited else (GENERATOR,))


def stream_function(value: Any, what: str) -> Callable[..., Any]:
    """``value`` if it can be called and may return a stream: an async generator function too."""
    return _called(value, what, (GENERATOR, ASYNC_GENERATOR))


def plain_function(value: Any, what: str) -> Callable[..., Any]:
    """``value`` if it can be called and a call runs it: for predicates, keys and callbacks.

    A generator would count as true, or be dropped before it has run.
    """
    return _called(value, what, ())


def _called(value: Any, what: str, bearable: Sequence[str]) -> Callable[..., Any]:
    if not callable(value):
        raise wrong_kind(f"{what} must be callable, got {repr_of(value)}")
    kind = deferred_kind(value)
    if kind and kind not in bearable:
        why = deferred_result(kind)
        raise wrong_kind(f"{what} must be a plain function, got the {kind} {repr_of(value)}: {why}")
    return value  # type: ignore[no-any-return]


def optional_plain_function(value: Any, what: str) -> None:
    """Raise unless ``value`` is ``None`` or a function that a call runs."""
    if value is not None:
        plain_function(value, what)


def one_of(choices: Sequence[str | None], value: Any, what: str) -> None:
    """Raise unless ``value`` is one of ``choices``."""
    if value not in choices:
        raise wrong_value(f"{what} must be {text_of_choice(choices, value)}")


def known_options(
    given: Iterable[str], known: Iterable[str], what: str, beside: Iterable[str] = ()
) -> None:
    """Raise if the user gave an option that ``what``, one of our methods, does not have.

    ``known`` are its options, and ``beside`` its other parameters, which a hint may name too.
    """
    known = tuple(known)
    for name in given:
        if name not in known:
            hint = did_you_mean((*(one for one in beside if one != name), *known), name) or ";"
            raise wrong_kind(
                f"{what} has no option {repr_of(name)}{hint} help({what}) lists its options"
            )


def positive(value: Any, what: str, unit: str = "") -> float:
    """``value`` if it is a number above 0, and not infinite; ``unit`` is what it counts."""
    if not is_number(value):
        raise wrong_kind(f"{what} must be a number{unit and f' of {unit}'}, got {repr_of(value)}")
    if not value > 0:
        raise wrong_value(f"{what} must be above 0{unit and f' {unit}'}, got {shown(value)}")
    if not is_finite(value):
        raise wrong_value(f"{what} must be a finite number, got {shown(value)}")
    return value


def at_least_zero(value: Any, what: str, unit: str) -> float:
    """``value`` if it is a finite number of 0 or more; ``unit`` is what it counts."""
    if not is_number(value):
        raise wrong_kind(f"{what} must be a number of {unit}, got {repr_of(value)}")
    if not value >= 0 or not is_finite(value):
        raise wrong_value(f"{what} must be finite and at least 0 {unit}, got {shown(value)}")
    return value


def positive_seconds(value: Any, what: str) -> float:
    """``value`` if it is a number of seconds above 0."""
    return float(positive(value, what, "seconds"))


def required_text(value: Any, what: str) -> str:
    """``value`` if it is a text that is not empty."""
    if not isinstance(value, str):
        raise wrong_kind(f"{what} must be a text, got {repr_of(value)}")
    if not value:
        raise wrong_value(f"{what} must not be empty, got {repr_of(value)}")
    return value


def optional_text(value: Any, what: str) -> None:
    """Raise unless ``value`` is ``None`` or a text that is not empty."""
    if value is not None:
        required_text(value, what)


_is_address = re.compile("(?!file:)[A-Za-z][A-Za-z0-9+.-]+://").match
"""Of a store, such as s3://; ``file://`` is left to SQLite, which reads it."""


def _instead(what: str) -> str:
    """What to do with an open file in place of a path; ``what`` names the call."""
    if what.startswith("Sink"):
        return "write with Sink.for_each(file.write)"
    return "give the file object"


def path_of(value: Any, what: str, name: str = "path") -> Any:
    """``value`` if it is a path; ``name`` is the name of the argument."""
    if not isinstance(value, str | PathLike):
        raise wrong_kind(f"{what}: {name} must be a text or a path, got {repr_of(value)}")
    if value == "":
        raise wrong_value(f"{what}: {name} must not be empty, got {repr_of(value)}")
    if "\0" in fsdecode(value):
        raise wrong_value(f"{what}: {name} must not contain a NUL character, got {repr_of(value)}")
    if isinstance(value, str) and _is_address(value):
        raise wrong_value(
            f"{what}: {name} must be a path of this machine, got {repr_of(value)}, an address: "
            f"open it with a client such as fsspec, and {_instead(what)}"
        )
    return value


def encoding_of(name: Any, what: str) -> str:
    """``name`` if it is that of an encoding of texts, with which a file can be read."""
    try:
        "".encode(name)  # LookupError for one of bytes
        getincrementaldecoder(name)().decode(b"", final=True)
    except (LookupError, TypeError, ValueError):
        raise wrong_value(
            f"{what}: encoding must name one of texts, for instance 'utf-8', got {repr_of(name)}"
        ) from None
    return name  # type: ignore[no-any-return]
