"""``actors-rs status``: what a ledger says of a run, for people and for programs."""

import json

import pytest

from actors_rs.cli import main
from actors_rs.delivery.ledger import Ledger, Plan
from actors_rs.delivery.schema import Entry, Report
from actors_rs.delivery.telling import told


@pytest.fixture
def ledger(tmp_path):
    """A run that was ended with one partition committed, one poison, one failed and one left."""
    path = tmp_path / "night.ledger"
    run = Ledger(path).open(Plan("id: int64", 4, "Range"))
    for partition in (0, 1, 1):
        run.begun(partition)
    run.commit(0, rows=1500, size=12_000)
    run.failed(1, "ValueError: no such customer", poison=True)
    run.failed(2, "worker lost", poison=False)
    run.finish("failed", "disk full")
    return path


def test_people_are_told_what_is_done_what_is_left_and_why(ledger, capsys):
    assert main(["status", str(ledger)]) == 0
    out = capsys.readouterr().out
    assert "run 1 failed" in out
    assert "1 of 4 partitions committed (25.0%), 2 pending, 1 poison" in out
    assert "1,500 rows, 12,000 bytes" in out
    assert "1 attempts were repetitions" in out
    assert "error: disk full" in out
    assert "partition 1 poison (2 attempts): ValueError: no such customer" in out
    assert "partition 2 failed, to be tried again (0 attempts): worker lost" in out


def test_programs_get_everything_as_json(ledger, capsys):
    assert main(["status", str(ledger), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["counts"] == {"pending": 2, "running": 0, "committed": 1, "poison": 1}
    assert report["partitions"][1]["last_error"] == "ValueError: no such customer"


def test_a_file_that_is_no_ledger_is_refused_in_one_sentence(tmp_path, capsys):
    assert main(["status", str(tmp_path / "none")]) == 2
    assert "a ledger was expected, there is no such file" in capsys.readouterr().err


def test_a_run_that_goes_on_is_told_with_its_rate_and_the_time_that_is_left():
    done = [Entry(n, "committed", 1, 100, 800, 10.0 + n, 11.0 + n, None) for n in range(11)]
    left = [Entry(n, "pending", 0, 0, 0, None, None, None) for n in range(11, 41)]
    report = Report(1, "f" * 64, "running", 4711, 10.0, None, None, (*done, *left))
    lines = list(told(report, now=21.0))
    assert lines[0] == "run 1 running, held by process 4711, plan ffffffffffff"
    assert "0:00:11 ago" in lines[1]
    assert lines[3] == "1,100 rows, 8,800 bytes, 110 rows/s, about 0:00:30 left"


def test_many_causes_are_told_in_part():
    poison = tuple(Entry(n, "poison", 3, 0, 0, 1.0, None, f"cause {n}") for n in range(50))
    lines = list(told(Report(1, "f" * 64, "completed", None, 0.0, 9.0, None, poison), now=9.0))
    assert "... and 30 more poison" in lines
    assert sum(line.startswith("partition") for line in lines) == 20
