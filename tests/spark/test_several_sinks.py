"""A partition whose rows go to several sinks: each of them has all of its rows, once."""

import sqlite3
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Graph, Sink
from actors_rs.delivery import Ledger
from actors_rs.delivery.ledger import status
from actors_rs.errors import StageError
from actors_rs.spark import SparkSource
from tests.spark.test_resume import SECONDS, numbers, values

pytestmark = pytest.mark.spark


def table(path: Path, name: str) -> Sink[Any, int]:
    setup = f"CREATE TABLE IF NOT EXISTS {name} (n INTEGER)"
    return Sink.sqlite(path, f"INSERT INTO {name} VALUES (?)", setup=setup)


def in_table(path: Path, name: str) -> list[int]:
    with sqlite3.connect(path) as database:
        rows = [n for (n,) in database.execute(f"SELECT n FROM {name} ORDER BY n")]
    database.close()
    return rows


def odd_and_even(source: Any, odd: Any, even: Any) -> Graph[Any]:
    evens, odds = source.flat_map(values).partition(2, lambda row: row[0] % 2)
    return Graph(odds.to(odd), evens.to(even))


@pytest.mark.parametrize("place", ["the same file", "another file"])
def test_two_tables_of_one_database_both_get_their_rows_once(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, place: str
) -> None:
    rows = tmp_path / "rows.db"
    path = rows if place == "the same file" else tmp_path / "night.ledger"
    source = SparkSource.arrow(numbers(spark, 4), in_flight=4, ordered=False).resume(Ledger(path))
    graph = odd_and_even(source, table(rows, "odd"), table(rows, "even"))
    for _ in range(2):
        system.start(graph).result(SECONDS)
        assert in_table(rows, "odd") == list(range(1, 20, 2))
        assert in_table(rows, "even") == list(range(0, 20, 2))
        assert status(path).counts["committed"] == 4
        forget(path)


def forget(path: Path) -> None:
    """As if the process had died before the ledger was told."""
    with sqlite3.connect(path) as database:
        database.execute("UPDATE ledger_partitions SET state = 'running'")
    database.close()


def test_two_parquet_sinks_cannot_share_a_directory(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    source = SparkSource.arrow(numbers(spark, 2)).resume(Ledger(tmp_path / "l"))
    odds, evens = source.broadcast(2)
    graph = Graph(odds.to(Sink.parquet(tmp_path / "o")), evens.to(Sink.parquet(tmp_path / "o")))
    with pytest.raises(StageError, match="that no other sink is writing to"):
        system.start(graph).result(SECONDS)


def test_a_table_and_a_data_set_hold_the_same_rows(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    rows, out = tmp_path / "rows.db", tmp_path / "out"
    source = SparkSource.arrow(numbers(spark, 3), in_flight=2).resume(Ledger(rows))
    batches, more = source.broadcast(2)
    graph = Graph(batches.to(Sink.parquet(out)), more.flat_map(values).to(table(rows, "t")))
    for _ in range(2):
        system.start(graph).result(SECONDS)
        assert pq.read_table(out).column(0).to_pylist() == list(range(15))
        assert in_table(rows, "t") == list(range(15))
        forget(rows)
