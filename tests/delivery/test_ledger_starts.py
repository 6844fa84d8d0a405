"""A ledger keeps each start of its runs, with what that start committed."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from actors_rs.delivery.ledger import Ledger, Plan

PLAN = Plan(schema="id: int64", partitions=3, plan="Range(0, 9)")
OTHER = Plan(schema="id: int64", partitions=3, plan="Range(0, 8)")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "night.ledger"


def started(path, *partitions, end="failed", error=None, plan=PLAN):
    """The starts that the ledger has after one that commits ``partitions`` with two rows each."""
    run = Ledger(path, on_other_plan="start_over").open(plan)
    for partition in partitions:
        run.begun(partition)
        run.commit(partition, rows=2, size=16)
    starts = run.starts()
    run.finish(end, error)
    return starts


def columns(starts, *names):
    return [tuple(start[name] for name in names) for start in starts]


def test_each_start_of_a_run_is_listed_with_what_it_has_committed(path):
    started(path, 0, end="failed", error="no disk")
    started(path, 1, end="cancelled")
    starts = started(path, 2)
    assert columns(starts, "run", "start", "state", "error") == [
        (1, 1, "failed", "no disk"),
        (1, 2, "cancelled", None),
        (1, 3, "running", None),
    ]
    assert columns(starts, "committed", "done", "rows", "partitions") == [
        (1, 0, 2, 3),
        (1, 1, 2, 3),
        (1, 2, 2, 3),
    ]
    assert all(one["started"] <= one["ended"] for one in starts[:-1])
    assert starts[-1]["ended"] is None


def test_a_new_run_begins_with_its_first_start_and_keeps_those_of_the_old_one(path):
    started(path, 0)
    starts = started(path, plan=OTHER)
    assert columns(starts, "run", "start", "committed") == [(1, 1, 1), (2, 1, 0)]


KILLED = """
import os, signal, sys
from actors_rs.delivery.ledger import Ledger, Plan
run = Ledger(sys.argv[1]).open(Plan(schema="id: int64", partitions=3, plan="Range(0, 9)"))
run.commit(0, rows=2, size=16)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_start_that_was_killed_is_listed_as_killed_and_without_an_end(path):
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    starts = started(path, 1)
    assert columns(starts, "start", "state", "committed") == [(1, "killed", 1), (2, "running", 1)]
    assert starts[0]["ended"] is None


def test_a_run_of_an_older_ledger_has_the_start_that_it_knows(path):
    started(path, 0, end="failed", error="no disk")
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE ledger_starts")
    starts = started(path, 1)
    assert columns(starts, "run", "start", "state", "error", "committed") == [
        (1, 1, "failed", "no disk", 1),
        (1, 2, "running", None, 1),
    ]
