"""Shared parts of the sources that read files: each error names the file and the line.

Text is decoded many lines at a time. Where bytes are not valid text, the lines before them are
decoded one by one. So these lines are given, and the error names the exact line.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from io import IncrementalNewlineDecoder, StringIO
from typing import Any

from actors_rs.errors import ActorsRsError, ReadError
from actors_rs.stages.iterators import close

__all__ = ["BYTES_AT_ONCE", "Place", "lines_of", "reading", "text_lines"]

BYTES_AT_ONCE = 1 << 15
"""Read at once, if so many are there."""
_GZIP_FIRST, _GZIP_SECOND = "\x1f", b"\x8b"
"""How gzip data begins: with a control character, and a byte that begins no character of UTF-8."""


class Place:
    """How far a file was read: ``line`` is 0 where there are none."""

    def __init__(self) -> None:
        self.line = 0


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[Place]:
    """Turn each error raised inside into a ``ReadError`` that names ``path`` and the line."""
    place = Place()
    try:
        yield place
    except ActorsRsError:
        raise
    except Exception as error:
        raise ReadError(os.fspath(path), error, place.line) from error


def lines_of(
    chunks: Iterable[bytes],
    encoding: str,
    place: Place,
    newline: str | None = None,
    errors: str = "strict",
) -> Generator[str]:
    """The lines of the text in ``chunks``, with their ends; ``place`` follows the position.

    ``newline`` and ``errors`` as for ``open``. ``newline`` is ``None``, or "" for ends that stay as
    they are.
    """
    of_text = codecs.getincrementaldecoder(encoding)(errors)
    decoder = IncrementalNewlineDecoder(of_text, translate=newline is None)
    begun: list[str] = []  # pieces of a line whose end has not come
    failure, over = None, False
    with closing(_with_end(chunks, begun, place)) as pieces:
        while failure is None and not over:
            data = next(pieces)
            text, failure = _decoded(decoder, data)
            over = not data
            before = place.line
            for place.line, line in enumerate(_whole(text, begun), before + 1):
                yield line
    if failure is None and not begun:
        return
    place.line += 1
    if failure is not None:
        raise _explained("".join(begun), failure, place.line)
    yield "".join(begun)


def _with_end(chunks: Iterable[bytes], begun: list[str], place: Place) -> Generator[bytes]:
    """``chunks`` and an empty one; a failure between them is in the line that has ``begun``."""
    try:
        for chunk in chunks:
            if chunk:
                yield chunk
    except Exception:
        place.line += bool(begun)
        raise
    finally:
        close(chunks)
    yield b""


def text_lines(file: Any, place: Place) -> Generator[str]:
    """The lines of a file that the user opened as text, and which stays open."""
    while line := file.readline():
        place.line += 1
        yield line


def _decoded(
    decoder: IncrementalNewlineDecoder, data: bytes
) -> tuple[str, UnicodeDecodeError | None]:
    """The text of ``data``, or what comes before bytes that are none, and why they are not."""
    before = decoder.getstate()
    try:
        return decoder.decode(data, final=not data), None
    except UnicodeDecodeError as error:
        failure = error
    decoder.setstate(before)
    text = []
    try:
        for number in range(len(data)):
            text.append(decoder.decode(data[number : number + 1]))
    except UnicodeDecodeError as error:
        failure = error
    return "".join(text), failure


def _whole(text: str, begun: list[str]) -> list[str]:
    """The lines that end in ``text``; the first has ``begun`` before, where the rest is put."""
    lines = StringIO(text, newline="").readlines()
    rest = lines.pop() if lines and not lines[-1].endswith(("\n", "\r")) else ""
    if lines:
        lines[0] = "".join((*begun, lines[0]))
        begun.clear()
    if rest:
        begun.append(rest)
    return lines


def _explained(line: str, failure: UnicodeDecodeError, number: int) -> ValueError:
    """The error for ``failure``, which came after ``line``, the line of this ``number``."""
    if number == 1 and line == _GZIP_FIRST and failure.object[failure.start :][:1] == _GZIP_SECOND:
        return ValueError("expected text, got gzip data: write compression='gzip'")
    return _within(line, failure)


def _within(line: str, failure: UnicodeDecodeError) -> UnicodeDecodeError:
    """``failure``, which came after ``line``, with its position in that line."""
    with suppress(UnicodeEncodeError):
        at_fault = line.encode(failure.encoding) + failure.object[failure.start :]
        try:
            at_fault.decode(failure.encoding)
        except UnicodeDecodeError as error:
            return error
    return failure
