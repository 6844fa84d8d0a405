"""The Spark side: a listing of files becomes a DataFrame of census rows, computed on executors.

Nothing runs here. The DataFrame has one partition for every FILES_PER_PARTITION files, and Spark
computes a partition when it is asked for.
"""

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import DataFrame, SparkSession

import census
from census.extract import rows_of_file
from census.paths import SourceFile

FILES_PER_PARTITION = 32

# The columns of a row. Kind "function" leaves `reason` and `functions` empty; kind "file", one per
# parsed file, fills `functions` and is there so that a file without functions counts as well; kind
# "failure" fills `reason`.
COLUMNS = {
    "kind": "string",
    "file": "string",
    "package": "string",
    "qualified_name": "string",
    "line": "int",
    "end_line": "int",
    "arguments": "int",
    "branches": "int",
    "has_docstring": "boolean",
    "is_async": "boolean",
    "reason": "string",
    "functions": "int",
}
_ARROW = {"string": pa.string(), "int": pa.int32(), "boolean": pa.bool_()}
SCHEMA = pa.schema([(name, _ARROW[kind]) for name, kind in COLUMNS.items()])


def census_rows(spark: SparkSession, files: Sequence[SourceFile]) -> DataFrame:
    """The rows of all files. Executors need the files under the same names as the driver."""
    # Executors have no copy of this package: its functions travel inside the job.
    cloudpickle.register_pickle_by_value(census)  # type: ignore[no-untyped-call]
    listing = spark.sparkContext.broadcast(list(files))

    def measure(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            numbers = batch.column(0).to_pylist()
            rows = [row for i in numbers for row in rows_of_file(*listing.value[i])]
            yield pa.RecordBatch.from_pylist(rows, SCHEMA)

    partitions = -(-len(files) // FILES_PER_PARTITION)
    numbers = spark.range(0, len(files), 1, partitions)
    return numbers.mapInArrow(measure, ", ".join(f"{n} {kind}" for n, kind in COLUMNS.items()))
