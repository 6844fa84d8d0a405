"""A disk that is full, for this process alone, and a run that writes to it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

from actors_rs import Graph, Sink
from actors_rs.delivery import Ledger, status
from actors_rs.errors import LedgerError
from actors_rs.spark import SparkSource

ROWS = 4
PLACES = ["a table beside the ledger", "a table in another file", "a data set", "the ledger"]


def wide(spark: SparkSession, partitions: int, growth: int) -> DataFrame:
    """``ROWS`` rows a partition, each ``growth`` times 64 bytes longer than the one before."""
    pieces = f"transform(sequence(0, {growth} * id), x -> sha2(string(id + x), 256))"
    text = f"concat_ws('', {pieces})"
    numbers = spark.range(0, ROWS * partitions, 1, partitions)
    return numbers.selectExpr("id AS n", f"{text} AS text")


class Output:
    """Where rows go to, and what has arrived there. ``place`` is one of ``PLACES``."""

    def __init__(self, folder: Path, place: str) -> None:
        self.place = place
        self.ledger = folder / "night.db"
        self.table = self.ledger if place == PLACES[0] else folder / "rows.db"
        self.files = folder / "rows"

    def graph(self, df: DataFrame) -> Graph[Any]:
        source = SparkSource.arrow(df, in_flight=2).resume(Ledger(self.ledger))
        if self.place == "a data set":
            return source.to(Sink.parquet(self.files))
        keeps_text = self.place != "the ledger"  # which then is what grows
        sink = Sink.sqlite(
            self.table,
            "INSERT INTO t VALUES (:n, :text)" if keeps_text else "INSERT INTO t VALUES (:n, '')",
            setup="CREATE TABLE IF NOT EXISTS t (n INTEGER, text TEXT)",
        )
        return source.flat_map(lambda batch: batch.to_pylist()).to(sink)

    def rows(self) -> list[int]:
        """What is durable."""
        if self.place == "a data set":
            files = sorted(self.files.glob("part-*.parquet"))
            return [n for file in files for n in pq.ParquetFile(file).read()["n"].to_pylist()]
        with closing(sqlite3.connect(self.table)) as database:
            try:
                return [n for (n,) in database.execute("SELECT n FROM t ORDER BY n")]
            except sqlite3.OperationalError:  # there was no room for the table itself
                return []

    def committed(self) -> list[int]:
        """The partitions that are acknowledged."""
        try:
            entries = status(self.ledger).partitions
        except LedgerError:
            return []
        return [entry.partition for entry in entries if entry.state == "committed"]


def rows_of(partitions: list[int]) -> list[int]:
    return [n for index in partitions for n in range(ROWS * index, ROWS * index + ROWS)]
