# mypy: disable-error-code="operator"
"""The ledger: what it keeps, for whom, and what it refuses."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
from typing import Any

import pytest

from actors_rs.delivery import ledger
from actors_rs.delivery.ledger import Ledger, Plan, status
from actors_rs.delivery.schema import check_version, read_report
from actors_rs.errors import InvalidArgumentError, LedgerError, ReadError, WriteError
from actors_rs.testing.leaks import no_leaks

PLAN = Plan(schema="id: int64", partitions=3, plan="Range(0, 9)")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "night.ledger"


def states(report):
    return [entry.state for entry in report.partitions]


def test_a_run_that_is_opened_again_knows_what_was_committed(path):
    run = Ledger(path).open(PLAN)
    run.begun(0)
    run.commit(0, rows=5, size=40)
    run.begun(1)
    run.finish("cancelled")
    again = Ledger(path).open(PLAN)
    assert again.run == run.run
    first, second, third = again.report().partitions
    assert (first.state, first.attempts, first.rows, first.bytes) == ("committed", 1, 5, 40)
    assert first.committed >= first.started
    assert (second.state, second.attempts) == ("pending", 1)
    assert (third.state, third.attempts) == ("pending", 0)
    again.finish("completed")


def test_a_failure_is_kept_with_its_words_also_when_the_partition_is_committed_later(path):
    run = Ledger(path).open(PLAN)
    run.begun(0)
    run.failed(0, "no such column", poison=False)
    run.begun(1)
    run.failed(1, "always raises", poison=True)
    assert states(run.report()) == ["pending", "poison", "pending"]
    assert run.report().partitions[1].last_error == "always raises"
    run.begun(0)
    run.commit(0, 1, 1)
    assert run.report().partitions[0].last_error == "no such column"
    assert run.report().partitions[0].attempts == 2
    run.finish("completed")


def test_what_is_committed_stays_so_whatever_a_late_attempt_says(path):
    run = Ledger(path).open(PLAN)
    run.commit(0, 1, 1)
    run.begun(0)
    run.failed(0, "too late", poison=True)
    assert states(run.report())[0] == "committed"
    run.finish("completed")


def poisoned(path):
    """A ledger whose first partition is poison, and its second was running to the end."""
    run = Ledger(path).open(PLAN)
    run.failed(0, "bad", poison=True)
    run.begun(1)
    run.finish("failed", "a partition is poison")


def test_poison_stays_poison_in_a_start_that_ends_before_it_tries_anything(path):
    poisoned(path)
    refused = Ledger(path).open(PLAN)
    assert states(status(path)) == ["poison", "pending", "pending"]
    refused.finish("failed", "other rows than before")
    assert status(path).counts["poison"] == 1


def test_poison_is_tried_again_by_the_next_run_and_runs_from_then_on(path):
    poisoned(path)
    again = Ledger(path).open(PLAN)
    again.begun(0)
    assert states(again.report()) == ["running", "pending", "pending"]
    again.finish("cancelled")
    assert states(status(path)) == ["pending"] * 3


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            Plan("id: int64", 4, "Range(0, 9)"),
            "the plan in the ledger has 3 partitions, and this run has 4",
        ),
        (Plan("id: string", 3, "Range(0, 9)"), "the schema in the ledger is id: int64, and this "),
        (Plan("id: int64", 3, "Range(0, 8)"), "the query differs"),
    ],
)
def test_a_ledger_of_another_plan_is_refused_with_what_differs(path, other, said):
    Ledger(path).open(PLAN).finish("completed")
    with pytest.raises(LedgerError, match=said):
        Ledger(path).open(other)
    assert status(path).fingerprint == PLAN.fingerprint


def test_a_ledger_of_another_plan_starts_over_when_told_to_and_keeps_the_old_run(path):
    run = Ledger(path).open(PLAN)
    run.commit(0, 1, 1)
    run.finish("completed")
    other = Ledger(path, on_other_plan="start_over").open(Plan("id: int64", 2, "Other"))
    assert states(other.report()) == ["pending", "pending"]
    other.finish("completed")
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM ledger_runs").fetchone() == (2,)
    database.close()


def test_one_holder_at_a_time_and_the_other_is_told_who_it_is(path):
    run = Ledger(path).open(PLAN)
    with pytest.raises(
        LedgerError, match=rf"another run holds this ledger \(process {os.getpid()}\)"
    ):
        Ledger(path).open(PLAN)
    run.finish("completed")
    Ledger(path).open(PLAN).finish("completed")


KILLED = """
import os, signal, sys
from actors_rs.delivery import ledger
from actors_rs.delivery.ledger import Ledger, Plan
run = Ledger(sys.argv[1]).open(Plan(schema="id: int64", partitions=3, plan="Range(0, 9)"))
run.begun(0); run.commit(0, 7, 70); run.begun(1)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_was_killed_holds_nothing_and_what_it_committed_is_there(path):
    process = subprocess.run([sys.executable, "-c", KILLED, os.fspath(path)], check=False)
    assert process.returncode == -signal.SIGKILL
    report = status(path)
    assert (report.state, report.holder) == ("running", None)
    run = Ledger(path).open(PLAN)
    assert states(run.report()) == ["committed", "pending", "pending"]
    assert run.report().partitions[1].attempts == 1
    run.finish("completed")


def test_status_is_plain_data_and_can_be_read_while_the_ledger_is_held(path):
    run = Ledger(path).open(PLAN)
    run.commit(2, 4, 32)
    report = status(path)
    assert report.counts == {"pending": 2, "running": 0, "committed": 1, "poison": 0}
    assert report.holder == os.getpid()
    assert json.loads(json.dumps(report.as_dict()))["counts"]["committed"] == 1
    run.finish("completed")
    assert (status(path).state, status(path).holder) == ("completed", None)


def test_a_ledger_lies_beside_the_tables_of_a_user(path):
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE runs (mine TEXT)")
        database.execute("PRAGMA user_version = 77")
    database.close()
    Ledger(path).open(PLAN).finish("completed")
    assert status(path).state == "completed"


def test_what_is_no_ledger_is_refused_in_one_sentence(path, tmp_path):
    with pytest.raises(LedgerError, match="found no such file: a run makes it when it begins"):
        status(path)
    path.write_text("not a database, but long enough to look at" * 10)
    for use in (status, lambda path: Ledger(path).open(PLAN)):
        with pytest.raises(LedgerError, match="found a file of another kind"):
            use(path)
    other = tmp_path / "other.db"
    sqlite3.connect(other).execute("CREATE TABLE t (n)").connection.close()
    with pytest.raises(LedgerError, match="found a database without one"):
        status(other)


def test_a_ledger_of_another_version_is_refused(path):
    Ledger(path).open(PLAN).finish("completed")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE ledger_version SET version = 9")
    database.close()
    with pytest.raises(LedgerError, match=r"expected a ledger of version 1, found \[9\]"):
        Ledger(path).open(PLAN)


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    path = tmp_path / "missing" / "night.ledger"
    with pytest.raises(LedgerError, match=r"night\.ledger: the directory .*missing does not exist"):
        Ledger(path).open(PLAN)
    with pytest.raises(LedgerError, match="expected a file for the ledger, found a directory"):
        Ledger(tmp_path).open(PLAN)
    assert not (tmp_path.parent / f"{tmp_path.name}.lock").exists()


def test_a_damaged_ledger_is_said_to_be_damaged(path):
    Ledger(path).open(PLAN).finish("completed")
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + bytes(range(256)) * ((len(whole) - 8192) // 256))
    for use in (status, lambda path: Ledger(path).open(PLAN)):
        with pytest.raises(
            LedgerError, match=r"night\.ledger: the ledger is damaged \(.*: restore the file"
        ):
            use(path)


def test_a_ledger_that_is_refused_is_left_closed(path):
    Ledger(path).open(PLAN).finish("completed")
    with no_leaks():
        with pytest.raises(LedgerError) as refused:
            Ledger(path).open(Plan("id: int64", 4, "Range(0, 9)"))
        assert refused.value.__traceback__ is not None, "which holds on to what was open"


def test_reading_a_database_that_is_no_ledger_changes_nothing_of_it(path):
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE t (n)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="found a database without one"):
        status(path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_ledger_that_has_ended_can_be_read_where_nobody_may_write(tmp_path):
    path = tmp_path / "a night, 100%?.ledger"
    Ledger(path).open(PLAN).finish("completed")
    beside = path.with_name(f"{path.name}-shm")
    beside.symlink_to("nowhere")  # as in a folder that is read-only, SQLite can make no such file
    before = path.read_bytes()
    for _ in range(2):
        assert status(path).state == "completed"
    assert path.read_bytes() == before


def test_a_ledger_that_cannot_be_read_is_said_to_be_unreadable(path):
    Ledger(path).open(PLAN).finish("completed")
    path.with_name(f"{path.name}-wal").mkdir()  # it is not complete without that
    with pytest.raises(ReadError, match=r"^could not read .*night\.ledger: unable to open"):
        status(path)


def test_a_run_that_ends_while_its_status_is_read_was_not_killed(path, monkeypatch):
    run = Ledger(path).open(PLAN)

    def ends_meanwhile(database):
        report = read_report(database)
        run.finish("completed")
        return report

    monkeypatch.setattr("actors_rs.delivery.ledger.read_report", ends_meanwhile)
    report = status(path)
    assert (report.state, report.holder) == ("running", os.getpid())


def test_a_run_that_begins_while_its_status_is_read_was_not_killed(path, monkeypatch):
    Ledger(path).open(PLAN).finish("failed")
    runs: dict[str, Any] = {}

    def begins_meanwhile(database, path):
        if not runs:
            runs["first"] = None  # what is called here again while it is opened
            runs["first"] = Ledger(path).open(PLAN)
        return check_version(database, path)

    monkeypatch.setattr("actors_rs.delivery.ledger.check_version", begins_meanwhile)
    report = status(path)
    assert (report.state, report.holder) == ("running", os.getpid())
    runs["first"].finish("completed")


def test_a_lock_file_that_is_none_is_not_taken_for_another_run(path):
    lock = path.with_name(f"{path.name}.lock")
    lock.write_bytes(b"this is no database at all " * 100)
    Ledger(path).check()
    with pytest.raises(LedgerError, match=r"night\.ledger\.lock: .*found a file of another kind"):
        Ledger(path).open(PLAN)


def test_no_partition_of_a_run_that_has_ended_is_running(path):
    run = Ledger(path).open(PLAN)
    run.begun(0)
    run.begun(1)
    run.failed(1, "bad", poison=True)
    run.finish("failed", "disk full")
    assert states(status(path)) == ["pending", "poison", "pending"]


def test_a_full_disk_fails_the_commit_and_the_ledger_goes_on_when_there_is_space(path):
    run = Ledger(path).open(PLAN)
    pages = run._database.execute("PRAGMA page_count").fetchone()[0]
    run._database.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(WriteError, match=r"night\.ledger: database or disk is full"):
        run.failed(0, "x" * 5_000_000, poison=False)
    run._database.execute("PRAGMA max_page_count = 1000000")
    run.commit(0, 1, 1)
    assert states(run.report())[0] == "committed"
    run.finish("completed")


@pytest.mark.parametrize(
    ("path", "options", "error"),
    [(7, {}, TypeError), ("x", {"on_other_plan": "guess"}, InvalidArgumentError)],
)
def test_a_bad_argument_is_refused_before_anything_is_opened(path, options, error):
    with pytest.raises(error, match="Ledger: "):
        Ledger(path, **options)


@pytest.mark.parametrize(
    "path", ["", ":memory:", "file:night.ledger", "file::memory:?cache=shared"]
)
def test_what_sqlite_would_not_keep_on_the_disk_is_refused_before_anything_is_opened(path):
    with pytest.raises(
        InvalidArgumentError, match=f"^Ledger: path must .*, got {re.escape(repr(path))} "
    ):
        Ledger(path)
    with pytest.raises(
        InvalidArgumentError, match=f"^status: path must .*, got {re.escape(repr(path))} "
    ):
        status(path)


@pytest.mark.parametrize("exists", [True, False], ids=["a ledger", "another file"])
def test_a_ledger_waits_for_those_who_are_writing_into_its_file(path, monkeypatch, exists):
    if exists:
        Ledger(path).open(PLAN).finish("cancelled")
    writer = sqlite3.connect(path)
    writer.executescript("CREATE TABLE mine (x); BEGIN IMMEDIATE; INSERT INTO mine VALUES (1)")
    connected = ledger._connected

    def done_when_waited_for(sql):  # in these statements SQLite waits, and in no other
        if re.search("BEGIN (IMMEDIATE|EXCLUSIVE)", sql):
            writer.commit()

    def traced(file):
        database = connected(file)
        database.set_trace_callback(done_when_waited_for)
        return database

    monkeypatch.setattr(ledger, "_connected", traced)
    run = Ledger(path).open(PLAN)
    assert states(run.report()) == ["pending"] * 3
    assert writer.execute("SELECT x FROM mine").fetchall() == [(1,)]
    run.finish("completed")
    writer.close()


def test_a_file_that_somebody_never_stops_writing_into_is_named(path, monkeypatch):
    monkeypatch.setattr(ledger, "_BUSY_SECONDS", 0.0)
    writer = sqlite3.connect(path)
    writer.executescript("CREATE TABLE mine (x); BEGIN IMMEDIATE")
    with pytest.raises(WriteError, match=r"night\.ledger: database is locked"):
        Ledger(path).open(PLAN)
    writer.rollback()
    writer.close()
    Ledger(path).open(PLAN).finish("completed")


def test_a_ledger_is_held_once_whatever_links_lead_to_it(tmp_path):
    path, link = tmp_path / "night.db", tmp_path / "link.db"
    link.symlink_to(path)
    plan = Plan("a: long", 1, "Range")
    run = Ledger(path).open(plan)
    with pytest.raises(LedgerError, match=r"link\.db: another run holds this ledger"):
        Ledger(link).open(plan)
    run.finish("completed")
    Ledger(link).open(plan).finish("completed")
