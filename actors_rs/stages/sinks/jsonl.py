"""jsonl("rejected.jsonl"): one JSON value a line; the file appears when it is complete.

A file that is there already is replaced and keeps its permissions, unless this very run has written
it; anything else at the path is refused. Keys that
are no texts are written as such, 1 as "1"; an element with two that are the same then is refused.

Back-pressure: asks for a window; a slow disk slows the stream down.
Completes: when upstream has completed and the file is in its place.
Fails: when upstream has failed, an element is no JSON value or the file cannot be written; the
last, a full disk for instance, is no element's fault and fails it whatever the policy.
Cancels: when the run is cancelled; no incomplete file is left. What a killed process left is
removed by the next sink of the same machine on the path.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

from actors_rs.errors import WriteError
from actors_rs.stages.sinks.files import PendingFile, WriteReport, WritingSink, naming
from actors_rs.texts import repr_of

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)  # ``dumps`` makes one for each row
_of_no_text = re.compile(r'"(?:-?[0-9][^"]*|true|false|null)": ').search
"""Finds a key that may have been no text, in far less time than it takes to look at all of them."""
_PLAIN = frozenset((str, int, float, bool, type(None)))
"""Classes with no dict within."""


def _encoding() -> Callable[[Any], str]:
    """``_ENCODER.encode``, without the encoder in C that it makes for each value."""
    text, default = json.encoder.encode_basestring, _ENCODER.default
    try:  # it is nobody's promise that there is one, and that it takes this
        make: Any = json.encoder.c_make_encoder  # type: ignore[attr-defined]
        encode = make(None, default, text, None, ": ", ", ", False, False, False)
    except (AttributeError, TypeError):
        return _ENCODER.encode

    def encoded(value: Any) -> str:
        if isinstance(value, str):
            return text(value)
        try:
            return "".join(encode(value, 0))
        except RecursionError:
            return _ENCODER.encode(value)  # which tells a circle

    return encoded


_encode = _encoding()


def line_of(value: Any) -> str:
    """``value`` as JSON; raises what ``json`` does, and ``ValueError`` for two keys that are one.

    JSON has texts for keys only: which of ``{1: "a", "1": "b"}`` is read back is up to the reader.
    """
    line = _encode(value)
    if line.find("{", 1) < 0:
        doubtful = isinstance(value, dict) and _mixes_keys(value)
    else:
        doubtful = _of_no_text(line) is not None and _mixes_within(value)
    if doubtful:
        json.loads(line, object_pairs_hook=_each_once)
    return line


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


class Jsonl(WritingSink):
    """Writes UTF-8 lines; an element that is no JSON value fails the run."""

    def __init__(self, path: str | PathLike[str]) -> None:
        super().__init__()
        self._path = Path(path)
        self._pending: PendingFile | None = None
        self._file: IO[str] | None = None

    def start(self) -> None:
        with naming(self._path):
            self._pending = PendingFile(self._path)
            self._pending.claim()
            self.expect_new(self._pending)
            self._file = self._pending.temporary.open(
                "w",
                encoding="utf-8",
                errors="backslashreplace",  # which JSON reads
            )
        super().start()

    def consume(self, elements: Iterator[Any], /) -> None:
        if self._file is None:
            return
        write = self._file.write
        for element in elements:
            line = line_of(element) + "\n"
            try:  # ``naming`` for each row would take half as long as all the rest
                write(line)
            except Exception as error:
                self._spoil()
                raise WriteError(fspath(self._path), error) from error

    def finish(self) -> WriteReport:
        with naming(self._path):
            self._close()
            if self._pending is not None:
                self.context.written.add(self._pending.target)  # while nobody else may claim it
                self._pending.publish(self.context.committing)
        return WriteReport((str(self._path),), self.taken)

    def stop(self, error: BaseException | None) -> None:
        if not self.completed:
            with suppress(OSError):  # of a file that is thrown away
                self._close()
            if self._pending is not None:
                self._pending.discard()
                self.lose(self.taken, self._path)

    def _spoil(self) -> None:
        if self._pending is not None:
            self._pending.spoil()

    def _close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()
