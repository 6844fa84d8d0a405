"""Fan-out over Spark with poison data: one damaged file must not stop the night's work.

    python examples/spark_fan_out.py

Each weather station has a file of readings. Spark's executors read and convert the files, a
partition for each station, and the rows go into a table of SQLite. One file is damaged: its
partition fails at each attempt and is set aside, and the others are written. A ledger says which
partitions are done. When the file is repaired, the same job computes that partition alone: its
number comes from ``spark.range``, and not from the sizes of the files.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from actors_rs import ActorSystem, Backoff, Graph, Sink
from actors_rs.delivery import Ledger, status
from actors_rs.spark import SparkSource, local_session

STATIONS, HOURS, DAMAGED = 16, 100, 11
CREATE = "CREATE TABLE IF NOT EXISTS readings (station INTEGER, hour INTEGER, celsius REAL)"
INSERT = "INSERT INTO readings VALUES (?, ?, ?)"


def write_file(folder: Path, station: int, damaged: bool = False) -> None:
    """The readings of a station in Fahrenheit, the same in each run of this program."""
    dice = Random(station)
    values = [f"{dice.uniform(10, 90):.1f}" for _ in range(HOURS)]
    if damaged:
        values[50] = "5#.3"
    (folder / f"{station}.txt").write_text("\n".join(values))


def converted(folder: Path, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The readings of the stations in ``batches``, in Celsius. Runs on an executor."""
    for batch in batches:
        for station in batch.column(0).to_pylist():
            fahrenheit = map(float, (folder / f"{station}.txt").read_text().splitlines())
            celsius = [round((value - 32) / 1.8, 2) for value in fahrenheit]
            columns = [[station] * len(celsius), list(range(len(celsius))), celsius]
            yield pa.record_batch(columns, ["station", "hour", "celsius"])


def readings(spark: SparkSession, folder: Path) -> DataFrame:
    """A DataFrame of all readings, with a partition for each station. Nothing is computed yet."""
    stations = spark.range(0, STATIONS, numPartitions=STATIONS)
    return stations.mapInArrow(
        partial(converted, folder), "station long, hour long, celsius double"
    )


def rows_of(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """The rows of a batch as tuples."""
    return zip(*(column.to_pylist() for column in batch.columns), strict=True)


def night(frame: DataFrame, database: Path) -> Graph[int]:
    """The job. The ledger lies in the database, so its entries are committed with the rows."""
    return (
        SparkSource.arrow(
            frame,
            in_flight=4,
            ordered=False,
            max_attempts=2,
            backoff=Backoff(0.1, maximum=5.0),
            on_poison="dead_letter",
        )
        .resume(Ledger(database))
        .flat_map(rows_of)
        .to(Sink.sqlite(database, INSERT, setup=CREATE))
    )


def start(spark: SparkSession, folder: Path) -> None:
    """Run the job once, and say what the ledger has afterwards."""
    database = folder / "night.db"
    with ActorSystem() as system:
        rows = system.start(night(readings(spark, folder), database)).result()
    counts = status(database).counts
    print(f"{rows} rows written; committed: {counts['committed']}, poison: {counts['poison']}")


def main(folder: Path) -> None:
    """A night with a damaged file, the repair, and the same job again."""
    for station in range(STATIONS):
        write_file(folder, station, damaged=station == DAMAGED)
    with local_session("stations", master="local[2]") as spark:
        start(spark, folder)
        write_file(folder, DAMAGED)
        start(spark, folder)
    with closing(sqlite3.connect(folder / "night.db")) as database:
        query = "SELECT COUNT(*), COUNT(DISTINCT station), ROUND(AVG(celsius), 2) FROM readings"
        ((rows, stations, mean),) = database.execute(query)
    print(f"{rows} rows of {stations} stations, {mean} degrees on average")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        main(Path(temporary))
