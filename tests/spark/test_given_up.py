"""A partition that is given up in two starts: what events and the log say of its attempts."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Backoff, Sink
from actors_rs.delivery import Ledger
from actors_rs.observability import JsonLines
from actors_rs.observability.given_up import GivenUp
from actors_rs.runtime.eventing.events import Event
from actors_rs.spark import SparkSource

pytestmark = pytest.mark.spark

SECONDS = 240.0


def failing(batches: Any) -> Any:
    """Partition 1 always raises."""
    from pyspark import TaskContext

    if TaskContext.get().partitionId() == 1:  # type: ignore[union-attr]
        raise ValueError("bad value")
    yield from batches


def test_attempts_of_this_start_are_told_from_those_of_all_starts_and_the_log_has_the_partition(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    df = spark.range(0, 10, numPartitions=2).mapInArrow(failing, "id long")
    source = SparkSource.arrow(
        df, max_attempts=2, backoff=Backoff(0.01, 0.01), on_poison="dead_letter"
    )
    graph = source.resume(Ledger(tmp_path / "l")).to(Sink.parquet(tmp_path / "out"))
    system.start(graph).result(SECONDS)
    heard: list[Event] = []
    system.events.listen(heard.append)
    given_up = GivenUp(system)
    system.start(graph).result(SECONDS)
    fields = {one.name: one.fields for one in heard if one.name.startswith("partition_")}
    assert (fields["partition_retried"]["attempt"], fields["partition_retried"]["reason"]) == (
        1,
        "failed",
    )
    assert fields["partition_retried"]["attempts_in_all"] == 3
    retries = [one for one in caplog.records if one.getMessage().startswith("partition_retried")]
    assert {one.levelno for one in retries} == {logging.WARNING}
    assert dict(fields["partition_given_up"]) == {"attempt": 2, "attempts_in_all": 4}
    assert "(2 attempts in this start, 4 in all)" in given_up.said()
    lines = [
        json.loads(JsonLines().format(record))
        for record in caplog.records
        if record.name == "actors_rs.dead_letters" and record.levelno == logging.WARNING
    ]
    assert [line["partition"] for line in lines] == [1, 1]
    assert (
        "given up after 2 attempts in this start, 4 in all (a PoisonPartition)"
        in (lines[1]["message"])
    )
