"""Rows of CSV text: the dialect, what their fields become, and what is done with bad ones."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from actors_rs.stages.files.bad_row import OnBadRow
from actors_rs.stages.files.reading import Place
from actors_rs.texts import did_you_mean, few, named, repr_of, text_of

__all__ = ["CsvFormat", "check_names", "rows_of"]


@dataclass(frozen=True, slots=True)
class CsvFormat:
    """How the text is split into rows, and what a row becomes."""

    header: bool = True
    delimiter: str = ","
    quotechar: str | None = '"'
    escapechar: str | None = None
    skipinitialspace: bool = False
    skip_rows: int = 0
    types: Mapping[str, Callable[[str], Any]] | Mapping[int, Callable[[str], Any]] = field(
        default_factory=dict
    )
    on_bad_row: OnBadRow = "fail"

    def reader(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """The rows of ``lines``; an empty line is a row without fields."""
        quoting: Any = csv.QUOTE_NONE if self.quotechar is None else csv.QUOTE_MINIMAL
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quotechar,
            escapechar=self.escapechar,
            skipinitialspace=self.skipinitialspace,
            quoting=quoting,
            strict=True,
        )

    def casts(self, names: list[str] | None) -> list[tuple[int, str, Callable[[str], Any]]]:
        """Index, name and function of each column that has one; ``ValueError`` for no column."""
        found = []
        for column, cast in self.types.items():
            if isinstance(column, str):
                if column not in (names or ()):
                    raise ValueError(
                        f"types: expected a column {repr_of(column)}, found "
                        f"{few(map(repr_of, names or ()))}{did_you_mean(names or (), column)}"
                    )
                found.append(((names or []).index(column), column, cast))
            else:
                found.append((column, str(column), cast))
        return found


def rows_of(
    lines: Iterable[str],
    form: CsvFormat,
    place: Place,
    bad: Callable[[str, list[str], Exception], Any],
) -> Iterator[Any]:
    """The elements that ``lines`` have, as ``form`` says.

    ``bad(text, fields, error)`` gives an element for a row that has none, or ``None``, or raises.
    """
    lines = iter(lines)
    for _ in islice(lines, form.skip_rows):
        pass
    kept: list[str] = []
    reader = form.reader(lines if form.on_bad_row == "fail" else _kept(lines, kept))
    names = next(filter(None, reader), []) if form.header else None
    check_names(names or [])
    casts = form.casts(names) if names or not form.header else []
    kept.clear()
    width = None if names is None else len(names)
    row: list[str] = []
    ended = False
    while not ended:
        element: Any = None
        begun = place.line + 1
        try:
            for row in reader:
                if row:
                    if len(row) != width:
                        width = width or len(row)
                        expect_width(width, row)
                    fields = cast_fields(row, casts) if casts else row
                    yield fields if names is None else dict(zip(names, fields, strict=True))
                kept.clear()
                begun = place.line + 1
            ended = True
        except BadFieldError as error:
            element = bad("".join(kept), row, _located(error, begun, place.line))
        except csv.Error as error:  # the reader goes on with the next line
            element = bad("".join(kept), [], _located(error, begun, place.line))
        kept.clear()
        if element is not None:
            yield element


class BadFieldError(ValueError):
    """A row has the wrong number of fields, or a field of the wrong type."""


def expect_width(width: int, row: list[str]) -> None:
    """Raise unless ``row`` has ``width`` fields."""
    if len(row) != width:
        raise BadFieldError(f"expected {width} fields, got {len(row)}")


def cast_fields(row: list[str], casts: list[tuple[int, str, Callable[[str], Any]]]) -> list[Any]:
    """``row`` with what the functions return in place of the texts they are for."""
    out: list[Any] = list(row)
    for index, name, cast in casts:
        if index >= len(row):
            raise BadFieldError(f"types: expected a field {name}, got {len(row)} fields")
        try:
            out[index] = cast(row[index])
        except Exception as error:
            why = f"column {repr_of(name)}: {text_of(error) or named(error)}"
            raise BadFieldError(why) from error
    return out


def _located(error: Exception, begun: int, line: int) -> Exception:
    """``error``, with the line where its row begins if that is another one."""
    if begun >= line:
        return error
    located = type(error)(f"{text_of(error)}, in the row that begins in line {begun}")
    located.__cause__ = error.__cause__
    return located


def _kept(lines: Iterator[str], kept: list[str]) -> Iterator[str]:
    for line in lines:
        kept.append(line)
        yield line


def check_names(names: list[str]) -> None:
    """Raise ``ValueError`` for a name that two columns have: a dict holds one of them."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise ValueError(f"expected a name for each column, got {repr_of(twice[0])} more than once")
