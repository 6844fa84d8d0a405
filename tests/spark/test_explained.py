"""``explain()`` of a graph says how its Spark source computes partitions."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from actors_rs import Sink
from actors_rs.delivery import Ledger
from actors_rs.spark import SparkSource

pytestmark = pytest.mark.spark


def test_policy_in_flight_and_ledger_are_explained(spark: SparkSession, tmp_path: Path) -> None:
    source = SparkSource.arrow(
        spark.range(8), in_flight=3, max_attempts=4, on_poison="dead_letter", partition_timeout=30
    )
    resumed = source.resume(Ledger(tmp_path / "l"), verify=0.1)
    text = resumed.to(Sink.parquet(tmp_path / "out")).explain()
    _, _, said = text.partition("Partitions: how a source computes them\n")
    assert said.splitlines() == [
        "  spark_arrow: at most 3 partitions in flight, given in order",
        "  spark_arrow: 4 attempts at a partition, then it is a dead letter "
        "(on_poison='dead_letter')",
        "  spark_arrow: a second attempt beside one that gave nothing for 30 s; both have failed "
        "after 60 s",
        f"  spark_arrow: ledger {tmp_path / 'l'}: a run that starts again skips committed "
        "partitions, and computes 10 % of them again to verify them",
    ]


def test_a_source_without_a_ledger_says_so(spark: SparkSession) -> None:
    text = SparkSource.rows(spark.range(8), ordered=False).to(Sink.list()).explain()
    assert "at most 2 partitions in flight, given as they are ready" in text
    assert "1 attempt at a partition, then the run fails (on_poison='fail')" in text
    assert "no ledger: a run that starts again computes all partitions" in text
