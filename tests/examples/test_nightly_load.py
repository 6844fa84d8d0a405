"""examples/nightly_load.py: whenever it is killed, each sale is in the database once at the end."""

import csv
import signal
import subprocess
import sys
import time

import nightly_load as example


def sales(folder):
    rows = [row for file in folder.glob("*.csv") for row in csv.DictReader(file.open(newline=""))]
    return sorted((row["id"], row["shop"], int(row["cents"])) for row in rows)


def loaded(folder):
    return sorted(example.query(folder / "sales.db", "SELECT * FROM sales"))


def test_a_load_that_was_killed_is_completed_by_the_next_one(tmp_path):
    example.write_files(tmp_path)
    example.load_and_be_killed(tmp_path)
    before = example.files_in(tmp_path / "sales.db")
    assert 1 <= before < len(example.SHOPS)
    assert example.load(tmp_path) == example.ROWS * (len(example.SHOPS) - before)
    assert loaded(tmp_path) == sales(tmp_path)
    assert example.files_in(tmp_path / "sales.db") == len(example.SHOPS)


def test_a_kill_between_the_rows_and_the_name_of_the_file_does_no_harm(tmp_path):
    example.write_files(tmp_path)
    example.load(tmp_path)
    example.query(tmp_path / "sales.db", "DELETE FROM loaded WHERE file = 'jena.csv'")
    assert example.load(tmp_path) == example.ROWS
    assert loaded(tmp_path) == sales(tmp_path)
    assert example.load(tmp_path) == 0


def test_a_load_that_gets_a_signal_stops_inside_its_file_and_the_next_one_loads_it(tmp_path):
    example.write_files(tmp_path)
    database = tmp_path / "sales.db"
    night = subprocess.Popen([sys.executable, example.__file__, str(tmp_path)])
    try:
        while not database.exists() or not example.files_in(database):
            assert night.poll() is None
            time.sleep(0.01)
        night.send_signal(signal.SIGTERM)
        assert night.wait(30) == 128 + signal.SIGTERM
    finally:
        night.kill()
    files = example.files_in(database)
    assert 1 <= files < len(example.SHOPS)
    assert len(loaded(tmp_path)) == files * example.ROWS
    assert example.load(tmp_path) == example.ROWS * (len(example.SHOPS) - files)
    assert loaded(tmp_path) == sales(tmp_path)
