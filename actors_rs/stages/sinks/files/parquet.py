"""parquet("functions/"): a data set of ``part-00000.parquet`` and so on, each complete.

Elements are Arrow record batches or tables, dicts (one row each) or lists of dicts. A row does not
fit the schema if a value would be written as another one: 2.5 as a whole number, bytes as a text,
1e39 as an infinite 32-bit float. Rounding is no such change. None does not fit a
column without nulls. Without a schema the first element decides for all later ones: a column of
whole numbers takes no fraction, and a row without one of the columns does not fit. With a schema
such a row has null there. Open types (None, an empty list or dict, the digits of decimal
numbers) come from the rows that are gathered with it, 16,384 or ``rows_per_file``. Rows that do not
fit can be passed over; if the first element itself does not fit, as {} for instance, the first row
that can be written decides.

New files come beside existing ones: a second run of the same graph writes the rows twice, unless
existing="refuse" is given. They have the schema of the existing files, which the data has to fit.
Columns fit by name, in any order. Numbers and times fit if they are as narrow or narrower, and
dicts if their values are kept. No value, and an empty list or dict, fit any column. All elements of
one run fit its schema by the same rule. Extension types of Arrow (UUID, JSON, ...) are written as
they are read; give rows with values of a Python class of your own type as record batches.

Back-pressure: asks for a window; a slow disk slows the stream down.
Completes: when upstream has completed and the last file is in its place.
Fails: when upstream has failed, elements do not fit the schema, or a file cannot be written. A file
error is no element's fault and fails the stage under any policy. Before anything is written, it
fails if another sink is writing to the directory, or existing part files have another schema or are
refused. The sink checks once more before the first file gets its name.
Cancels: when the run is cancelled; complete files stay. The next sink of the same machine on the
directory removes files of a killed process.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from operator import itemgetter, length_hint
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

from actors_rs.errors import MissingExtraError, StreamError, WriteError
from actors_rs.stages.arrow.match import matched
from actors_rs.stages.arrow.nulls import check_nulls
from actors_rs.stages.arrow.rows import batch_of
from actors_rs.stages.arrow.schema import check_names, completed, loose
from actors_rs.stages.files.naming import naming
from actors_rs.stages.sinks.files.part_files import PartFiles, number_of
from actors_rs.stages.sinks.files.writing import (
    PendingFile,
    WriteReport,
    WritingSink,
)
from actors_rs.texts import class_name_of, few, repr_of

_ROWS_GATHERED = 16_384
"""Single rows are gathered up to this many before they are turned into Arrow."""
_Origin: TypeAlias = tuple[int, int, int]
"""From which row on rows come of which element, and how many elements further each next row is: 1
for dicts, 0 within a list."""


class Parquet(WritingSink):
    """Writes files of about ``rows_per_file`` rows; the first element settles the schema."""

    def __init__(
        self,
        directory: str | PathLike[str],
        schema: Any,
        rows_per_file: int,
        existing: Literal["append", "refuse"] = "append",
    ) -> None:
        super().__init__()
        self._directory = Path(directory)
        self._parts = PartFiles(self._directory)
        self._schema = self._given_schema = schema  # which rows are converted by
        self._written = schema  # which files are written with
        self._rows_per_file = rows_per_file
        self._existing = existing
        self._compares = False  # with the files that are there, as soon as there is a schema
        self._gather = min(rows_per_file, _ROWS_GATHERED)
        self._rows: list[dict[str, Any]] = []
        self._origins: list[_Origin] = []
        self._pending: PendingFile | None = None
        self._writer: Any = None
        self._rows_in_file = 0
        self._number: int | None = None  # of the next file, unless another sink has it
        self._files: list[str] = []
        self._rows_published = 0

    def start(self) -> None:
        _arrow()
        with naming(self._directory):
            self._parts.take(f"stage '{self.context.name}'")
            self._check_parts()
        self._compares = self._schema is None
        super().start()

    def consume(self, elements: Iterator[Any], /) -> None:
        self._mark(elements)
        for element in elements:
            if isinstance(element, dict):
                self._rows.append(element)
            elif isinstance(element, list):
                self._take_list(element, elements)
            else:
                self._write_rows_before(elements)
                if self.inlet.cancelled:
                    self._rows.append(element)
                else:
                    self._write_whole(element, elements)
            if len(self._rows) >= self._gather:
                self._write_rows_before(elements)

    def finish(self) -> WriteReport:
        self._write_rows()
        if self.inlet.cancelled:  # it has just failed
            return WriteReport(tuple(self._files), self._rows_published)
        if not self._files and self._writer is None and self._written is not None:
            self._open(self._written)  # no row came, but readers find the schema
        self._publish()
        return WriteReport(tuple(self._files), self._rows_published)

    def stop(self, error: BaseException | None) -> None:
        if self._pending is not None:
            with suppress(Exception):  # of a file that is thrown away
                self._writer.close()
            self._pending.discard()
            self.lose(self._rows_in_file, self._pending.path)
        self._parts.release()

    def held(self) -> list[Any]:
        return self._rows

    def details(self) -> dict[str, Any]:
        return {"files": len(self._files), "rows_published": self._rows_published}

    def _check_parts(self) -> None:
        """Raise if existing files are refused, or do not fit a given schema."""
        if self._existing == "refuse":
            self._parts.expect_none()
        if self._given_schema is not None:
            self._written = self._parts.schema_beside(self._given_schema)

    def _take_list(self, rows: list[Any], elements: Iterator[Any]) -> None:
        """Gather the rows of an element; ``elements`` come after it."""
        self._mark(elements, -1, 0)
        self._rows.extend(rows)
        self._mark(elements)

    def _write_whole(self, element: Any, elements: Iterator[Any]) -> None:
        """Write an element; ``elements`` come after it, and are held too if the write fails."""
        arrow = _arrow()
        if not isinstance(element, arrow.RecordBatch | arrow.Table):
            raise TypeError(
                "Sink.parquet: expected a record batch, a table, a dict or a list of dicts, "
                f"got a {class_name_of(element)}{_as_table(element)}"
            )
        if self._written is None:
            check_names(element.schema.names)
            data = loose(element)
            check_nulls(data)
            self._settle(data.schema)
        if self.inlet.cancelled:
            self._rows.extend((element, *elements))
        else:
            self._write(element, [element])

    def _mark(self, elements: Iterator[Any], offset: int = 0, step: int = 1) -> None:
        """Note that the next row gathered is of the first of ``elements``, or ``offset`` from it.

        Each row after it, up to the next mark, is of the element ``step`` further on.
        """
        origin = len(self._rows), self.inlet.count - length_hint(elements) + offset, step
        if self._origins and self._origins[-1][0] == origin[0]:
            self._origins.pop()
        self._origins.append(origin)

    def _write_rows_before(self, elements: Iterator[Any]) -> None:
        """Write what is gathered before ``elements``; those are held too if that fails."""
        self._write_rows()
        if self.inlet.cancelled:
            self._rows.extend(elements)
        self._mark(elements)

    def _write_rows(self) -> None:
        rows, self._rows = self._rows, []
        origins, self._origins = self._origins, []
        if not rows:
            return
        if self._schema is None:
            self._settle_by(rows, origins)
            if self.inlet.cancelled:
                self._rows = rows
                return
        try:
            data = self._to_arrow(rows)
        except Exception as error:
            if not self.may_pass_over:
                self._refuse_one_of(rows, origins, error)
                return
            rows = [row for n, row in enumerate(rows) if self._fits(row, n, origins)]
            if not rows:
                return
            data = self._to_arrow(rows)
        self._write(data, rows)

    def _settle(self, own: Any, *, inferred: bool = False) -> None:
        """Fix the schema: ``own``, or the one of existing files. Fails if the two differ."""
        try:
            with naming(self._directory):
                if self._compares:
                    own = self._parts.schema_beside(own, inferred=inferred)
                self._schema = self._written = own
        except StreamError as error:  # no element's fault: the next one would fare no better
            self.fail(error)

    def _settle_by(self, rows: list[Any], origins: list[_Origin]) -> None:
        """Without a schema the first element decides, or else the first valid row.

        The next rows settle types that are open, for instance by None.
        """
        is_list = origins[0][2] == 0
        first = rows[: origins[1][0] if is_list else 1]
        if self._do_not_fit(first):
            good = (row for row in rows if not self._do_not_fit([row]))
            first = list(islice(good, 1)) if self.may_pass_over else []
        if first:
            self._settle(completed(self._to_arrow(first).schema, rows), inferred=True)

    def _fits(self, row: Any, number: int, origins: list[_Origin]) -> bool:
        """Whether ``row`` can be written; if not, it is passed over or the stage fails."""
        try:
            self._to_arrow([row])
        except Exception as error:
            if not self.inlet.cancelled:
                self.survives(_explained(error, row), row, _position_of(number, origins))
            return False
        return True

    def _refuse_one_of(self, rows: list[Any], origins: list[_Origin], error: Exception) -> None:
        """Fail for the row that made ``rows`` raise ``error``, by the position of its element."""
        if issubclass(type(error), MemoryError):
            raise error
        number = bisect_left(
            range(len(rows) - 1), True, key=lambda n: self._do_not_fit(rows[: n + 1])
        )
        self._rows = [*rows[:number], *rows[number + 1 :]]  # they are held, and not written
        self.survives(_explained(error, rows[number]), rows[number], _position_of(number, origins))

    def _do_not_fit(self, rows: list[Any]) -> bool:
        try:
            self._to_arrow(rows)
        except Exception:
            return True
        return False

    def _to_arrow(self, rows: list[dict[str, Any]]) -> Any:
        self._check_columns(rows)
        return batch_of(rows, self._schema, given=self._given_schema is not None)

    def _check_columns(self, rows: list[dict[str, Any]]) -> None:
        """Without a schema of the user's, all rows have the same columns.

        Arrow would drop other columns, and write null for missing ones.
        """
        if self._given_schema is not None:
            return
        known = dict.fromkeys(self._schema.names if self._schema is not None else rows[0])
        for row in rows:
            if row.keys() != known.keys():
                raise ValueError(f"Sink.parquet: {_difference(row, known)}")

    def _write(self, data: Any, rows: list[Any]) -> None:
        """Write a record batch or a table, made of ``rows``; they are held if that fails."""
        schema = data.schema if self._written is None else self._written
        data = matched(data, schema)  # here, where it is the element that is at fault
        check_nulls(data)
        try:
            if self._pending is None:
                self._pending = self._open(schema)
            with self._pending.writing():
                if isinstance(data, _arrow().Table):
                    self._writer.write_table(data)
                else:
                    self._writer.write_batch(data)
        except WriteError:
            self._rows = rows
            raise
        self._rows_in_file += data.num_rows
        if self._rows_in_file >= self._rows_per_file:
            self._publish()

    def _open(self, schema: Any) -> PendingFile:
        from pyarrow import parquet

        check_names(schema.names)
        with naming(self._directory):
            pending = self._pending = self._new_file()
        with pending.writing():
            self._writer = parquet.ParquetWriter(str(pending.temporary), schema)
        return pending

    def _new_file(self) -> PendingFile:
        pending = PendingFile.part(self._directory, self._next_number(), ".parquet")
        self._number = number_of(pending.path) + 1
        return pending

    def _next_number(self) -> int:
        """The first part number that may be free: at first, the one after all existing files."""
        if self._number is None:  # to look for each file would be slower and slower
            self._number = self._parts.next_number()
        return self._number

    def _publish(self) -> None:
        if self._pending is None:
            return
        pending, writer = self._pending, self._writer
        if self._existing == "refuse" and not self._files:
            with naming(self._directory):
                self._parts.expect_none()  # of writers that take no hold on it
        with pending.writing():
            writer.close()
            pending.publish(self.context.committing)
        self._pending = self._writer = None
        self._files.append(str(pending.path))
        self._rows_published += self._rows_in_file
        self._rows_in_file = 0


def _position_of(number: int, origins: list[_Origin]) -> int:
    """Of the element that the row of this ``number`` came of."""
    first, position, step = origins[bisect_right(origins, number, key=itemgetter(0)) - 1]
    return position + (number - first) * step


def _difference(row: dict[str, Any], known: Mapping[str, Any]) -> str:
    """How the columns of ``row`` differ from the ``known`` ones."""
    extra = [name for name in row if name not in known]
    if extra:
        return (
            f"the first row has no column {few(map(repr_of, extra))}: give a schema that names "
            "the columns to write"
        )
    missing = few(repr_of(name) for name in known if name not in row)
    return (
        f"the row has no column {missing}, which the first row has: put None there, or give a "
        "schema, whose columns are null where a row lacks them"
    )


def _explained(error: Exception, row: Any) -> Exception:
    """``error``, or a better one if ``row`` is no dict."""
    if isinstance(row, Mapping):
        return error
    return TypeError(f"Sink.parquet: expected a list of dicts, got one with {repr_of(row)}")


def _as_table(element: Any) -> str:
    """What turns a table of another library into one of Arrow's."""
    if callable(getattr(element, "__arrow_c_stream__", None)):  # Arrow's protocol between libraries
        return ": write map(pyarrow.table) before the sink"
    return ""


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError(
            "Sink.parquet needs pyarrow: pip install 'actors-rs[spark]' or pyarrow"
        ) from error
    return pyarrow
