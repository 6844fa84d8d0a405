"""Disks that are full sooner or later, again and again until all is written."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from actors_rs import ActorSystem
from actors_rs.errors import ActorsRsError
from tests.room import no_file_beyond
from tests.spark.full_disk import PLACES, Output, rows_of, wide

pytestmark = [pytest.mark.spark, pytest.mark.timeout(600)]

PARTITIONS = 40
SECONDS = 60.0
FIRST, MORE = 10_000, 1.2


@pytest.mark.parametrize("place", PLACES)
def test_a_run_that_meets_a_full_disk_again_and_again_loses_and_doubles_nothing(
    spark: SparkSession, tmp_path: Path, place: str
) -> None:
    output = Output(tmp_path, place)
    graph = output.graph(wide(spark, PARTITIONS, 16))
    failures, room = 0, FIRST
    while len(output.committed()) < PARTITIONS:
        with ActorSystem() as system, no_file_beyond(room):
            run = system.start(graph)
            assert run.wait(SECONDS)
            if run.state == "failed":
                failures += 1
                with pytest.raises(ActorsRsError, match=str(tmp_path)):
                    run.result()
        assert set(rows_of(output.committed())) <= set(output.rows())
        room = int(room * MORE)
    assert failures
    assert output.rows() == rows_of(list(range(PARTITIONS)))
    print(f"{place}: full {failures} times, done within {room / MORE:,.0f} bytes")
