"""Sources that read files and databases, each on a thread of its own: it may block there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, Never, TypeVar, overload

from actors_rs.graph.checks import (
    at_least,
    encoding_of,
    flag,
    function,
    path_of,
    plain_function,
    required_text,
    wrong_kind,
    wrong_value,
)
from actors_rs.graph.spec import Attributes, OutletRef, spec_of
from actors_rs.stages.sources.csv import Csv
from actors_rs.stages.sources.files import Files
from actors_rs.stages.sources.jsonl import Jsonl
from actors_rs.stages.sources.parquet import Parquet, arrow_parquet
from actors_rs.stages.sources.sqlite import Sqlite
from actors_rs.stages.sources.unfold_resource import UnfoldResource
from actors_rs.texts import repr_of

if TYPE_CHECKING:
    from pathlib import Path

    from actors_rs.language.flow import Flow

__all__ = ["FileSources"]

T = TypeVar("T")
S = TypeVar("S")

_PINNED = Attributes(dispatcher="pinned")
WINDOW_OF_RECORD_BATCHES = 4
"""How many an inlet behind ``parquet`` keeps requested: each holds many rows."""


def _blocking(kind: str, make: Callable[[], Any], outflow_window: int = 0) -> Flow[Never, Any]:
    from actors_rs.language.flow import Flow

    return Flow(OutletRef(spec_of(kind, make, attributes=_PINNED, outflow_window=outflow_window)))


class FileSources:
    """Each is opened when its first element is demanded, and closed at any end.

    What cannot be read fails the stream with ``ReadError``, which names the file and the line.
    """

    __slots__ = ()

    @staticmethod
    def unfold_resource(
        open: Callable[[], S],
        read: Callable[[S], T | None],
        close: Callable[[S], object],
        *,
        interrupt: Callable[[S], object] | None = None,
    ) -> Flow[Never, T]:
        """What ``read(resource)`` gives until it gives ``None``, of what ``open()`` returns.

        ``close(resource)`` is called at any end. All three may block. ``interrupt(resource)`` makes
        a ``read`` return that waits: it is called once, on another thread, if the resource is open
        when the run is cancelled or drained, or no further element is needed.
        """
        function(open, "Source.unfold_resource: open")
        function(read, "Source.unfold_resource: read")
        plain_function(close, "Source.unfold_resource: close")
        if interrupt is not None:
            plain_function(interrupt, "Source.unfold_resource: interrupt")
        return _blocking("unfold_resource", partial(UnfoldResource, open, read, close, interrupt))

    @staticmethod
    def files(pattern: str | PathLike[str]) -> Flow[Never, Path]:
        """The paths of the files that match ``pattern``, sorted; ``**`` is any directories.

        ``*`` and ``**`` match no names with a leading dot. What matches nothing gives no elements;
        fails with ``ReadError`` where a directory cannot be read, or ``pattern`` names one.
        """
        path_of(pattern, "Source.files", "pattern")
        _expect_pattern_of_files(fspath(pattern))
        return _blocking("files", partial(Files, pattern))

    @overload
    @staticmethod
    def csv(
        path: str | PathLike[str],
        *,
        header: Literal[True] = True,
        delimiter: str = ",",
        encoding: str = "utf-8-sig",
    ) -> Flow[Never, dict[str, str]]: ...
    @overload
    @staticmethod
    def csv(
        path: str | PathLike[str],
        *,
        header: Literal[False],
        delimiter: str = ",",
        encoding: str = "utf-8-sig",
    ) -> Flow[Never, list[str]]: ...
    @staticmethod
    def csv(
        path: str | PathLike[str],
        *,
        header: bool = True,
        delimiter: str = ",",
        encoding: str = "utf-8-sig",
    ) -> Flow[Never, Any]:
        """The rows of a CSV file: dicts by the names in its first row, or lists of texts.

        Every row must have as many fields as the first one. The default encoding is UTF-8, with
        a mark in front or not.
        """
        path_of(path, "Source.csv")
        encoding_of(encoding, "Source.csv")
        if not isinstance(delimiter, str) or len(delimiter) != 1:
            raise wrong_kind(
                f"Source.csv: delimiter must be one character, got {repr_of(delimiter)}"
            )
        if delimiter in '\r\n"':
            raise wrong_value(
                f"Source.csv: delimiter must not end or quote, got {repr_of(delimiter)}"
            )
        flag(header, "Source.csv: header")
        return _blocking("csv", partial(Csv, path, header, delimiter, encoding))

    @staticmethod
    def jsonl(path: str | PathLike[str], encoding: str = "utf-8-sig") -> Flow[Never, Any]:
        """The JSON values of a file with one on each line, with a mark of UTF-8 in front or not."""
        path_of(path, "Source.jsonl")
        encoding_of(encoding, "Source.jsonl")
        return _blocking("jsonl", partial(Jsonl, path, encoding))

    @staticmethod
    def parquet(
        path: str | PathLike[str],
        columns: Sequence[str] | None = None,
        *,
        rows_per_batch: int = 65_536,
    ) -> Flow[Never, Any]:
        """``pyarrow`` record batches of a Parquet file, or of all in a directory, path by path.

        Directories within it are read too; of those that are called ``key=value`` the keys are
        columns, as ``pyarrow.dataset`` has them. Other files than ``*.parquet`` and ``*.pq`` are
        passed over, unless there are no others; a directory that cannot be read is an error.
        Only ``columns``, if they are given; fails if a file does not have one. ``"a.b"`` is a
        field of the column ``a``. Raises ``MissingExtraError`` without pyarrow.
        """
        path_of(path, "Source.parquet")
        at_least(1, rows_per_batch, "Source.parquet: rows_per_batch")
        names = None if columns is None else _names(columns)
        arrow_parquet()
        make = partial(Parquet, path, names, rows_per_batch)
        return _blocking("parquet", make, WINDOW_OF_RECORD_BATCHES)

    @overload
    @staticmethod
    def sqlite(
        path: str | PathLike[str],
        query: str,
        parameters: Sequence[Any] | Mapping[str, Any] = (),
        *,
        dicts: Literal[False] = False,
    ) -> Flow[Never, tuple[Any, ...]]: ...
    @overload
    @staticmethod
    def sqlite(
        path: str | PathLike[str],
        query: str,
        parameters: Sequence[Any] | Mapping[str, Any] = (),
        *,
        dicts: Literal[True],
    ) -> Flow[Never, dict[str, Any]]: ...
    @staticmethod
    def sqlite(
        path: str | PathLike[str],
        query: str,
        parameters: Sequence[Any] | Mapping[str, Any] = (),
        *,
        dicts: bool = False,
    ) -> Flow[Never, Any]:
        """The rows that ``query`` gives, as tuples or as ``dicts`` by column.

        The database is opened for reading only; a path that begins with ``file:`` is taken as
        SQLite's own kind of address.
        """
        path_of(path, "Source.sqlite")
        required_text(query, "Source.sqlite: query")
        if isinstance(parameters, str) or not isinstance(parameters, Sequence | Mapping):
            raise wrong_kind(
                "Source.sqlite: parameters must be a tuple, a list or a dict, "
                f"got {repr_of(parameters)}"
            )
        flag(dicts, "Source.sqlite: dicts")
        return _blocking("sqlite", partial(Sqlite, path, query, parameters, dicts))


def _expect_pattern_of_files(pattern: str) -> None:
    if pattern.endswith(("/", os.sep)):
        raise wrong_value(
            f"Source.files: pattern must be one of files, got directories with {repr_of(pattern)}: "
            f"did you mean {repr_of(pattern + '*')}?"
        )
    expanded = os.path.expanduser(pattern)
    if expanded != pattern:
        raise wrong_value(
            f"Source.files: pattern is taken as it stands, got {repr_of(pattern)}: "
            f"did you mean {repr_of(expanded)}?"
        )


def _names(columns: Any) -> list[str]:
    try:
        names = None if isinstance(columns, str) else list(columns)
    except TypeError:
        names = None
    if names is None or not all(isinstance(name, str) for name in names):
        raise wrong_kind(f"Source.parquet: columns must be a list of names, got {repr_of(columns)}")
    return names
