"""csv("out.csv"): one row an element; the file appears when it is complete.

Elements are dicts, whose names are the header, or lists. Lines end with "\\r\\n", as in RFC 4180
and in files of the ``csv`` module. A path that ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` is
written compressed.

Back-pressure: asks for a window; a slow disk slows the stream down.
Completes: when upstream has completed and the file is in its place.
Fails: when upstream has failed, an element cannot be written, or the file cannot be written. A file
error, a full disk for instance, is no element's fault and fails the stage under any policy.
Cancels: when the run is cancelled; no incomplete file is left.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from actors_rs.stages.files.compression import Compression
from actors_rs.stages.sinks.files.text_file import TextFileSink
from actors_rs.texts import class_name_of, few, repr_of


class _Echo:
    """Where the writer of ``csv`` writes to: a row comes back as its text."""

    def write(self, text: str) -> str:
        """``text``."""
        return text


class Csv(TextFileSink):
    """Writes rows; the header is ``columns``, or the names of the first dict."""

    def __init__(
        self,
        path: str | PathLike[str],
        columns: Sequence[str] | None,
        header: bool,
        dialect: Mapping[str, Any],
        compression: Compression,
    ) -> None:
        super().__init__(path, compression)
        self._columns = None if columns is None else list(columns)
        self._width = None if columns is None else len(columns)
        self._header = header
        self._row: Any = csv.writer(_Echo(), **dialect).writerow

    def start(self) -> None:
        super().start()
        if self._columns is not None and self._header and self._file is not None:
            self._file.write(self._row(self._columns))  # also where no row comes

    def text_of(self, element: Any) -> str:
        """``element`` as one row; it raises for what is none."""
        if isinstance(element, Mapping):
            return self._of_names(element)
        if isinstance(element, str | bytes) or not isinstance(element, Sequence):
            raise TypeError(
                "Sink.csv: expected a dict, a list or a tuple, got "
                f"{class_name_of(element)}: {repr_of(element)}"
            )
        if self._width is not None and len(element) != self._width:
            raise ValueError(f"Sink.csv: expected {self._width} fields, got {len(element)}")
        text = self._text(element)
        self._width = len(element)
        return text

    def _of_names(self, row: Mapping[Any, Any]) -> str:
        if self._columns is not None:
            return self._text(self._fields(row, self._columns))
        if self._width is not None:
            raise TypeError(
                "Sink.csv: expected a list, like the first row, got a dict: columns=[...] lets the "
                "sink write both"
            )
        names = list(row)
        text = self._text(list(row.values()))
        before = self._row(names) if self._header else ""
        self._columns, self._width = names, len(names)
        return f"{before}{text}"

    def _text(self, fields: Sequence[Any]) -> str:
        if not fields:
            raise ValueError("Sink.csv: expected a row with at least one field, got an empty one")
        text: str = self._row(fields)
        if not text.isascii():
            text.encode()  # raises here, as the element's fault and not the file's
        return text

    @staticmethod
    def _fields(row: Mapping[Any, Any], columns: list[str]) -> list[Any]:
        if len(row) > len(columns) or not all(map(row.__contains__, columns)):
            unknown = [name for name in row if name not in columns]
            if unknown:
                raise ValueError(
                    f"Sink.csv: expected the columns {few(map(repr_of, columns))}, got "
                    f"{repr_of(unknown[0])} as well: name all with columns=[...]"
                )
            return [row.get(name, "") for name in columns]
        return [row[name] for name in columns]
