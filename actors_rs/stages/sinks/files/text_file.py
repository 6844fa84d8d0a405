"""A sink of one text file, compressed or not: complete, or not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from io import TextIOWrapper
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from actors_rs.errors import WriteError
from actors_rs.stages.files.compression import Compression, compressing, kind_for
from actors_rs.stages.files.naming import naming
from actors_rs.stages.sinks.files.writing import PendingFile, WriteReport, WritingSink

__all__ = ["TextFileSink"]


class TextFileSink(WritingSink):
    """Writes UTF-8; subclasses give ``text_of``, which may refuse an element."""

    errors = "strict"
    """How the encoder treats half of a surrogate pair."""
    text_of: Callable[[Any], str]
    """The text of an element, with its line end."""

    def __init__(self, path: str | PathLike[str], compression: Compression) -> None:
        super().__init__()
        self._path = Path(path)
        self._kind = kind_for(path, compression)
        self._pending: PendingFile | None = None
        self._file: TextIOWrapper | None = None
        self._closing = ExitStack()

    def start(self) -> None:
        with naming(self._path):
            self._pending = PendingFile(self._path)
            self._pending.claim()
            self.expect_new(self._pending)
            raw = self._closing.enter_context(self._pending.temporary.open("wb"))
            into = compressing(raw, self._kind, self._closing)
            self._file = TextIOWrapper(into, "utf-8", self.errors, newline="")
        super().start()

    def consume(self, elements: Iterator[Any], /) -> None:
        if self._file is None:
            return
        write, text_of = self._file.write, self.text_of
        for element in elements:
            text = text_of(element)
            try:  # ``naming`` for each row would take half as long as all the rest
                write(text)
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
        with self._closing:  # end the compressed data, then close the file, also after a failure
            if file is not None:
                file.flush()
                file.detach()
