"""Arguments of sources and sinks of files: checked where the user wrote them."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from types import ModuleType
from typing import Any, TypedDict

from actors_rs.graph.checks import (
    at_least,
    flag,
    known_options,
    one_of,
    path_of,
    plain_function,
    wrong_kind,
    wrong_value,
)
from actors_rs.stages.files.bad_row import OnBadRow
from actors_rs.stages.files.compression import COMPRESSIONS, Compression, expect, kind_for
from actors_rs.stages.files.csv_rows import CsvFormat
from actors_rs.stages.files.inputs import Inputs, is_open_file
from actors_rs.texts import repr_of, text_of

__all__ = [
    "CsvOptions",
    "bad_row_policy",
    "compression_of",
    "csv_format",
    "decoding_errors",
    "inputs_of",
    "pattern_of_files",
]


class CsvOptions(TypedDict, total=False):
    """What ``Source.csv`` takes besides ``header`` and ``types``."""

    delimiter: str
    encoding: str
    errors: str
    quotechar: str | None
    escapechar: str | None
    skipinitialspace: bool
    skip_rows: int
    on_bad_row: OnBadRow
    compression: Compression


def csv_format(header: bool, types: Any, options: dict[str, Any]) -> CsvFormat:
    """The format that the arguments of ``Source.csv`` describe."""
    known_options(options, ("header", "types", *CsvOptions.__annotations__), "Source.csv")
    form = CsvFormat(header, types=_types_of(types, header), **options)
    delimiter = form.delimiter
    if not isinstance(delimiter, str) or len(delimiter) != 1:
        raise wrong_kind(f"Source.csv: delimiter must be one character, got {repr_of(delimiter)}")
    for name in ("quotechar", "escapechar"):
        _optional_character(getattr(form, name), f"Source.csv: {name}")
    if delimiter in f"\r\n{form.quotechar or ''}":
        raise wrong_value(
            "Source.csv: delimiter must not be a line break or the quotechar, "
            f"got {repr_of(delimiter)}"
        )
    flag(form.skipinitialspace, "Source.csv: skipinitialspace")
    at_least(0, form.skip_rows, "Source.csv: skip_rows")
    bad_row_policy(form.on_bad_row, "Source.csv")
    try:
        form.reader(())
    except (csv.Error, TypeError, ValueError) as error:  # two that are the same, for instance
        raise wrong_value(f"Source.csv: {text_of(error)}") from None
    return form


def bad_row_policy(value: Any, what: str) -> OnBadRow:
    """``value`` if it says what to do with a bad row."""
    if value not in ("fail", "skip"):
        if isinstance(value, str):
            raise wrong_value(
                f"{what}: on_bad_row must be 'fail', 'skip' or a function, got {repr_of(value)}"
            )
        plain_function(value, f"{what}: on_bad_row")
    return value  # type: ignore[no-any-return]


def decoding_errors(value: Any, what: str) -> str:
    """``value`` if it names a way to decode bytes that are not valid text."""
    try:
        b"\xff".decode("ascii", value)
    except UnicodeDecodeError:
        pass
    except (LookupError, TypeError, ValueError):
        raise wrong_value(
            f"{what}: errors must be a handler of bytes that are not valid text, for instance "
            f"'strict', 'replace', 'backslashreplace' or 'ignore', got {repr_of(value)}"
        ) from None
    return value  # type: ignore[no-any-return]


def _optional_character(value: Any, what: str) -> None:
    if value is None:
        return
    if not isinstance(value, str) or len(value) != 1:
        raise wrong_kind(f"{what} must be one character or None, got {repr_of(value)}")
    if value in "\r\n":
        raise wrong_value(f"{what} must not be a line break, got {repr_of(value)}")


def _types_of(types: Any, header: bool) -> Mapping[Any, Callable[[str], Any]]:
    if types is None:
        return {}
    if not isinstance(types, Mapping):
        raise wrong_kind(
            f"Source.csv: types must be a dict, for instance {{'age': int}}, got {repr_of(types)}"
        )
    for column, cast in types.items():
        if header and not isinstance(column, str):
            raise wrong_kind(
                f"Source.csv: types must have names of columns, got {repr_of(column)}: with "
                "header=False it has numbers of columns"
            )
        if not header:
            at_least(0, column, "Source.csv: types: the number of a column")
        plain_function(cast, f"Source.csv: types[{repr_of(column)}]")
        if cast is bool:
            raise wrong_value(
                f"Source.csv: types[{repr_of(column)}]: bool makes True of every text "
                "that is not empty: give a function, for instance lambda text: text == 'true'"
            )
    return dict(types)


def compression_of(value: Any, what: str) -> Compression:
    """``value`` if it is a compression, and something is installed that handles it."""
    one_of(COMPRESSIONS, value, f"{what}: compression")
    return value  # type: ignore[no-any-return]


def pattern_of_files(pattern: str) -> None:
    """Raise unless ``pattern`` of ``Source.files`` can match files."""
    if pattern.endswith(("/", os.sep)):
        raise wrong_value(
            f"Source.files: pattern must match files, got {repr_of(pattern)}, which matches "
            f"directories: did you mean {repr_of(pattern + '*')}?"
        )
    expanded = os.path.expanduser(pattern)
    if expanded != pattern:
        raise wrong_value(
            f"Source.files: pattern must be written out, got {repr_of(pattern)}: "
            f"did you mean {repr_of(expanded)}?"
        )


def inputs_of(given: Any, compression: Any, what: str) -> Inputs:
    """The files or file objects of ``given``, checked; ``what`` names the call in messages."""
    compression_of(compression, what)
    listed = isinstance(given, Sequence) and not isinstance(given, str | bytes | bytearray)
    ones = given if listed else (given,)
    if not ones:
        raise wrong_value(f"{what}: path must be a list of at least one file, got {repr_of(given)}")
    for one in ones:
        _expect_input(one, what)
        if not is_open_file(one):
            expect(kind_for(one, compression))
    if compression != "infer":
        expect(compression)
    return Inputs(given, compression)


def _expect_input(one: Any, what: str) -> None:
    if isinstance(one, str | PathLike):
        path_of(one, what)
    elif not is_open_file(one):
        raise wrong_kind(
            f"{what}: path must be a text, a path, an open file or a list of these, "
            f"got {repr_of(one)}{_not_open_yet(one)}"
        )
    elif getattr(one, "closed", False) is True:
        raise wrong_value(f"{what}: expected an open file, got {repr_of(one)}, which is closed")
    elif getattr(one, "readable", None) is not None and not one.readable():
        raise wrong_value(f"{what}: expected a file that is open for reading, got {repr_of(one)}")


def _not_open_yet(one: Any) -> str:
    """What to write for a file that has a client but is not open, as ``fsspec.open`` gives it."""
    opens = callable(getattr(one, "open", None)) and not isinstance(one, type | ModuleType)
    return ": give what its open() returns" if opens else ""
