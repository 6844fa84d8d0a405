"""Compressed files: reading them piece by piece, and writing them.

A compressed file has one or more members, one after the other, as ``cat a.gz b.gz`` makes. Reading
gives the contents of all members. A truncated or damaged file raises an error with the number of
the byte; the contents before it are given first.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from importlib import import_module
from os import PathLike, fspath
from typing import IO, Any, Literal, Protocol, TypeAlias

from actors_rs.errors import MissingExtraError
from actors_rs.texts import text_of

__all__ = ["COMPRESSIONS", "Compression", "compressing", "decompressed", "expect", "kind_for"]

Compression: TypeAlias = Literal["infer", "gzip", "bz2", "xz", "zstd"] | None
"""``"infer"`` goes by the suffix of the path; ``None`` takes the file as it stands."""
COMPRESSIONS = ("infer", "gzip", "bz2", "xz", "zstd", None)
SUFFIXES = {".gz": "gzip", ".bz2": "bz2", ".xz": "xz", ".zst": "zstd"}
_MOST = 1 << 18
"""Bytes that a piece has at most when it is decompressed, where the format lets one say so."""
_ZSTD_PIECE = 1 << 12
"""Compressed bytes that are handled at once where a piece may become of any size."""
_LEVEL = 6
"""Of gzip: its own default, 9, takes twice the time for a file that is 1 % smaller."""


def kind_for(path: str | PathLike[str], compression: Compression) -> str | None:
    """The format of the file at ``path``, ``None`` for one that is not compressed."""
    if compression != "infer":
        return compression
    name = fspath(path).lower()
    return next((kind for end, kind in SUFFIXES.items() if name.endswith(end)), None)


def expect(kind: str | None) -> None:
    """Raise ``MissingExtraError`` where nothing is installed that handles ``kind``."""
    if kind == "zstd":
        _zstandard()


def _zstandard() -> Any:
    try:
        return import_module("zstandard")
    except ImportError as error:
        raise MissingExtraError(
            "compression='zstd' needs zstandard: pip install 'actors-rs[zstd]'"
        ) from error


class _Member(Protocol):
    """One compressed stream of a file, as ``bz2`` and ``lzma`` have it."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Gzip:
    """What ``zlib`` has, with the interface of the others."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        piece = self._inner.decompress(self._inner.unconsumed_tail + data, max_length)
        self.needs_input = not self._inner.unconsumed_tail and len(piece) < max_length
        return piece


class _Zstd:
    """What ``zstandard`` has: it takes no ``max_length``, so it gets small pieces."""

    def __init__(self) -> None:
        self._inner = _zstandard().ZstdDecompressor(max_window_size=1 << 31).decompressobj()
        self._rest = b""

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def needs_input(self) -> bool:
        return not self._rest

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data) + self._rest

    def decompress(self, data: bytes, _: int, /) -> bytes:
        data = self._rest + data
        self._rest = data[_ZSTD_PIECE:]
        return bytes(self._inner.decompress(data[:_ZSTD_PIECE]))


_MEMBERS: dict[str, Callable[[], _Member]] = {
    "gzip": _Gzip,
    "bz2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
    "zstd": _Zstd,
}


def decompressed(chunks: Iterable[bytes], kind: str | None) -> Iterator[bytes]:
    """The contents of ``chunks``, compressed as ``kind``; ``chunks`` themselves for ``None``."""
    return iter(chunks) if kind is None else _members(chunks, kind)


def _members(chunks: Iterable[bytes], kind: str) -> Iterator[bytes]:
    member: _Member | None = None
    count = at = 0
    for chunk in chunks:
        data = chunk
        at += len(data)
        while data or (member is not None and not member.needs_input):
            if member is None:
                data = data.lstrip(b"\0") if count else data  # tapes and xz pad with zeros
                if not data:
                    break
                member = _MEMBERS[kind]()
            try:
                piece = member.decompress(data, _MOST)
            except Exception as error:
                raise _damaged(kind, count, at, error) from error
            data = b""
            if piece:
                yield piece
            if member.eof:
                data, member, count = member.unused_data, None, count + 1
    if member is not None or (not at and kind != "gzip"):  # Python's gzip takes an empty file
        raise EOFError(
            f"the {kind} data breaks off at byte {at:,}: expected its end there, the file is "
            "incomplete"
        )


def _damaged(kind: str, members: int, at: int, error: Exception) -> ValueError:
    after = f" after {members} complete member{'s' * (members > 1)}" if members else ""
    return ValueError(
        f"expected {kind} data{after}, got other or damaged bytes before byte {at:,} "
        f"({text_of(error)}): "
        "compression= says how the file is compressed, None that it is not"
    )


def compressing(file: IO[bytes], kind: str | None, closing: ExitStack) -> IO[bytes]:
    """A file whose writes go to ``file`` compressed as ``kind``; ``closing`` writes its end.

    The same elements give the same bytes: no time and no name is written into the file.
    """
    opened: Any
    if kind is None:
        return file
    if kind == "gzip":
        opened = gzip.GzipFile("", "wb", _LEVEL, file, mtime=0)
    elif kind == "bz2":
        opened = bz2.BZ2File(file, "wb")
    elif kind == "xz":
        opened = lzma.LZMAFile(file, "wb")  # noqa: SIM115 - closed by ``closing``
    else:
        opened = _zstandard().ZstdCompressor().stream_writer(file, closefd=False)
    closing.callback(opened.close)
    return opened  # type: ignore[no-any-return]
