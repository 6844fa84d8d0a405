"""Sources that read files and databases, each on a thread of its own: it may block there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, Never, TypeVar, Unpack, overload

from actors_rs.graph.checks import (
    at_least,
    encoding_of,
    flag,
    function,
    optional_plain_function,
    path_of,
    plain_function,
    required_text,
    wrong_kind,
)
from actors_rs.graph.file_arguments import (
    CsvOptions,
    bad_row_policy,
    csv_format,
    decoding_errors,
    inputs_of,
    pattern_of_files,
)
from actors_rs.graph.spec import Attributes, OutletRef, spec_of
from actors_rs.language.methods.chain import flow_of
from actors_rs.stages.files.bad_row import OnBadRow
from actors_rs.stages.files.compression import Compression
from actors_rs.stages.files.inputs import ReadFrom
from actors_rs.stages.sources.files.bytes import Bytes
from actors_rs.stages.sources.files.csv import Csv
from actors_rs.stages.sources.files.files import Files
from actors_rs.stages.sources.files.json import Json, incremental_json
from actors_rs.stages.sources.files.jsonl import Jsonl
from actors_rs.stages.sources.files.lines import Lines
from actors_rs.stages.sources.files.parquet import Parquet, arrow_parquet
from actors_rs.stages.sources.files.sqlite import Sqlite
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
"""How many batches the next inlet of ``parquet`` keeps requested: each holds many rows."""


def _blocking(
    kind: str,
    make: Callable[[], Any],
    *,
    pinned: bool = True,
    **outflow: Any,
) -> Flow[Never, Any]:
    """A flow that begins with a source on a thread of its own, unless that is not ``pinned``."""
    spec = spec_of(kind, make, attributes=_PINNED if pinned else None, **outflow)
    return flow_of(OutletRef(spec))


class FileSources:
    """Each is opened when its first element is demanded, and closed at any end.

    ``lines``, ``bytes``, ``csv``, ``json`` and ``jsonl`` take as ``path`` a ``ReadFrom``: a path, a
    pattern, ``"-"``, an open file, or a list of these.

    - A text or a path with ``*``, ``?`` or ``[`` is a pattern, unless a file of that name exists:
      the files that match are read in the order of their names. A pattern without a match is an
      error.
    - ``"-"`` is standard input, and stays open.
    - An open file, of bytes or of text, is read from its position and stays open: the user opened
      it, the user closes it. A second run must find more in it, or fails with ``GraphError``. A
      text file is decoded already, so ``encoding`` does not hold for it.

    ``compression="infer"`` (default) goes by the suffix of the path: ``.gz``, ``.bz2``, ``.xz``,
    ``.zst``. Others are ``"gzip"``, ``"bz2"``, ``"xz"``, ``"zstd"`` (needs ``actors-rs[zstd]``),
    and ``None`` for a file as it stands. An open file and standard input have no suffix: name it.

    A file that cannot be read fails the stream with ``ReadError``, which names the file and the
    line. All elements before are given first. A compressed file that breaks off is such an error,
    and says at which byte.
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
        """The results of ``read(resource)`` until it gives ``None``; ``open()`` gives the resource.

        ``close(resource)`` is called at any end. All three may block. ``interrupt(resource)`` makes
        a waiting ``read`` return: it is called once, on another thread, if the resource is open
        when the run is cancelled or drained, or no further element is needed.

        >>> from io import StringIO
        >>> lines = Source.unfold_resource(
        ...     lambda: StringIO("a\\nb\\n"), lambda file: file.readline() or None, StringIO.close
        ... )
        >>> lines.run(Sink.list())
        ['a\\n', 'b\\n']
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

        ``*`` and ``**`` match no names with a leading dot. A pattern without a match gives no
        elements, and logs a warning. Fails with ``ReadError`` if a directory cannot be read, if
        that before the first wildcard is not there, or if a ``pattern`` without wildcards is the
        name of no file.

        >>> from pathlib import Path
        >>> size = Path("orders.csv").write_text("id\\n1\\n")
        >>> Source.files("*.csv").map(lambda path: path.name).run(Sink.list())
        ['orders.csv']
        """
        path_of(pattern, "Source.files", "pattern")
        pattern_of_files(fspath(pattern))
        return _blocking("files", partial(Files, pattern))

    @staticmethod
    def lines(
        path: ReadFrom,
        encoding: str = "utf-8-sig",
        *,
        errors: str = "strict",
        compression: Compression = "infer",
    ) -> Flow[Never, str]:
        """The lines of text files, without their ends, read on demand.

        ``path`` and ``compression`` are explained in the guide, under *Files*:
        ``Source.lines("logs/*.log.gz")``. The default ``encoding`` is UTF-8, with a byte order mark
        or without. ``errors`` is as for ``open``: ``"strict"`` (default) fails at bytes that are
        not valid text, ``"replace"`` gives ``"\\ufffd"`` for them.

        >>> from io import BytesIO
        >>> Source.lines(BytesIO(b"a\\nb\\xff\\n"), errors="backslashreplace").run(Sink.list())
        ['a', 'b\\\\xff']
        """
        inputs = inputs_of(path, compression, "Source.lines")
        encoding_of(encoding, "Source.lines")
        decoding_errors(errors, "Source.lines")
        return _blocking("lines", partial(Lines, inputs, encoding, errors), pinned=inputs.may_wait)

    @staticmethod
    def bytes(
        path: ReadFrom, size: int = 65_536, *, compression: Compression = "infer"
    ) -> Flow[Never, bytes]:
        """The bytes of files, decompressed, in chunks of ``size``; the last one may be shorter.

        ``size`` is in bytes, 65,536 by default. ``path``, ``compression``: see the guide, *Files*.

        >>> from io import BytesIO
        >>> Source.bytes(BytesIO(b"abcde"), size=4).run(Sink.list())
        [b'abcd', b'e']
        """
        inputs = inputs_of(path, compression, "Source.bytes")
        at_least(1, size, "Source.bytes: size")
        return _blocking("bytes", partial(Bytes, inputs, size), outflow_bytes=size)

    @staticmethod
    def jsonl(
        path: ReadFrom,
        encoding: str = "utf-8-sig",
        *,
        errors: str = "strict",
        compression: Compression = "infer",
        on_bad_row: OnBadRow = "fail",
        parse: Callable[[Any], Any] | None = None,
    ) -> Flow[Never, Any]:
        """The JSON values of files with one on each line.

        The default ``encoding`` is UTF-8, with a byte order mark or without. ``errors`` is as for
        ``lines``, and ``on_bad_row`` as for ``csv``. ``parse(value)`` gives the element for a
        value, by default the value. A bad row is a line that is no JSON, or for which ``parse``
        raises: so a check of yours is reported with the line. ``path``, ``compression``: see the
        guide, *Files*.

        >>> from io import StringIO
        >>> Source.jsonl(StringIO('{"id": 1}\\n{"id": \\n'), on_bad_row="skip").run(Sink.list())
        [{'id': 1}]
        """
        inputs = inputs_of(path, compression, "Source.jsonl")
        encoding_of(encoding, "Source.jsonl")
        decoding_errors(errors, "Source.jsonl")
        bad_row_policy(on_bad_row, "Source.jsonl")
        optional_plain_function(parse, "Source.jsonl: parse")
        return _blocking("jsonl", partial(Jsonl, inputs, encoding, errors, on_bad_row, parse))

    @staticmethod
    def json(
        path: ReadFrom, items: str | None = None, *, compression: Compression = "infer"
    ) -> Flow[Never, Any]:
        """The elements of an array in a JSON document, one after the other.

        ``items`` says where, in the words of ijson: ``"features.item"`` is each element of the
        array at ``features``, ``"item"`` each of an outermost array. The document is read as
        elements are asked for; ``nan`` is no JSON there, and half of a surrogate pair becomes
        ``"?"``. Needs ``actors-rs[json]``; raises ``MissingExtraError`` without.

        Without ``items`` the document is read at once, as ``json.load`` does. Then its elements are
        the elements of its outermost array, or the one value that it is. ``path`` and
        ``compression``: see the guide, *Files*.

        >>> from io import StringIO
        >>> Source.json(StringIO('{"rows": [1, 2]}'), items="rows.item").run(Sink.list())
        [1, 2]
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

        Every row must have as many fields as the first one of its file. ``path`` and
        ``compression``: see the guide, *Files*. Options:

        - ``header=True``: with ``False`` the first row is a row, and rows are lists.
        - ``encoding``, ``errors``: as for ``lines``.
        - ``delimiter=","``, ``quotechar='"'`` (``None``: nothing is quoted), ``escapechar=None``
          and ``skipinitialspace=False`` are as in the ``csv`` module. A quote that is never closed
          makes the rest of its file one bad row. If your files do not quote, give ``None``.
        - ``skip_rows=0``: so many lines of each file come before the header and are left out.
        - ``types={"age": int}``: functions that turn the text of a column into its value; without a
          header ``{0: int}``. A failure makes a bad row.
        - ``on_bad_row``: ``"fail"`` (default) with file and line; ``"skip"`` makes the row a dead
          letter, counted as ``skipped`` in the snapshot. Or a function of a ``BadRow`` that returns
          the element to give for it, or ``None`` to skip it. A bad row has too few or too many
          fields, a wrong quote, or a field that its type does not take.

        >>> from io import StringIO
        >>> text = StringIO("name,age\\nAda,36\\nAlan,?\\n")
        >>> Source.csv(text, types={"age": int}, on_bad_row="skip").run(Sink.list())
        [{'name': 'Ada', 'age': 36}]
        """
        given = {"encoding": "utf-8-sig", "errors": "strict", "compression": "infer", **options}
        encoding = encoding_of(given.pop("encoding"), "Source.csv")
        errors = decoding_errors(given.pop("errors"), "Source.csv")
        inputs = inputs_of(path, given.pop("compression"), "Source.csv")
        flag(header, "Source.csv: header")
        form = csv_format(header, types, given)
        return _blocking("csv", partial(Csv, inputs, form, encoding, errors))

    @staticmethod
    def parquet(
        path: str | PathLike[str],
        columns: Sequence[str] | None = None,
        *,
        rows_per_batch: int = 65_536,
    ) -> Flow[Never, Any]:
        """``pyarrow`` record batches of a Parquet file, or of all files in a directory, by path.

        - ``columns``: read only these; fails if a file lacks one. ``"a.b"`` is a field of the
          column ``a``.
        - ``rows_per_batch``: the most rows of a batch, 65,536 by default.

        A directory is read with its subdirectories. A subdirectory with a name ``key=value`` gives
        a column, as with ``pyarrow.dataset``. Files with other suffixes than ``.parquet`` and
        ``.pq`` are passed over, unless there are no others; a directory that cannot be read is an
        error. Raises ``MissingExtraError`` without pyarrow.

        >>> written = Source.of({"id": 1}, {"id": 2}).run(Sink.parquet("orders"))
        >>> Source.parquet("orders").map(lambda batch: batch.num_rows).run(Sink.list())
        [2]
        """
        path_of(path, "Source.parquet")
        at_least(1, rows_per_batch, "Source.parquet: rows_per_batch")
        names = None if columns is None else _names(columns)
        arrow_parquet()
        make = partial(Parquet, path, names, rows_per_batch)
        return _blocking("parquet", make, outflow_window=WINDOW_OF_RECORD_BATCHES)

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

        ``parameters`` fill the placeholders of ``query``: a tuple for ``?``, a dict for ``:name``.
        The database is opened for reading only; a ``path`` that begins with ``file:`` is taken as
        SQLite's own kind of address.

        >>> insert = Sink.sqlite("shop.db", "INSERT INTO t VALUES (?)", setup="CREATE TABLE t (id)")
        >>> Source.of((1,), (2,)).run(insert)
        2
        >>> Source.sqlite("shop.db", "SELECT id FROM t WHERE id > ?", (1,)).run(Sink.list())
        [(2,)]
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


def _names(columns: Any) -> list[str]:
    try:
        names = None if isinstance(columns, str) else list(columns)
    except TypeError:
        names = None
    if names is None or not all(isinstance(name, str) for name in names):
        raise wrong_kind(f"Source.parquet: columns must be a list of names, got {repr_of(columns)}")
    return names
