"""parquet("functions/")

batch batch batch |

Gives the record batches of a Parquet file, or of all ``*.parquet`` and ``*.pq`` in a directory and
the directories in it, in the order of their paths. Names of directories (``year=2024/city=Ulm``)
become columns after the columns of the file, with the types of ``pyarrow.dataset``: ``int32`` if
all values of a key fit it, else text; ``__HIVE_DEFAULT_PARTITION__`` is null. Names that
begin with a dot or an underscore do not count. A directory that has other files only is an error.

Back-pressure: reads a batch when one is asked for, on a thread of its own.
Completes: at the end of the input.
Fails: when it cannot be read, or has no such column, with the file (ReadError).
Cancels: closes the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from actors_rs.errors import MissingExtraError
from actors_rs.stages.files.bytes_read import BytesRead, size_of
from actors_rs.stages.files.reading import reading
from actors_rs.stages.source import IteratorSource
from actors_rs.stages.sources.files.parquet_files import files_in, partition_values, with_values
from actors_rs.texts import did_you_mean, few, repr_of


class Parquet(IteratorSource):
    """``pyarrow.RecordBatch`` after ``pyarrow.RecordBatch``, each of up to ``rows`` rows."""

    def __init__(self, path: str | PathLike[str], columns: list[str] | None, rows: int) -> None:
        super().__init__()
        self._path = Path(path)
        self._columns = columns
        self._rows = rows
        self._read = BytesRead()

    def elements(self) -> Iterator[Any]:
        if not self._path.is_dir():
            self._read.total = size_of([self._path])
            yield from self._batches(self._path, {})
            return
        files = files_in(self._path)
        self._read.total = size_of(files)
        values = partition_values(self._path, files)
        for path in files:
            yield from self._batches(path, values[path])

    def _batches(self, path: Path, values: dict[str, Any]) -> Iterator[Any]:
        """The batches of one file, each with ``values`` from the names of its directories."""
        parquet, names = arrow_parquet(), self._columns
        if names is not None:
            values = {name: value for name, value in values.items() if name in names}
            names = [name for name in names if name not in values]
        with reading(path), parquet.ParquetFile(path) as file:
            expect_columns(names or [], file)
            before, size, rows = self._read.done, size_of([path]) or 0, 0
            for batch in file.iter_batches(batch_size=self._rows, columns=names):
                rows += batch.num_rows
                self._read.done = before + size * rows // max(1, file.metadata.num_rows)
                yield with_values(batch, values) if values else batch
            self._read.done = before + size

    def details(self) -> dict[str, Any]:
        return self._read.details()


def expect_columns(names: list[str], file: Any) -> None:
    """Raise ``ValueError`` for a name that the ``ParquetFile`` does not have: Arrow passes it over.

    ``"a.b"`` is a field of the column ``a``, as for Arrow.
    """
    paths = [file.schema.column(number).path.split(".") for number in range(len(file.schema))]
    known = {".".join(path[:depth]) for path in paths for depth in range(1, len(path) + 1)}
    if missing := [name for name in names if name not in known]:
        there = file.schema_arrow.names
        raise ValueError(
            f"expected a column {few(map(repr_of, missing))}, found {few(map(repr_of, there))}"
            f"{did_you_mean(there, missing[0])}"
        )


def arrow_parquet() -> Any:
    """``pyarrow.parquet``; raises ``MissingExtraError`` where it is not installed."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError(
            "Source.parquet needs pyarrow: pip install 'actors-rs[spark]' or pyarrow"
        ) from error
    return parquet
