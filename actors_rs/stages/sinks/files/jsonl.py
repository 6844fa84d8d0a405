"""jsonl("rejected.jsonl"): one JSON value a line; the file appears when it is complete.

A path that ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` is written compressed.
A file that is there already is replaced and keeps its permissions, unless this very run has written
it; anything else at the path is refused. Keys that
are no texts are written as such, 1 as "1"; an element with two that are the same then is refused.

Back-pressure: asks for a window; a slow disk slows the stream down.
Completes: when upstream has completed and the file is in its place.
Fails: when upstream has failed, an element is no JSON value, or the file cannot be written. A file
error, a full disk for instance, is no element's fault and fails the stage under any policy.
Cancels: when the run is cancelled; no incomplete file is left. The next sink of the same machine on
the path removes files of a killed process.
"""

from __future__ import annotations

from os import PathLike
from typing import Any

from actors_rs.stages.files.compression import Compression
from actors_rs.stages.files.json_lines import Default, lines_with
from actors_rs.stages.sinks.files.text_file import TextFileSink


class Jsonl(TextFileSink):
    """Writes UTF-8 lines; an element that is no JSON value fails the run."""

    errors = "backslashreplace"  # which JSON reads

    def __init__(
        self,
        path: str | PathLike[str],
        default: Default = None,
        compression: Compression = "infer",
    ) -> None:
        super().__init__(path, compression)
        self._line_of = lines_with(default)

    def text_of(self, element: Any) -> str:
        """``element`` as one line."""
        return self._line_of(element) + "\n"
