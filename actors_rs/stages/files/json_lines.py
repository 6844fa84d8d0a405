"""Values as lines of JSON; the error for what JSON has no value for names the field and the remedy.

Keys that are no texts are written as such, 1 as "1"; two that are the same then are refused.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from math import isfinite
from typing import Any, TypeAlias

from actors_rs.texts import class_name_of, repr_of

__all__ = ["Default", "lines_with"]

Default: TypeAlias = Callable[[Any], Any] | None
"""As that of ``json.dumps``: turns a value that JSON does not have into one that it has."""

_of_no_text = re.compile(r'"(?:-?[0-9][^"]*|true|false|null)": ').search
"""Finds a key that may have been no text, in far less time than it takes to look at all of them."""
_PLAIN = frozenset((str, int, float, bool, type(None)))
"""Classes with no dict within."""
_DEFAULTS = {
    "generic": "lambda value: value.item()",  # a scalar of NumPy
    "ndarray": "lambda value: value.tolist()",
    "bytes": "bytes.hex",
    "bytearray": "bytearray.hex",
    "set": "list",
    "frozenset": "list",
}
"""A ``default`` to suggest, by the name of the class; ``str`` suits most others."""
_MOST = 100
"""Characters of a value that are shown."""


def lines_with(default: Default) -> Callable[[Any], str]:
    """A function that gives a value as JSON; ``default`` is called with what JSON does not have.

    It raises what ``json`` does, with the field and the remedy; ``ValueError`` also for two keys
    that are written the same: which of ``{1: "a", "1": "b"}`` is read back is up to the reader.
    """
    encode = _PLAIN_ENCODE if default is None else _encoding(default)

    def line_of(value: Any) -> str:
        try:
            line = encode(value)
        except (TypeError, ValueError) as error:
            raise _explained(value, error, default) from None
        if line.find("{", 1) < 0:
            doubtful = isinstance(value, dict) and _mixes_keys(value)
        else:
            doubtful = _of_no_text(line) is not None and _mixes_within(value)
        if doubtful or (default is not None and _of_no_text(line)):  # what did it return?
            json.loads(line, object_pairs_hook=_each_once)
        return line

    return line_of


def _encoding(default: Default) -> Callable[[Any], str]:
    """The ``encode`` of an encoder, without the one in C that it makes for each value."""
    encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=default)
    text = json.encoder.encode_basestring
    try:  # it is nobody's promise that there is one, and that it takes this
        make: Any = json.encoder.c_make_encoder  # type: ignore[attr-defined]
        encode = make(None, encoder.default, text, None, ": ", ", ", False, False, False)
    except (AttributeError, TypeError):
        return encoder.encode

    def encoded(value: Any) -> str:
        if isinstance(value, str):
            return text(value)
        try:
            return "".join(encode(value, 0))
        except RecursionError:
            return encoder.encode(value)  # which tells a circle

    return encoded


_PLAIN_ENCODE = _encoding(None)


def _mixes_keys(value: dict[Any, Any]) -> bool:
    """Whether it has texts and other keys, which are written as texts too."""
    try:
        "".join(value)
    except TypeError:
        kinds = set(map(type, value))
        return len(kinds) > 1 and any(issubclass(kind, str) for kind in kinds)
    return False


def _mixes_within(value: Any) -> bool:
    """Whether a dict in ``value`` mixes its keys."""
    if isinstance(value, dict):
        if _mixes_keys(value):
            return True
        value = value.values()
    elif not isinstance(value, list | tuple):
        return False
    return not _PLAIN.issuperset(map(type, value)) and any(map(_mixes_within, value))


def _each_once(pairs: list[tuple[str, Any]]) -> None:
    twice = [key for key, times in Counter(key for key, _ in pairs).items() if times > 1]
    if twice:
        raise ValueError(
            "Sink.jsonl: expected keys that differ as texts, "
            f"got two that are written {repr_of(twice[0])}"
        )


def _explained(value: Any, error: Exception, default: Default) -> Exception:
    """``error`` of ``json`` for ``value`` with the field; itself if no value is to blame."""
    try:
        why = next(_reasons(value, "the element", default), "")
    except Exception:  # a circle, or methods of the user's
        why = ""
    return type(error)(f"Sink.jsonl: {why}") if why and type(error) in _JSONS else error


_JSONS = (TypeError, ValueError)


def _reasons(value: Any, where: str, default: Default) -> Iterator[str]:
    """What in ``value`` JSON does not have, in the order in which it is written."""
    if isinstance(value, float):
        if not isfinite(value):
            yield (
                f"{where} is {value}, for which JSON has no number: write None, or a text, in "
                "its place with map(...) before the sink"
            )
    elif isinstance(value, dict):
        yield from _of_fields(value, where, default)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _reasons(item, f"{where}[{index}]", default)
    elif value is not None and not isinstance(value, str | int) and default is None:
        yield (
            f"{where} is {_article(class_name_of(value))}, which JSON does not have: "
            f"{repr_of(value, _MOST)}. Pass a function that turns it into what JSON has, for "
            f"instance Sink.jsonl(path, default={_default_for(value)}), or convert it with "
            "map(...) before the sink"
        )


def _of_fields(value: Mapping[Any, Any], where: str, default: Default) -> Iterator[str]:
    for key, item in value.items():
        if key is not None and not isinstance(key, str | int | float):
            yield (
                f"{where} has the key {repr_of(key, _MOST)}, {_article(class_name_of(key))}: keys "
                "are texts or numbers; convert them with map(...) before the sink"
            )
        yield from _reasons(item, f"{where}[{repr_of(key, _MOST)}]", default)


def _default_for(value: Any) -> str:
    if is_dataclass(value):
        return "dataclasses.asdict"
    names = [kind.__name__ for kind in type(value).__mro__]
    return next((_DEFAULTS[name] for name in names if name in _DEFAULTS), "str")


def _article(name: str) -> str:
    return f"an {name}" if name[0] in "aeiouAEIO" else f"a {name}"
