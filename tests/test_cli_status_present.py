"""``actors-rs status`` of a run that goes on: its present work, and its waiting partitions."""

import json
import sqlite3
from contextlib import closing

import pytest

from actors_rs.cli import main
from actors_rs.delivery import notes
from actors_rs.delivery.ledger import Ledger, Plan, status
from actors_rs.delivery.reporting import partition_lines, report_lines
from actors_rs.delivery.schema import Entry, Report

PLAN = Plan("id: int64", 40, "Range")
VERIFYING = "verifying finished partitions before the first new one: 1 of 3 verified"


@pytest.fixture
def ledger(tmp_path):
    """A run that was ended with four of 40 partitions committed."""
    path = tmp_path / "night.ledger"
    run = Ledger(path).open(PLAN)
    for partition in (0, 1, 2, 5):
        run.begun(partition)
        run.commit(partition, rows=10, size=80)
    run.finish("failed", "disk full")
    return path


def test_a_start_that_verifies_finished_partitions_says_how_many_it_has_verified(ledger, capsys):
    run = Ledger(ledger).open(PLAN)
    run.write([notes.verified(1, 3)])
    assert main(["status", str(ledger)]) == 0
    assert VERIFYING in capsys.readouterr().out.splitlines()
    assert main(["status", str(ledger), "--json"]) == 0
    start = json.loads(capsys.readouterr().out)["starts"][-1]
    assert (start["verified"], start["to_verify"]) == (1, 3)
    run.write([notes.verified(3, 3)])
    assert main(["status", str(ledger)]) == 0
    run.finish("completed")
    assert "verifying finished" not in capsys.readouterr().out


def test_a_start_that_ended_or_was_killed_while_it_verified_verifies_no_more(ledger, capsys):
    run = Ledger(ledger).open(PLAN)
    run.write([notes.verified(1, 3)])
    run.finish("failed", "stopped")
    assert main(["status", str(ledger)]) == 0
    assert "verifying finished" not in capsys.readouterr().out
    Ledger(ledger).open(PLAN).finish("completed")
    assert status(ledger).starts[-1]["to_verify"] is None


def test_an_older_ledger_is_read_without_notes_of_verification_and_then_gets_them(ledger, capsys):
    with closing(sqlite3.connect(ledger)) as database, database:
        database.execute("ALTER TABLE ledger_starts DROP COLUMN to_verify")
        database.execute("ALTER TABLE ledger_starts DROP COLUMN verified")
        database.execute("ALTER TABLE ledger_starts DROP COLUMN code")
    assert status(ledger).starts[-1]["verified"] is None
    run = Ledger(ledger).open(PLAN)
    run.write([notes.verified(1, 3)])
    assert main(["status", str(ledger)]) == 0
    run.finish("completed")
    assert VERIFYING in capsys.readouterr().out


def test_partitions_that_were_never_begun_share_a_line_and_are_apart_in_json(ledger, capsys):
    run = Ledger(ledger).open(PLAN)
    run.begun(8)
    run.failed(8, "worker lost", poison=False)
    run.finish("failed", "worker lost")
    assert main(["status", str(ledger), "--partitions"]) == 0
    lines = capsys.readouterr().out.splitlines()[-8:]
    assert [line for line in lines if line.endswith("pending")] == [
        "partitions 3-4 pending",
        "partitions 6-7 pending",
        "partitions 9-39 pending",
    ]
    assert lines[-2].startswith("partition 8 pending, last begun ")
    assert main(["status", str(ledger), "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["partitions"]) == 40


def test_a_single_partition_that_was_never_begun_has_a_line_of_its_own():
    left = Entry(7, "pending", 0, 0, 0, None, None, None)
    report = Report(1, "5f3a", "completed", None, 0.0, 9.0, None, (left,))
    assert list(partition_lines(report)) == ["partition 7 pending"]


@pytest.mark.parametrize(("others", "more"), [((), ""), ((24,), ", 1 more"), ((1, 2), ", 2 more")])
def test_the_partition_that_runs_longest_is_named(others, more):
    entries = [Entry(n, "running", 1, 0, 0, 290.0, None, None) for n in others]
    entries.append(Entry(23, "running", 1, 0, 0, 50.0, None, None))
    report = Report(1, "f" * 64, "running", 4711, 10.0, None, None, tuple(entries))
    assert list(report_lines(report, now=300.0))[3] == (
        f"running longest: partition 23 for 0:04:10{more}"
    )


def test_nothing_runs_longest_in_a_run_that_was_killed():
    entry = Entry(23, "running", 1, 0, 0, 50.0, None, None)
    report = Report(1, "f" * 64, "running", None, 10.0, None, None, (entry,))
    assert not any("longest" in line for line in report_lines(report, now=300.0))
