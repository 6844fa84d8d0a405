"""examples/nightly_load.py: whenever it is killed, each sale is in the database once at the end."""

import csv

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
