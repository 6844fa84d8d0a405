"""The findings of a census, read back from its outputs; counts nothing else."""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions when imported)

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from actors_rs import WriteReport
from census.outputs import Outputs

MOST_COMPLEX = 10


def files_in(outputs: Outputs) -> int:
    """How many parsed files the packages table accounts for."""
    with closing(sqlite3.connect(outputs.packages)) as database:
        (files,) = database.execute("SELECT COALESCE(SUM(files), 0) FROM packages").fetchone()
    return int(files)


def most_complex(files: tuple[str, ...], count: int = MOST_COMPLEX) -> list[dict[str, object]]:
    """The functions with the most branches in the Parquet files, most first."""
    columns = ["branches", "package", "qualified_name", "file", "line"]
    # Ten of each file hold the ten of all, and one file at a time keeps memory bounded.
    tops = [_top(pq.read_table(file, columns=columns, partitioning=None), count) for file in files]  # pyright: ignore[reportArgumentType]
    return _top(pa.concat_tables(tops), count).to_pylist() if tops else []


def _top(table: pa.Table, count: int) -> pa.Table:
    order = [("branches", "descending"), ("file", "ascending"), ("line", "ascending")]
    return table.take(pc.select_k_unstable(table, min(count, len(table)), order))


def summarize(
    parquet: WriteReport, failures: WriteReport, outputs: Outputs, listed: int, seconds: float
) -> Iterator[str]:
    """The lines to print. `listed` is how many files there were to read."""
    files = files_in(outputs)
    yield f"files      {files:,}"
    yield f"functions  {parquet.rows:,}"
    yield f"failures   {failures.rows:,}"
    yield f"seconds    {seconds:.1f}"
    if files + failures.rows < listed:
        yield f"stopped early: {files + failures.rows:,} of {listed:,} files are in the outputs"
    if top := most_complex(parquet.files):
        yield ""
        yield "most complex functions, by branches"
        for row in top:
            yield f"  {row['branches']:>5}  {row['qualified_name']}  {row['file']}:{row['line']}"
    yield ""
    yield f"wrote {outputs.functions}  one row per function"
    yield f"wrote {outputs.packages}  sums per package"
    yield f"wrote {outputs.failures}  files that failed, and why"
