"""parquet("functions/")

batch batch batch |

Gives the record batches of a Parquet file, or of all ``*.parquet`` in a directory in the order of
their names. A directory that has other files only, or directories, as a partitioned data set has,
is an error; names that begin with a dot or an underscore do not count.

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
from actors_rs.stages.reading import reading
from actors_rs.stages.source import IteratorSource
from actors_rs.texts import repr_of


class Parquet(IteratorSource):
    """``pyarrow.RecordBatch`` after ``pyarrow.RecordBatch``, each of up to ``rows`` rows."""

    def __init__(self, path: str | PathLike[str], columns: list[str] | None, rows: int) -> None:
        super().__init__()
        self._path = Path(path)
        self._columns = columns
        self._rows = rows

    def elements(self) -> Iterator[Any]:
        parquet = arrow_parquet()
        for path in self._files():
            with reading(path), parquet.ParquetFile(path) as file:
                expect_columns(self._columns or [], file)
                yield from file.iter_batches(batch_size=self._rows, columns=self._columns)

    def _files(self) -> list[Path]:
        if not self._path.is_dir():
            return [self._path]
        with reading(self._path):  # a glob passes over what may not be read
            entries = sorted(one for one in self._path.iterdir() if one.name[0] not in "._")
            files = [one for one in entries if one.suffix == ".parquet" and not one.is_dir()]
            others = [one for one in entries if one.is_dir()] or (entries if not files else [])
            if others:
                raise ValueError(
                    f"expected files *.parquet in the directory, found {repr_of(others[0].name)}: "
                    "read those that you want with Source.files(pattern).flat_map(Source.parquet)"
                )
        return files


def expect_columns(names: list[str], file: Any) -> None:
    """Raise ``ValueError`` for a name that the ``ParquetFile`` does not have: Arrow passes it over.

    ``"a.b"`` is a field of the column ``a``, as for Arrow.
    """
    paths = [file.schema.column(number).path.split(".") for number in range(len(file.schema))]
    known = {".".join(path[:depth]) for path in paths for depth in range(1, len(path) + 1)}
    if missing := [name for name in names if name not in known]:
        told, there = (", ".join(map(repr_of, some)) for some in (missing, file.schema_arrow.names))
        raise ValueError(f"expected a column {told}, found {there}")


def arrow_parquet() -> Any:
    """``pyarrow.parquet``; raises ``MissingExtraError`` where it is not installed."""
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError(
            "Source.parquet needs pyarrow: pip install 'actors-rs[spark]' or pyarrow"
        ) from error
    return parquet
