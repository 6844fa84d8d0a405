"""What sources of files read: paths, patterns, lists of these, ``-``, and open files.

A file that the user opened is the user's: it is read from where it stands and left open. All
others are opened when their first element is demanded, one at a time, and closed at any end.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from glob import has_magic
from io import TextIOBase
from itertools import chain
from os import PathLike, fspath
from typing import Any, Protocol, TypeAlias

from actors_rs.errors import GraphError, ReadError
from actors_rs.stages.files.bytes_read import BytesRead, size_of
from actors_rs.stages.files.compression import Compression, decompressed, kind_for
from actors_rs.stages.files.matching import files_matching
from actors_rs.stages.files.reading import BYTES_AT_ONCE, Place, lines_of, text_lines
from actors_rs.texts import repr_of

__all__ = ["Input", "Inputs", "ReadFrom", "is_open_file"]


class Readable(Protocol):
    """An open file, or anything else that is read from like one."""

    def read(self, size: int = ..., /) -> str | bytes | None: ...


OneInput: TypeAlias = str | PathLike[str] | Readable
ReadFrom: TypeAlias = OneInput | Sequence[OneInput]
"""A path, a pattern such as ``logs/*.csv``, ``"-"`` for standard input, an open file, or a list."""
STANDARD_INPUT = "-"


def is_open_file(value: Any) -> bool:
    """Whether ``value`` can be read from as an open file can."""
    return callable(getattr(value, "read", None)) and not isinstance(value, type)


class Input:
    """One file: its ``name`` in messages, and what is in it."""

    def __init__(
        self, name: str, kind: str | None, file: Any = None, read: BytesRead | None = None
    ) -> None:
        self.name = name
        self._counted = BytesRead() if read is None else read
        self._kind = kind
        self._file = file

    @property
    def is_text(self) -> bool:
        """Whether the user opened it as text, so that it is decoded already."""
        if self._file is None or isinstance(self._file, TextIOBase):
            return self._file is not None
        return isinstance(self._file.read(0), str)

    def chunks(self) -> Generator[bytes]:
        """The bytes of the file, decompressed; each chunk is there as soon as it was read."""
        if self._file is not None:
            if self.is_text:
                raise TypeError(
                    "expected a file that was opened for bytes, got one of text: open it with 'rb'"
                )
            yield from decompressed(self._counted.counting(_read(self._file)), self._kind)
            return
        with open(self.name, "rb") as file:
            yield from decompressed(self._counted.counting(_read(file)), self._kind)

    def lines(
        self, encoding: str, place: Place, newline: str | None = None, errors: str = "strict"
    ) -> Generator[str]:
        """The lines with their ends; ``place`` follows the position.

        ``newline`` and ``errors`` are as in ``open``.
        """
        if self.is_text:
            return text_lines(self._file, place)
        return lines_of(self.chunks(), encoding, place, newline, errors)

    def utf8(self) -> Generator[bytes]:
        """The bytes of the file; text as UTF-8, as soon as it was read."""
        if not self.is_text:
            yield from self.chunks()
            return
        while text := self._file.read(BYTES_AT_ONCE):
            yield str(text).encode("utf-8", "surrogatepass")

    def content(self) -> bytes:
        """All that is in it; text as UTF-8."""
        return b"".join(self.utf8())


class Inputs:
    """The files that a source reads, one after the other; patterns are looked up in each run."""

    def __init__(self, given: ReadFrom, compression: Compression) -> None:
        single = isinstance(given, str | PathLike) or is_open_file(given)
        self._given: Sequence[Any] = (given,) if single else tuple(given)  # type: ignore[arg-type]
        self._compression = compression
        self._ended: set[int] = set()

    @property
    def may_wait(self) -> bool:
        """Whether the next line may come at any time, as from a terminal or a pipe."""
        return any(one == STANDARD_INPUT or is_open_file(one) for one in self._given)

    def counted_by(self, read: BytesRead) -> Iterator[Input]:
        """The files; ``read`` gets their size, where it is known, and the bytes that are read."""
        read.total = self._size()
        for one in self._given:
            if isinstance(one, str | PathLike):
                yield from self._named(one, read)
            else:
                yield from self._opened(one, name_of(one), read)

    def _size(self) -> int | None:
        if self.may_wait:
            return None
        try:
            return size_of(chain.from_iterable(map(_paths, self._given)))
        except ReadError:  # it is raised again when its turn comes
            return None

    def _named(self, path: str | PathLike[str], read: BytesRead) -> Iterator[Input]:
        if path == STANDARD_INPUT:
            yield from self._opened(_standard_input(), "standard input", read)
            return
        found = False
        for match in _paths(path):
            found = True
            yield Input(fspath(match), kind_for(match, self._compression), read=read)
        if not found:
            error = FileNotFoundError("expected files that match the pattern, found none")
            raise ReadError(fspath(path), error)

    def _opened(self, file: Any, name: str, read: BytesRead) -> Iterator[Input]:
        """One run reads an open file to its end; the next one must find more there."""
        kind = None if self._compression == "infer" else self._compression
        number = id(file)
        yield Input(name, kind, _Again(file, name) if number in self._ended else file, read)
        self._ended.add(number)


class _Again:
    """An open file that a run has read to its end: the next run must not take it for an empty one.

    It may have grown since, or the user has gone back to its beginning.
    """

    def __init__(self, file: Any, name: str) -> None:
        self._file = file
        self._name = name
        self._more = False
        self.read1 = self._checking(getattr(file, "read1", file.read))
        self.readline = self._checking(getattr(file, "readline", None))

    def read(self, size: int = -1) -> Any:
        return self._file.read(size) if size == 0 else self._checking(self._file.read)(size)

    def _checking(self, read: Any) -> Any:
        def checked(*size: int) -> Any:
            data = read(*size)
            if not data and not self._more:
                raise GraphError(
                    f"expected an open file with more to read, got {self._name}, which a run has "
                    "read to its end: give its path, or go back with seek(0)"
                )
            self._more = True
            return data

        return checked


def name_of(file: Any) -> str:
    """The name of an open file, for messages."""
    name = getattr(file, "name", None)
    return name if isinstance(name, str) and name else f"open file {repr_of(file, 80)}"


def _paths(given: str | PathLike[str]) -> Iterable[str | PathLike[str]]:
    """The file that ``given`` names, or the files that match it as a pattern."""
    name = fspath(given)
    if not has_magic(name) or os.path.lexists(name):
        return (name,)
    return files_matching(name)


def _standard_input() -> Any:
    if sys.stdin is None:
        raise ReadError("standard input", ValueError("this process has no standard input"))
    return getattr(sys.stdin, "buffer", sys.stdin)


def _read(file: Any) -> Iterable[bytes]:
    read = getattr(file, "read1", file.read)
    while data := read(BYTES_AT_ONCE):
        yield data
    if data is None:
        raise BlockingIOError("expected a file that waits for data, got a non-blocking one")
