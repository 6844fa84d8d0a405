"""Sources that read files and databases, each on a thread of its own: it may block there."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, Never, TypeVar, Unpack, overload

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
from actors_rs.graph.file_arguments import CsvOptions, csv_format, inputs_of
from actors_rs.graph.spec import Attributes, OutletRef, spec_of
from actors_rs.stages.files.compression import Compression
from actors_rs.stages.files.inputs import ReadFrom
from actors_rs.stages.sources.bytes import Bytes
from actors_rs.stages.sources.csv import Csv
from actors_rs.stages.sources.files import Files
from actors_rs.stages.sources.json import Json, incremental_json
from actors_rs.stages.sources.jsonl import Jsonl
from actors_rs.stages.sources.lines import Lines
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


def _blocking(
    kind: str,
    make: Callable[[], Any],
    outflow_window: int = 0,
    *,
    pinned: bool = True,
    outflow_bytes: int = 0,
) -> Flow[Never, Any]:
    """A flow that begins with a source on a thread of its own, unless that is not ``pinned``."""
    from actors_rs.language.flow import Flow

    attributes = _PINNED if pinned else None
    spec = spec_of(
        kind,
        make,
        attributes=attributes,
        outflow_window=outflow_window,
        outflow_bytes=outflow_bytes,
    )
    return Flow(OutletRef(spec))


class FileSources:
    """Each is opened when its first element is demanded, and closed at any end.

    ``lines``, ``bytes``, ``csv``, ``json`` and ``jsonl`` take ``ReadFrom``: a path, a pattern,
    ``"-"``, an open file, or a list of these.

    - A text or a path with ``*``, ``?`` or ``[`` is a pattern, unless a file of that name exists:
      the files that match are read in the order of their names. None is an error.
    - ``"-"`` is standard input, and stays open.
    - An open file, of bytes or of text, is read from where it stands and stays open: the user
      opened it, the user closes it. A second run must find more in it, or fails with
      ``GraphError``. One of text is decoded already, ``encoding`` does not hold for it.

    ``compression="infer"`` goes by the suffix of the path: ``.gz``, ``.bz2``, ``.xz``, ``.zst``.
    Others are ``"gzip"``, ``"bz2"``, ``"xz"``, ``"zstd"`` (needs ``actors-rs[zstd]``), and ``None``
    for a file as it stands. An open file and standard input have no suffix: name it.

    What cannot be read fails the stream with ``ReadError``, which names the file and the line. All
    that comes before is given first. A compressed file that breaks off is such an error, and says
    at which byte.
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

    @staticmethod
    def lines(
        path: ReadFrom, encoding: str = "utf-8-sig", *, compression: Compression = "infer"
    ) -> Flow[Never, str]:
        """The lines of text files, without their ends, read on demand.

        ``path`` is what ``TextSources`` says: ``Source.lines("logs/*.log.gz")``. The default
        encoding is UTF-8, with a mark in front or not.
        """
        inputs = inputs_of(path, compression, "Source.lines")
        encoding_of(encoding, "Source.lines")
        return _blocking("lines", partial(Lines, inputs, encoding), pinned=inputs.may_wait)

    @staticmethod
    def bytes(
        path: ReadFrom, size: int = 65_536, *, compression: Compression = "infer"
    ) -> Flow[Never, bytes]:
        """The bytes of files, decompressed, in chunks of ``size``; the last one may be shorter."""
        inputs = inputs_of(path, compression, "Source.bytes")
        at_least(1, size, "Source.bytes: size")
        return _blocking("bytes", partial(Bytes, inputs, size), outflow_bytes=size)

    @staticmethod
    def jsonl(
        path: ReadFrom, encoding: str = "utf-8-sig", *, compression: Compression = "infer"
    ) -> Flow[Never, Any]:
        """The JSON values of files with one on each line, with a mark of UTF-8 in front or not."""
        inputs = inputs_of(path, compression, "Source.jsonl")
        encoding_of(encoding, "Source.jsonl")
        return _blocking("jsonl", partial(Jsonl, inputs, encoding))

    @staticmethod
    def json(
        path: ReadFrom, items: str | None = None, *, compression: Compression = "infer"
    ) -> Flow[Never, Any]:
        """The elements of an array in a JSON document, one after the other.

        ``items`` says where, in the words of ijson: ``"features.item"`` is each element of the
        array at ``features``, ``"item"`` each of an outermost array. The document is read as
        elements are asked for; ``nan`` is no JSON there, and half of a surrogate pair becomes
        ``"?"``. Needs ``actors-rs[json]``; raises ``MissingExtraError`` without.

        Without ``items`` the document is read at once, as ``json.load`` does: the elements of its
        outermost array, or the one value that it is.
        """
        inputs = inputs_of(path, compression, "Source.json")
        if items is not None:
            required_text(items, "Source.json: items")
            incremental_json()
        return _blocking("json", partial(Json, inputs, items))

    @overload
    @staticmethod
    def csv(
        path: ReadFrom,
        *,
        header: Literal[True] = True,
        types: None = None,
        **options: Unpack[CsvOptions],
    ) -> Flow[Never, dict[str, str]]: ...
    @overload
    @staticmethod
    def csv(
        path: ReadFrom,
        *,
        header: Literal[False],
        types: None = None,
        **options: Unpack[CsvOptions],
    ) -> Flow[Never, list[str]]: ...
    @overload
    @staticmethod
    def csv(
        path: ReadFrom,
        *,
        header: Literal[True] = True,
        types: Mapping[str, Callable[[str], Any]],
        **options: Unpack[CsvOptions],
    ) -> Flow[Never, dict[str, Any]]: ...
    @overload
    @staticmethod
    def csv(
        path: ReadFrom,
        *,
        header: Literal[False],
        types: Mapping[int, Callable[[str], Any]],
        **options: Unpack[CsvOptions],
    ) -> Flow[Never, list[Any]]: ...
    @staticmethod
    def csv(
        path: ReadFrom,
        *,
        header: bool = True,
        types: Mapping[Any, Callable[[str], Any]] | None = None,
        **options: Unpack[CsvOptions],
    ) -> Flow[Never, Any]:
        """The rows of CSV files: dicts by the names in the first row, or lists of texts.

        Every row must have as many fields as the first one of its file. The default encoding is
        UTF-8, with a mark in front or not.

        - ``delimiter=","``, ``quotechar='"'`` (``None``: nothing is quoted), ``escapechar=None``
          and ``skipinitialspace=False`` are those of the ``csv`` module.
        - ``skip_rows``: so many lines of each file come before the header and are left out.
        - ``types={"age": int}``: functions that turn the text of a column into its value; without a
          header ``{0: int}``. A failure makes a bad row.
        - ``on_bad_row``: ``"fail"`` with file and line; ``"skip"``, then each is a dead letter
          and counted as ``skipped`` in the snapshot; or a function of a ``BadRow`` that returns the
          element to give for it, or ``None`` to skip it. A bad row has too few or too many fields,
          a wrong quote, or a field that its type does not take.

        >>> from io import StringIO
        >>> text = StringIO("name,age\\nAda,36\\nAlan,?\\n")
        >>> Source.csv(text, types={"age": int}, on_bad_row="skip").run(Sink.list())
        [{'name': 'Ada', 'age': 36}]
        """
        given = {"encoding": "utf-8-sig", "compression": "infer", **options}
        encoding = encoding_of(given.pop("encoding"), "Source.csv")
        inputs = inputs_of(path, given.pop("compression"), "Source.csv")
        flag(header, "Source.csv: header")
        form = csv_format(header, types, given)
        return _blocking("csv", partial(Csv, inputs, form, encoding))

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
