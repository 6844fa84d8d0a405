"""The actor graph of the census: from Arrow batches to three outputs.

    Spark -> split -+-> measured -> digest -> copy -+-> functions -> batch -> Parquet
                    |                               +-> per package -> SQLite
                    +-> failures -> JSON lines

An element is a RecordBatch as long as possible, so that Arrow's compiled functions do the work
on rows and an actor takes a thousand rows in one step.
"""

# pyright: reportAttributeAccessIssue=false
# (pyarrow.compute makes its functions when imported)

import hashlib
from typing import Any

import pyarrow as pa
import pyarrow.acero
import pyarrow.compute as pc

from actors_rs import Graph, Sink, Source
from census.extract import read
from census.job import SCHEMA
from census.outputs import Outputs

BATCHES_PER_WRITE = 8
SECONDS_PER_WRITE = 1.0
DIGESTS_AT_ONCE = 4
UPDATES_PER_COMMIT = 50
ROWS_PER_FILE = 50_000

_STORED = ["file", "package", "qualified_name", "line", "end_line"]
_STORED += ["arguments", "branches", "has_docstring", "is_async"]
FUNCTIONS = pa.schema([SCHEMA.field(name) for name in _STORED]).append(
    pa.field("sha256", pa.string())
)

PACKAGES = """
CREATE TABLE packages (
    package         TEXT PRIMARY KEY,
    files           INTEGER NOT NULL,
    functions       INTEGER NOT NULL,
    async_functions INTEGER NOT NULL,
    with_docstring  INTEGER NOT NULL,
    branches        INTEGER NOT NULL,
    max_branches    INTEGER NOT NULL
)
"""

ADD_TO_PACKAGE = """
INSERT INTO packages VALUES
    (:package, :files, :functions, :async_functions, :with_docstring, :branches, :max_branches)
ON CONFLICT (package) DO UPDATE SET
    files = files + excluded.files,
    functions = functions + excluded.functions,
    async_functions = async_functions + excluded.async_functions,
    with_docstring = with_docstring + excluded.with_docstring,
    branches = branches + excluded.branches,
    max_branches = MAX(max_branches, excluded.max_branches)
"""


def census_graph(batches: Source[pa.RecordBatch], outputs: Outputs) -> Graph[tuple[Any, ...]]:
    """The whole job; its result is (Parquet report, number of SQLite rows, failures report)."""
    good, bad = batches.named("spark").broadcast(2, name="split")
    measured = good.map(measured_rows).named("measured")
    digested = measured.map_async(with_digest, DIGESTS_AT_ONCE).named("digest")
    rows, counts = digested.broadcast(2, name="copy")
    return Graph(
        rows.map(functions)
        .named("functions")
        .batch(BATCHES_PER_WRITE, within=SECONDS_PER_WRITE)
        .map(pa.Table.from_batches)
        .named("table")
        .to(Sink.parquet(outputs.functions, FUNCTIONS, rows_per_file=ROWS_PER_FILE)),
        counts.flat_map(per_package)
        .named("per package")
        .to(
            Sink.sqlite(outputs.packages, ADD_TO_PACKAGE, batch=UPDATES_PER_COMMIT, setup=PACKAGES)
        ),
        bad.flat_map(failures).named("failures").to(Sink.jsonl(outputs.failures)),
    )


def measured_rows(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The rows of files that could be parsed."""
    return batch.filter(pc.not_equal(batch["kind"], "failure"))


def failures(batch: pa.RecordBatch) -> list[dict[str, str]]:
    """One JSON object for each file that could not."""
    failed = batch.filter(pc.equal(batch["kind"], "failure"))
    rows: list[dict[str, str]] = failed.select(["file", "reason"]).to_pylist()
    return rows


def with_digest(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Add column `sha256`, of the bytes of the row's file; each file of the batch is read once."""
    files = batch["file"].dictionary_encode()
    digests = pa.array([digest(name) for name in files.dictionary.to_pylist()], pa.string())
    return batch.append_column("sha256", digests.take(files.indices))


def digest(file: str) -> str | None:
    """SHA-256 of the file in hex; None when it went away since it was parsed."""
    try:
        return hashlib.sha256(read(file)).hexdigest()
    except OSError:
        return None


def functions(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The function rows, with the columns that are stored."""
    return batch.filter(pc.equal(batch["kind"], "function")).select(FUNCTIONS.names)


def per_package(batch: pa.RecordBatch) -> list[dict[str, object]]:
    """The batch's additions to each package, as parameters of ADD_TO_PACKAGE."""
    is_file = pc.equal(batch["kind"], "file")
    numbers = {
        "files": is_file,
        "functions": pc.invert(is_file),
        "async_functions": batch["is_async"],
        "with_docstring": batch["has_docstring"],
        "branches": batch["branches"],
        "max_branches": batch["branches"],
    }
    how = {name: "max" if name == "max_branches" else "sum" for name in numbers}
    table = pa.table({"package": batch["package"]} | {n: _count(c) for n, c in numbers.items()})
    grouped = table.group_by("package", use_threads=False).aggregate(list(how.items()))
    stored = ["package", *(f"{name}_{function}" for name, function in how.items())]
    named = grouped.select(stored).rename_columns(["package", *numbers])
    rows: list[dict[str, object]] = named.to_pylist()
    return rows


def _count(column: pa.Array) -> pa.Array:
    """Truth values as 0 and 1; nothing, as in the branches of a file row, as 0."""
    return pc.fill_null(column.cast(pa.int64()), 0)
