"""A full disk, at a sink or at the ledger: nothing that is not durable counts as done."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem
from actors_rs.errors import ActorsRsError
from tests.spark.full_disk import PLACES, Output, no_file_beyond, rows_of, wide

pytestmark = pytest.mark.spark

PARTITIONS = 12
SECONDS = 60.0


@pytest.mark.parametrize("place", PLACES)
def test_a_run_fails_naming_the_file_and_is_resumed_when_there_is_space(
    spark: SparkSession,
    system: ActorSystem,
    tmp_path: Path,
    place: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A ledger grows with its transactions, so that they have to be many for few partitions.
    monkeypatch.setattr("actors_rs.spark.supervised.REST_SECONDS", 0.0)
    output = Output(tmp_path, place)
    # A file of the data set is to be full before the ledger is.
    growth, room = (30, 150_000) if place == "a data set" else (8, 100_000)
    graph = output.graph(wide(spark, PARTITIONS, growth))
    with no_file_beyond(room):
        with pytest.raises(ActorsRsError, match="could not write") as caught:
            system.start(graph).result(SECONDS)
        full = {PLACES[0]: output.ledger, PLACES[2]: output.files, PLACES[3]: output.ledger}
        assert str(full.get(place, output.table)) in str(caught.value)
    done = output.committed()
    assert 0 < len(done) < PARTITIONS
    assert set(rows_of(done)) <= set(output.rows()), "something was acknowledged that is not there"
    system.start(graph).result(SECONDS)
    assert output.rows() == rows_of(list(range(PARTITIONS)))
    assert output.committed() == list(range(PARTITIONS))
