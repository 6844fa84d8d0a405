# mypy: disable-error-code="no-untyped-def"
"""A partition's rows through batches and branches: it is committed behind the last of them."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Graph, Sink
from actors_rs.delivery import Ledger
from actors_rs.errors import StageError
from actors_rs.spark import SparkSource
from tests.spark.test_resume import INSERT, SECONDS, SETUP, numbers, rows_in, states, values

pytestmark = pytest.mark.spark

PARTITIONS = 4
LAST = 5 * PARTITIONS - 1


def test_a_partition_is_committed_behind_all_its_batches_and_all_branches(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    path, rows, out = (tmp_path / name for name in ("night.ledger", "rows.db", "out"))
    broken = [LAST]

    def check(row: tuple[int]) -> tuple[int]:
        if row[0] in broken:
            raise ValueError("the last branch cannot take it")
        return row

    source = SparkSource.arrow(numbers(spark, PARTITIONS), in_flight=2, ordered=False)
    whole, single = source.resume(Ledger(path)).broadcast(2)
    batched, checked = single.flat_map(values).broadcast(2)
    graph = Graph(
        whole.to(Sink.parquet(out)),
        batched.batch(3).flat_map(lambda three: three).to(Sink.sqlite(rows, INSERT, setup=SETUP)),
        checked.map(check).filter(lambda row: row[0] % 2).to(Sink.count()),
    )
    with pytest.raises(StageError, match="the last branch cannot take it"):
        system.start(graph).result(SECONDS)
    assert states(path)[LAST // 5] != "committed"
    broken.clear()
    system.start(graph).result(SECONDS)
    assert states(path) == ["committed"] * PARTITIONS
    assert rows_in(rows) == list(range(LAST + 1))
    assert pq.read_table(out).column(0).to_pylist() == list(range(LAST + 1))
