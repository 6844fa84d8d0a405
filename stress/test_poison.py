"""Poison among many partitions: each is given up by itself, and all others are delivered."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Backoff, Sink
from actors_rs.delivery import Ledger, status
from actors_rs.spark import PoisonPartition, SparkSource

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

PARTITIONS = 1_000
EVERY = 10
ROWS = 10
ATTEMPTS = 3


def test_a_hundred_poison_partitions_of_a_thousand_are_given_up_and_all_others_complete(
    spark: SparkSession, tmp_path: Path
) -> None:
    poison = f"id % {EVERY * ROWS} < {ROWS}"
    df = spark.range(0, PARTITIONS * ROWS, 1, PARTITIONS).selectExpr(
        f"if({poison}, raise_error(concat('bad row ', id)), id) AS id"
    )
    source = SparkSource.arrow(
        df,
        in_flight=4,
        ordered=False,
        max_attempts=ATTEMPTS,
        on_poison="dead_letter",
        backoff=Backoff(0.01, 0.05),
    ).resume(Ledger(tmp_path / "ledger"))
    with ActorSystem() as system:
        graph = source.map(lambda batch: batch.num_rows).to(Sink.sum())
        rows = system.start(graph).result(800)
    poisoned = range(0, PARTITIONS, EVERY)
    assert rows == (PARTITIONS - len(poisoned)) * ROWS
    letters = [letter.what for letter in system.dead_letters.recent()]
    assert letters
    for letter in letters:
        assert isinstance(letter, PoisonPartition)
        assert letter.attempts == ATTEMPTS
        assert f"bad row {letter.partition * ROWS}" in letter.cause
    entries = status(tmp_path / "ledger").partitions
    assert [e.partition for e in entries if e.state == "poison"] == list(poisoned)
    assert sum(e.state == "committed" for e in entries) == PARTITIONS - len(poisoned)
    print(f"{len(poisoned)} given up, {sum(e.attempts for e in entries)} attempts")
