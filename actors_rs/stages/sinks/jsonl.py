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

from collections.abc import Iterator
from contextlib import suppress
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

from actors_rs.errors import WriteError
from actors_rs.stages.files.json_lines import Default, lines_with
from actors_rs.stages.sinks.files import PendingFile, WriteReport, WritingSink, naming


class Jsonl(WritingSink):
    """Writes UTF-8 lines; an element that is no JSON value fails the run."""

    def __init__(self, path: str | PathLike[str], default: Default = None) -> None:
        super().__init__()
        self._path = Path(path)
        self._line_of = lines_with(default)
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
        write, line_of = self._file.write, self._line_of
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
