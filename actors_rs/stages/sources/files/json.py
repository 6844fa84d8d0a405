"""json("places.geojson", items="features.item")

{"type": "Feature", ...} {"type": "Feature", ...} |

Gives the elements of an array in JSON files. With ``items`` they are read as they are asked for,
and the file may be larger than memory; without, the whole document is read at once.

Back-pressure: reads as far as elements are asked for, on a thread of its own.
Completes: at the end of the last document.
Fails: when a file cannot be read, is no JSON, or has nothing at ``items`` (ReadError).
Cancels: closes the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from decimal import Decimal
from importlib import import_module
from typing import Any

from actors_rs.errors import MissingExtraError
from actors_rs.stages.files.inputs import Inputs
from actors_rs.stages.files.reading import Place, reading
from actors_rs.stages.files.source import FileSource
from actors_rs.texts import repr_of, text_of

_ITEM = "item"
_NAMES = 10
"""Names of the outermost object that an error shows."""
_BOM = b"\xef\xbb\xbf"


def incremental_json() -> Any:
    """``ijson``; raises ``MissingExtraError`` where it is not installed."""
    try:
        return import_module("ijson")
    except ImportError as error:
        raise MissingExtraError(
            "Source.json(items=...) needs ijson: pip install 'actors-rs[json]'"
        ) from error


class Json(FileSource):
    """The elements at ``items``, or of the outermost array."""

    def __init__(self, inputs: Inputs, items: str | None) -> None:
        super().__init__(inputs)
        self._items = items

    def elements(self) -> Iterator[Any]:
        for one in self.files():
            with reading(one.name) as place:
                if self._items is None:
                    document = _document(one.content(), place)
                    yield from document if isinstance(document, list) else (document,)
                    continue
                with closing(one.utf8()) as chunks:
                    yield from _items(chunks, self._items)


def _document(content: bytes, place: Place) -> Any:
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        place.line = error.lineno
        more = ": Source.jsonl reads one value a line" if error.msg == "Extra data" else ""
        raise ValueError(f"{error.msg}: column {error.colno}{more}") from error


def _items(chunks: Iterable[bytes], items: str) -> Iterator[Any]:
    """The elements at ``items``. ``ValueError`` if the document has no array there."""
    ijson = incremental_json()
    found, seen = ijson.sendable_list(), _Seen(items)
    given = at = 0
    chunks = _without_mark(chunks)
    parser, looking = ijson.items_coro(found, items), ijson.parse_coro(seen)
    try:
        for chunk in chunks:
            at += len(chunk)
            parser.send(chunk)
            if not seen.there:
                looking.send(chunk)
            given += len(found)
            yield from map(_exact, found)
            del found[:]
        parser.close()
    except ijson.JSONError as error:
        yield from map(_exact, found)
        lines = text_of(error).splitlines() or ["no JSON"]
        raise ValueError(
            f"{lines[0]}: before byte {at:,}, after {given + len(found)} elements"
        ) from error
    if not seen.there:
        raise ValueError(
            f"expected an array or a value at items={repr_of(items)}, found none: the outermost "
            f"object has {', '.join(map(repr_of, seen.names)) or 'no names'}"
        )


def _without_mark(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """``chunks`` without the mark of UTF-8 in front, which no parser takes."""
    first = True
    for chunk in chunks:
        yield chunk.removeprefix(_BOM) if first else chunk
        first = False


class _Seen:
    """Takes events of the parser until it knows that there is something at ``items``."""

    def __init__(self, items: str) -> None:
        outer, _, last = items.rpartition(".")
        self._array = outer if last == _ITEM else None
        self._items = items
        self.there = False
        self.names: list[str] = []

    def send(self, event: tuple[str, str, Any]) -> None:
        """One event: where, what, and its value."""
        prefix, kind, value = event
        if prefix == self._items or (prefix == self._array and kind == "start_array"):
            self.there = True
        elif not prefix and kind == "map_key" and len(self.names) < _NAMES:
            self.names.append(value)


def _exact(value: Any) -> Any:
    """``value`` with the numbers that ``json`` gives: ijson has decimals for fractions."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {key: _exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_exact(item) for item in value]
    return value
