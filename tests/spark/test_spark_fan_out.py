"""examples/spark_fan_out.py: a damaged file costs its own rows, and only until it is repaired."""

import sqlite3
from contextlib import closing

import pyarrow as pa
import pytest

import spark_fan_out as example
from actors_rs.delivery import status


def stations_in(database):
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT station, COUNT(*) FROM readings GROUP BY station")
        return dict(rows.fetchall())


@pytest.mark.spark
def test_a_damaged_file_is_set_aside_and_computed_alone_after_its_repair(tmp_path, spark, capsys):
    spark.sparkContext.addPyFile(example.__file__)  # here it is a module, not the main program
    for station in range(example.STATIONS):
        example.write_file(tmp_path, station, damaged=station == example.DAMAGED)
    example.start(spark, tmp_path)
    database = tmp_path / "night.db"
    good = {n: example.HOURS for n in range(example.STATIONS) if n != example.DAMAGED}
    assert stations_in(database) == good
    (poison,) = [one for one in status(database).partitions if one.state == "poison"]
    assert "5#.3" in str(poison.last_error)
    example.write_file(tmp_path, example.DAMAGED)
    example.start(spark, tmp_path)
    assert stations_in(database) == good | {example.DAMAGED: example.HOURS}
    assert f"\n{example.HOURS} rows written" in capsys.readouterr().out


def test_fahrenheit_becomes_celsius(tmp_path):
    (tmp_path / "3.txt").write_text("32.0\n212.0\n")
    batch = pa.record_batch([[3]], ["id"])
    (celsius,) = example.converted(tmp_path, iter([batch]))
    assert list(example.rows_of(celsius)) == [(3, 0, 0.0), (3, 1, 100.0)]
