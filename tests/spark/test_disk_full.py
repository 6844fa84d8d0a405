"""A full disk, at a sink or at the ledger: nothing that is not durable counts as done."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem, Graph
from actors_rs.errors import ActorsRsError
from tests.room import no_file_beyond
from tests.spark.full_disk import PLACES, Output, rows_of, wide
from tests.spark.jobs import until, waiting_for

pytestmark = pytest.mark.spark

PARTITIONS = 12
SECONDS = 60.0


@pytest.mark.parametrize("place", PLACES[:3])
def test_a_run_fails_naming_the_file_and_is_resumed_when_there_is_space(
    spark: SparkSession, system: ActorSystem, tmp_path: Path, place: str
) -> None:
    output = Output(tmp_path, place)
    # A file of the data set is to be full before the ledger is.
    growth, room = (30, 150_000) if place == "a data set" else (8, 100_000)
    graph = output.graph(wide(spark, PARTITIONS, growth))
    with no_file_beyond(room):
        with pytest.raises(ActorsRsError, match="could not write") as caught:
            system.start(graph).result(SECONDS)
        full = {PLACES[0]: output.ledger, PLACES[1]: output.table, PLACES[2]: output.files}
        assert str(full[place]) in str(caught.value)
    resumed(system, graph, output)


def test_a_ledger_that_is_full_fails_the_run_which_is_resumed_when_there_is_space(
    spark: SparkSession, system: ActorSystem, tmp_path: Path
) -> None:
    """How much it grows depends on how fast the disk is: what waits is one transaction."""
    output = Output(tmp_path, PLACES[3])
    df = wide(spark, PARTITIONS, 1)
    graph = output.graph(df.mapInArrow(waiting_for(tmp_path, {PARTITIONS // 2: "full"}), df.schema))
    run = system.start(graph)
    until(output.committed)
    files = tmp_path.glob(f"{output.ledger.name}*")
    with no_file_beyond(max(file.stat().st_size for file in files)):
        (tmp_path / "full").touch()
        with pytest.raises(ActorsRsError, match="could not write") as caught:
            run.result(SECONDS)
        assert str(output.ledger) in str(caught.value)
    resumed(system, graph, output)


def resumed(system: ActorSystem, graph: Graph[Any], output: Output) -> None:
    """Run ``graph`` to its end, behind a run that has written some of it."""
    done = output.committed()
    assert 0 < len(done) < PARTITIONS
    assert set(rows_of(done)) <= set(output.rows()), "something was acknowledged that is not there"
    system.start(graph).result(SECONDS)
    assert output.rows() == rows_of(list(range(PARTITIONS)))
    assert output.committed() == list(range(PARTITIONS))
