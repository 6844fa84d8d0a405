"""``actors-rs status``: what a ledger says of a run, for people and for programs."""

import json
import os
import re
import sqlite3
from contextlib import closing

import pytest

from actors_rs.cli import main
from actors_rs.delivery.ledger import Ledger, Plan
from actors_rs.delivery.reporting import report_lines
from actors_rs.delivery.schema import Entry, Report


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
    assert "1 attempt was a repetition" in out
    assert f"ledger {ledger}" in out.splitlines()
    assert "error: disk full" in out
    assert "partition 1 poison (2 attempts): ValueError: no such customer" in out
    assert "partition 2 failed, to be tried again (0 attempts): worker lost" in out


def test_people_and_programs_are_told_the_code_of_an_error(ledger, capsys):
    run = Ledger(ledger).open(Plan("id: int64", 4, "Range"))
    run.finish("failed", "other rows than before", "ARS-005")
    assert main(["status", str(ledger)]) == 0
    assert "error: other rows than before [ARS-005]" in capsys.readouterr().out.splitlines()
    assert main(["status", str(ledger), "--json"]) == 0
    starts = json.loads(capsys.readouterr().out)["starts"]
    assert [start["code"] for start in starts] == [None, "ARS-005"]


def test_programs_get_everything_as_json(ledger, capsys):
    assert main(["status", str(ledger), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["counts"] == {"pending": 2, "running": 0, "committed": 1, "poison": 1}
    assert report["partitions"][1]["last_error"] == "ValueError: no such customer"


def test_a_file_that_is_no_ledger_is_refused_in_one_sentence(tmp_path, capsys):
    assert main(["status", str(tmp_path / "none")]) == 2
    assert "expected a ledger, found no such file" in capsys.readouterr().err


@pytest.mark.parametrize("setup", ["", "CREATE TABLE orders (n)"])
def test_a_database_that_has_no_ledger_yet_may_be_that_of_a_run_that_is_starting(
    tmp_path, capsys, setup
):
    path = tmp_path / "night.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(setup)  # a sink makes its table while the source is planning
        assert main(["status", str(path)]) == 2
    assert "a database without one: if a run is starting, ask again" in capsys.readouterr().err


def test_a_ledger_that_cannot_be_read_is_told_in_one_sentence(ledger, capsys):
    ledger.with_name(f"{ledger.name}-wal").mkdir()
    assert main(["status", str(ledger)]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"actors-rs: could not read {ledger}: unable to open")
    assert said.count("\n") == 1


def test_a_run_that_goes_on_is_told_with_its_rate_and_the_time_that_is_left():
    done = [Entry(n, "committed", 1, 100, 800, 10.0 + n, 11.0 + n, None) for n in range(11)]
    left = [Entry(n, "pending", 0, 0, 0, None, None, None) for n in range(11, 41)]
    report = Report(1, "f" * 64, "running", 4711, 10.0, None, None, (*done, *left))
    lines = list(report_lines(report, now=21.0))
    assert lines[0] == "run 1 running, held by process 4711, plan ffffffffffff"
    assert "0:00:11 ago" in lines[1]
    assert lines[3] == "1,100 rows, 8,800 bytes, 110 rows/s while computing, about 0:00:30 left"


def test_the_pace_of_a_run_that_was_resumed_is_that_of_its_last_partitions():
    evening = [Entry(n, "committed", 1, 100, 800, 0.0, float(n), None) for n in range(50)]
    morning = [Entry(n, "committed", 1, 100, 800, 0.0, 40_000.0 + n, None) for n in range(50, 150)]
    left = [Entry(n, "pending", 0, 0, 0, None, None, None) for n in range(150, 180)]
    report = Report(1, "f" * 64, "running", 4711, 0.0, None, None, (*evening, *morning, *left))
    assert list(report_lines(report, now=40_150.0))[3].endswith(
        "101 rows/s while computing, about 0:00:30 left"
    )


@pytest.mark.parametrize("state", ["running", "completed"])
def test_the_rate_of_a_run_that_was_resumed_leaves_out_the_time_it_was_dead(state):
    evening = [Entry(n, "committed", 1, 100, 800, n - 2.0, float(n), None) for n in range(10, 60)]
    morning = [
        Entry(n, "committed", 2, 100, 800, n + 40_000 - 2.0, n + 40_000.0, None)
        for n in range(60, 110)
    ]
    report = Report(1, "f" * 64, state, 4711, 0.0, None, None, (*evening, *morning))
    # 98 gaps of a second, and the two that the first partition of the morning took
    assert (
        list(report_lines(report, now=40_150.0))[3]
        == "10,000 rows, 80,000 bytes, 100 rows/s while computing"
    )


def test_a_run_that_was_drained_has_completed_and_says_what_it_left(tmp_path, capsys):
    run = Ledger(tmp_path / "night.ledger").open(Plan("id: int64", 4, "Range"))
    run.begun(0)
    run.commit(0, rows=1500, size=12_000)
    run.finish("completed")
    assert main(["status", str(tmp_path / "night.ledger")]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith(
        "run 1 completed by drain(): 3 partitions are left for the next run, plan "
    )


def test_a_run_that_was_killed_is_told_from_one_that_goes_on():
    entries = (
        Entry(0, "committed", 1, 9, 9, 1.0, 2.0, None),
        Entry(1, "committed", 1, 9, 9, 1.0, 4.0, None),
        Entry(2, "running", 1, 0, 0, 3.0, None, None),
        Entry(3, "pending", 0, 0, 0, None, None, None),
    )
    lines = list(
        report_lines(Report(2, "f" * 64, "running", None, 0.0, None, None, entries), now=9.0)
    )
    said = "run 2 was killed, or could not write its end: no process holds the ledger, plan "
    assert lines[0].startswith(said)
    assert lines[2].endswith("(50.0%), 1 running when it ended, 1 pending")
    assert "left" not in lines[3], "nobody works on it"


def test_a_clock_that_was_set_back_gives_no_negative_time():
    report = Report(1, "f" * 64, "completed", None, 100.0, 40.0, None, ())
    assert list(report_lines(report, now=40.0))[1].endswith("took 0:00:00")


def test_many_causes_are_told_in_part():
    poison = tuple(Entry(n, "poison", 3, 0, 0, 1.0, None, f"cause {n}") for n in range(50))
    lines = list(
        report_lines(Report(1, "f" * 64, "completed", None, 0.0, 9.0, None, poison), now=9.0)
    )
    assert "... and 30 more poison" in lines
    assert sum(line.startswith("partition") for line in lines) == 20


def test_each_start_of_a_run_that_was_resumed_is_listed_with_what_it_committed(ledger, capsys):
    assert main(["status", str(ledger)]) == 0
    assert "start 1" not in capsys.readouterr().out, "one start is what the first lines tell"
    run = Ledger(ledger).open(Plan("id: int64", 4, "Range"))
    run.begun(1)
    run.commit(1, rows=20, size=160)
    run.finish("completed")
    assert main(["status", str(ledger)]) == 0
    first, second = [one for one in capsys.readouterr().out.splitlines() if one[:6] == "start "]
    assert first.startswith("start 1 of run 1 failed, began ")
    assert first.endswith(": 1 of 4 partitions committed, 1,500 rows")
    assert second.startswith("start 2 of run 1 completed, began ")
    assert second.endswith(": 1 of 4 partitions committed, 20 rows")
    assert main(["status", str(ledger), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [one["state"] for one in report["starts"]] == ["failed", "completed"]


def test_a_start_that_was_killed_is_listed_as_killed_and_older_starts_are_counted():
    starts = tuple(
        {
            "run": 1,
            "start": number,
            "state": "running" if number == 25 else "failed",
            "started": 10.0,
            "ended": None if number == 25 else 12.0,
            "error": None,
            "partitions": 3,
            "committed": 0,
            "rows": 0,
            "done": 0,
        }
        for number in range(1, 26)
    )
    report = Report(1, "5f3a", "running", None, 10.0, None, None, (), starts=starts)
    lines = list(report_lines(report, now=20.0))
    assert "5 older starts, and" in lines
    assert sum(line.startswith("start ") for line in lines) == 20
    assert any(line.startswith("start 25 of run 1 killed, began ") for line in lines)


def second_start(ledger):
    """The run of ``ledger`` goes on: partition 1 fails once more, then it is committed."""
    run = Ledger(ledger).open(Plan("id: int64", 4, "Range"))
    run.begun(1)
    run.failed(1, "ValueError: still none", poison=False)
    run.begun(1)
    run.commit(1, rows=20, size=160)
    run.begun(2)
    return run


def test_attempts_of_this_start_are_told_apart_from_those_of_all_starts(ledger, capsys):
    second_start(ledger).finish("completed")
    assert main(["status", str(ledger)]) == 0
    out = capsys.readouterr().out
    said = "partition 1 committed after a failure (2 attempts in the newest start, 4 in all): "
    assert said in out


def test_an_attempt_that_runs_again_is_not_told_as_one_to_be_tried(ledger, capsys):
    run = second_start(ledger)
    assert main(["status", str(ledger)]) == 0
    run.finish("completed")
    out = capsys.readouterr().out
    assert "partition 2 running, after a failure (1 attempt): worker lost" in out
    assert "to be tried again" not in out


def test_the_time_that_starts_took_leaves_out_the_pauses_between_them():
    def start(number, began, ended):
        state = "completed" if ended else "killed"
        one = {"run": 1, "start": number, "state": state, "started": began, "ended": ended}
        return one | {"error": None, "partitions": 2, "committed": 1, "rows": 9, "done": 0}

    entries = (
        Entry(0, "committed", 1, 9, 9, 102.0, 107.0, None),
        Entry(1, "committed", 1, 9, 9, 9_001.0, 9_002.0, None),
    )
    starts = (start(1, 100.0, None), start(2, 9_000.0, 9_005.0))
    report = Report(1, "5f3a", "completed", None, 100.0, 9_005.0, None, entries, starts=starts)
    assert list(report_lines(report, now=9_999.0))[1] == (
        "began 1970-01-01 00:01:40 UTC, ended 1970-01-01 02:30:05 UTC, took 0:00:12 in 2 starts"
    )


def test_each_partition_is_told_with_when_and_by_whom_and_after_which_failure(ledger, capsys):
    second_start(ledger).finish("completed")
    assert main(["status", str(ledger), "--partitions"]) == 0
    lines = capsys.readouterr().out.splitlines()[-4:]

    def by(start):
        return rf"[-\d]{{10}} [:\d]{{8}} UTC by start {start} \(process {os.getpid()}\): "

    expected = [
        "partition 0 committed " + by(1) + "1,500 rows, 12,000 bytes, 1 attempt",
        f"partition 1 committed {by(2)}20 rows, 160 bytes, 2 attempts in the newest start, "
        "4 in all; last failure: ValueError: still none",
        f"partition 2 pending, last begun {by(2)}1 attempt; last failure: worker lost",
        "partition 3 pending",
    ]
    for line, pattern in zip(lines, expected, strict=True):
        assert re.fullmatch(pattern, line)


def test_a_ledger_without_the_newer_columns_is_still_read_and_gone_on_with(ledger, capsys):
    with closing(sqlite3.connect(ledger)) as database, database:
        database.execute("ALTER TABLE ledger_partitions DROP COLUMN attempts_in_start")
        database.execute("ALTER TABLE ledger_starts DROP COLUMN process")
    assert main(["status", str(ledger), "--partitions"]) == 0
    assert "partition 1 poison, last begun " in capsys.readouterr().out
    second_start(ledger).finish("completed")
    assert main(["status", str(ledger), "--partitions"]) == 0
    assert "by start 1: 1,500 rows" in capsys.readouterr().out
