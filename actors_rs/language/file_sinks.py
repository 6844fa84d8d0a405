"""Sinks that write files and databases, each on a thread of its own: it may block there."""

from __future__ import annotations

import csv as csv_module
from collections.abc import Callable, Sequence
from functools import partial
from os import PathLike, fsdecode
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from actors_rs.graph.checks import (
    at_least,
    flag,
    optional_plain_function,
    optional_text,
    path_of,
    required_text,
    wrong_kind,
    wrong_value,
)
from actors_rs.graph.file_arguments import compression_of
from actors_rs.graph.spec import Attributes
from actors_rs.language.sinks.files import parquet_maker
from actors_rs.stages.files.compression import Compression, expect, kind_for
from actors_rs.stages.sinks.files.csv import Csv
from actors_rs.stages.sinks.files.jsonl import Jsonl
from actors_rs.stages.sinks.files.lines import Lines
from actors_rs.stages.sinks.files.sqlite import Sqlite
from actors_rs.stages.sinks.files.writing import WriteReport
from actors_rs.texts import repr_of, text_of

if TYPE_CHECKING:
    from actors_rs.language.sink import Sink

__all__ = ["FileSinks"]

_PINNED = Attributes(dispatcher="pinned")


def _made(kind: str, make: Callable[[], Any], *, target: str = "", gives: type) -> Sink[Any, Any]:
    return FileSinks._make(kind, make, _PINNED, target=target, gives=gives)


class FileSinks:
    """``lines``, ``csv`` and ``jsonl`` write one file, which appears when the stream completes.

    Until then it has a hidden name in the same directory. A run that fails or is cancelled leaves
    the old file as it was. ``path`` is the file; ``compression="infer"`` (default) goes by its
    suffix: ``.gz``, ``.bz2``, ``.xz``, ``.zst``; other values are as for ``Source.lines``.
    """

    __slots__ = ()
    _make: ClassVar[Callable[..., Sink[Any, Any]]]
    """``made_sink``; ``sink.py`` sets it."""

    @staticmethod
    def lines(
        path: str | PathLike[str], *, compression: Compression = "infer"
    ) -> Sink[str, WriteReport]:
        """One text a line, as UTF-8; the file appears, or is replaced, when the stream completes.

        ``path`` and ``compression``: see ``FileSinks``. An element that is no text fails with
        ``TypeError``, an element with a line end in it with ``ValueError``; ``on_failure`` decides
        how the sink goes on.

        >>> Source.of("a", "b").run(Sink.lines("out.txt.gz")).rows
        2
        """
        _expect_file(path, compression, "Sink.lines")
        return _made("lines", partial(Lines, path, compression), gives=WriteReport)

    @staticmethod
    def csv(
        path: str | PathLike[str],
        columns: Sequence[str] | None = None,
        *,
        header: bool = True,
        delimiter: str = ",",
        quotechar: str = '"',
        compression: Compression = "infer",
    ) -> Sink[Any, WriteReport]:
        """One row an element, as UTF-8; the file appears when the stream completes.

        Elements are dicts or lists. The header is ``columns``, or the names of the first dict; with
        neither, or ``header=False``, there is none. A dict without one of the columns has an empty
        field there, ``None`` is an empty field, and a name that is no column fails with
        ``ValueError``. All lists have as many fields as the columns, or as the first of them.
        ``delimiter`` is ``","`` and ``quotechar`` is ``'"'`` by default, as in the ``csv`` module.
        ``path`` and ``compression``: see ``FileSinks``.

        >>> Source.of({"id": 1, "name": "Ada"}).run(Sink.csv("people.csv")).rows
        1
        >>> Source.csv("people.csv").run(Sink.list())
        [{'id': '1', 'name': 'Ada'}]
        """
        _expect_file(path, compression, "Sink.csv")
        flag(header, "Sink.csv: header")
        names = None if columns is None else _names_of(columns)
        dialect = {"delimiter": delimiter, "quotechar": quotechar}
        try:
            csv_module.writer(_Nowhere(), **dialect)  # type: ignore[arg-type]
        except (csv_module.Error, TypeError, ValueError) as error:
            raise wrong_value(f"Sink.csv: {text_of(error)}") from None
        make = partial(Csv, path, names, header, dialect, compression)
        return _made("csv", make, gives=WriteReport)

    @staticmethod
    def jsonl(
        path: str | PathLike[str],
        *,
        default: Callable[[Any], object] | None = None,
        compression: Compression = "infer",
    ) -> Sink[Any, WriteReport]:
        """One JSON value a line; the file appears, or is replaced, when the stream completes.

        ``default`` is called with each value that JSON does not have (a date, a ``Decimal``, bytes,
        a dataclass, a scalar of NumPy) and returns a value to write for it, as with ``json.dumps``:
        ``Sink.jsonl(path, default=str)``. Without it such a value fails the run with a
        ``TypeError`` that names the field. ``path`` and ``compression``: see ``FileSinks``.

        >>> Source.of({"id": 1}).run(Sink.jsonl("orders.jsonl")).rows
        1
        """
        _expect_file(path, compression, "Sink.jsonl")
        optional_plain_function(default, "Sink.jsonl: default")
        return _made("jsonl", partial(Jsonl, path, default, compression), gives=WriteReport)

    @staticmethod
    def sqlite(
        path: str | PathLike[str], sql: str, *, batch: int = 500, setup: str | None = None
    ) -> Sink[Any, int]:
        """Run ``sql`` for each element, its parameters; the result is the number committed.

        ``path`` is the database's file. ``batch`` elements (500) are one transaction. After
        ``acknowledged`` each unit is one transaction, and ``batch`` has no effect. ``setup`` is a
        script run first, for instance ``CREATE TABLE IF NOT EXISTS ...``.

        An element is a dict, a tuple, a list or another sequence: a class with ``__getitem__`` and
        ``__len__`` that gives its values by their numbers from 0 on, but no text and no bytes.
        Others fail with ``TypeError``. So do scalars of NumPy, since SQLite would write their
        bytes: ``.item()`` turns them into numbers. Fails with ``ValueError`` for ``nan``, for which
        SQLite would write NULL.

        A file takes one writer at a time. The sink waits up to 60 s for another connection to end
        its transaction, and logs a warning after 5 s that names the holder. Then it fails with
        ``database is locked``. A cancelled run does not wait, a drained run does. Many runs that
        write into one file at once wait for each other: let all of them feed one run with one sink
        (``merge``, ``Source.merge_hub``), also if the file has ``PRAGMA journal_mode = WAL``.

        >>> insert = Sink.sqlite("shop.db", "INSERT INTO t VALUES (?)", setup="CREATE TABLE t (id)")
        >>> Source.of((1,), (2,)).run(insert)
        2
        """
        path_of(path, "Sink.sqlite")
        required_text(sql, "Sink.sqlite: sql")
        optional_text(setup, "Sink.sqlite: setup")
        at_least(1, batch, "sqlite: batch")
        make = partial(Sqlite, path, sql, batch, setup)
        return _made("sqlite", make, target=fsdecode(path), gives=int)

    @staticmethod
    def parquet(
        directory: str | PathLike[str],
        schema: Any = None,
        *,
        rows_per_file: int = 1_000_000,
        existing: Literal["append", "refuse"] = "append",
    ) -> Sink[Any, WriteReport]:
        """A data set of Parquet files in ``directory``, each of about ``rows_per_file`` rows.

        - Elements are ``pyarrow`` record batches or tables, dicts (one row each) or lists of dicts.
        - ``schema``: a ``pyarrow.Schema``, by default the schema of the first element. Give one if
          rows may have further columns, which are left out, or lack some, which are null then; or
          if later rows have fractions in a column of whole numbers.
        - ``rows_per_file``: 1,000,000 by default.
        - ``existing``: ``"append"`` (default) adds files after the ``part-*.parquet`` that are
          there, so a second run of the same graph adds the same rows once more. ``"refuse"`` fails
          if there are part files, at the start or before the first file is complete.

        One sink at a time holds a directory, another one fails at its start. Elements must fit the
        schema of the existing files, by the rule of the page on delivery: columns go by their
        names, and each type fits one that holds all of its values. Otherwise the sink fails before
        anything is written.

        After ``acknowledged`` each unit is a file. All have the schema of the first one, or of the
        existing files; a ledger keeps the schema of its run. An element that does not fit follows
        ``on_failure``. ``existing`` is checked when the first element comes, and not for units of a
        ledger, which takes a directory that is its own.

        >>> Source.of({"id": 1}, {"id": 2}).run(Sink.parquet("orders")).rows
        2
        """
        make = parquet_maker(directory, schema, rows_per_file, existing)
        return _made("parquet", make, target=fsdecode(directory), gives=WriteReport)


class _Nowhere:
    def write(self, _: str) -> None:
        """Nothing: the writer only looks at its arguments."""


def _expect_file(path: Any, compression: Any, what: str) -> None:
    path_of(path, what)
    expect(kind_for(path, compression_of(compression, what)))


def _names_of(columns: Any) -> list[str]:
    listed = isinstance(columns, Sequence) and not isinstance(columns, str | bytes)
    if not listed or not all(isinstance(name, str) for name in columns):
        raise wrong_kind(f"Sink.csv: columns must be a list of names, got {repr_of(columns)}")
    if not columns or len(set(columns)) != len(columns):
        raise wrong_value(
            f"Sink.csv: columns must be at least one name, each once, got {repr_of(columns)}"
        )
    return list(columns)
