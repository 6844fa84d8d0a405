"""The sinks of a run with a ledger: noted, the same when it goes on, and not emptied meanwhile."""

import os
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from actors_rs import Graph, Sink, Source
from actors_rs.delivery.carrying.envelope_rules import RESUMABLE
from actors_rs.delivery.ledger import Ledger, Plan, status
from actors_rs.delivery.outputs import OWNER_FILE, Output
from actors_rs.delivery.reporting import nothing_left, report_lines
from actors_rs.errors import LedgerError
from actors_rs.graph.blueprint import in_order
from actors_rs.graph.envelopes import makers_of
from actors_rs.graph.spec import OutletRef
from actors_rs.language.flow import Flow

PLAN = Plan(schema="id: int64", partitions=2, plan="Range(0, 9)")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "night.ledger"


def run(path, *outputs, commit=(), on_other_plan="refuse"):
    """A run of ``PLAN`` into ``outputs`` that commits some partitions and ends."""
    ledger_run = Ledger(path, on_other_plan=on_other_plan).open(PLAN, outputs)
    for partition in commit:
        ledger_run.commit(partition, 5, 40)
    ledger_run.finish("completed")
    return ledger_run


def sqlite_output(folder, key=None):
    """A database as a sink leaves it that has delivered something of the run ``key``."""
    with closing(sqlite3.connect(folder / "out.db")) as database, database:
        database.execute("CREATE TABLE actors_rs_delivered (run TEXT, sink TEXT, unit TEXT)")
        if key is not None:
            database.execute("INSERT INTO actors_rs_delivered VALUES (?, 'sqlite', '0')", [key])
    return Output("sqlite", os.fspath(folder / "out.db"))


@pytest.mark.parametrize(
    "others",
    [
        [Output("sqlite", "other.db")],
        [Output("parquet", "out.db")],
        [Output("count")],
        [Output("sqlite", "out.db"), Output("count")],
    ],
)
def test_a_run_of_which_something_is_committed_goes_on_into_its_own_sinks_only(path, others):
    mine = Output("sqlite", "out.db")
    run(path, mine)
    run(path, *others)  # nothing is committed: no row would be missing
    run(path, mine, commit=[0])
    with pytest.raises(LedgerError) as refused:
        run(path, *others)
    said = str(refused.value)
    assert f"belongs to a run into sqlite {os.path.realpath('out.db')}, and this run writes" in said
    assert str(others[0]) in said
    assert (
        "the sinks of the first run, or give the ledger another path or "
        "on_other_plan='start_over', and the run an empty output" in said
    )
    assert run(path, mine).run == 1
    assert run(path, *others, on_other_plan="start_over").run == 2
    assert [entry.state for entry in status(path).partitions] == ["pending", "pending"]


def test_of_a_run_whose_sinks_nobody_knows_none_is_refused(path):
    run(path, commit=[0])
    run(path, Output("count"))
    run(path)


def test_the_same_file_by_another_name_is_the_same_sink(path, tmp_path, monkeypatch):
    run(path, Output("sqlite", os.fspath(tmp_path / "out.db")), commit=[0])
    (tmp_path / "out.db").touch()
    (tmp_path / "link.db").symlink_to("out.db")
    run(path, Output("sqlite", os.fspath(tmp_path / "link.db")))
    monkeypatch.chdir(tmp_path)
    run(path, Output("sqlite", "out.db"))
    run(path, Output("sqlite", "./no/../out.db"))


def test_a_ledger_may_be_moved_together_with_its_output(path, tmp_path):
    (tmp_path / "before").mkdir()
    output = Output("sqlite", os.fspath(tmp_path / "before" / "out.db"))
    run(tmp_path / "before" / "night.ledger", output, commit=[0])
    (tmp_path / "before").rename(tmp_path / "behind")
    moved = replace(output, target=os.fspath(tmp_path / "behind" / "out.db"))
    run(tmp_path / "behind" / "night.ledger", moved)
    with pytest.raises(
        LedgerError, match=r"behind/out\.db, and this run writes into .*before/out\.db"
    ):
        run(tmp_path / "behind" / "night.ledger", output)


def lose_the_file(folder):
    (folder / "out.db").unlink()


def lose_the_table(folder):
    (folder / "out.db").unlink()
    sqlite3.connect(folder / "out.db").execute("CREATE TABLE t (n)").connection.close()


def lose_the_rows(folder):
    (folder / "out.db").unlink()
    sqlite_output(folder)


@pytest.mark.parametrize("lose", [lose_the_file, lose_the_table, lose_the_rows])
def test_a_database_that_was_removed_or_is_another_one_is_seen(path, tmp_path, lose):
    output = Output("sqlite", os.fspath(tmp_path / "out.db"))
    ledger_run = Ledger(path).open(PLAN, [output])
    sqlite_output(tmp_path, ledger_run.key)
    ledger_run.delivered(output)
    ledger_run.commit(0, 5, 40)
    ledger_run.finish("cancelled")
    run(path, output)
    lose(tmp_path)
    told = r"sqlite .*out\.db no longer holds .*: restore it, or give the ledger another path"
    with pytest.raises(LedgerError, match=told):
        run(path, output)
    assert run(path, output, on_other_plan="start_over").run == 2


@pytest.mark.parametrize("between", [False, True])
def test_a_run_that_starts_over_does_not_write_beside_the_rows_of_an_older_run(
    path, tmp_path, between
):
    output = Output("sqlite", os.fspath(tmp_path / "out.db"))
    first = run(path, output)
    sqlite_output(tmp_path, first.key)
    if between:  # the older run need not be the newest one
        again(path, Output("sqlite", os.fspath(tmp_path / "other.db")), "Range(0, 6)")
    told = r"out\.db has rows of run 1 of this ledger.*: write into another database; or empty"
    with pytest.raises(LedgerError, match=told) as refused:
        again(path, output)
    assert status(path).run == (2 if between else 1)  # nothing has begun
    with closing(sqlite3.connect(output.target)) as database, database:
        said = str(refused.value)
        database.execute(said[said.index("DELETE") :].removesuffix(" there"))
    assert again(path, output).run == (3 if between else 2)


def test_a_run_that_starts_over_may_write_where_other_ledgers_have_rows(path, tmp_path):
    output = Output("sqlite", os.fspath(tmp_path / "out.db"))
    sqlite_output(tmp_path, run(tmp_path / "other.ledger", output).key)
    run(path, output)
    assert again(path, output).run == 2


def again(path, output, plan="Range(0, 5)"):
    """A run of another plan that starts over."""
    other = Ledger(path, on_other_plan="start_over").open(replace(PLAN, plan=plan), [output])
    other.finish("completed")
    return other


def test_an_output_that_got_nothing_yet_is_not_missed(path, tmp_path):
    run(path, Output("sqlite", os.fspath(tmp_path / "out.db")), commit=[0])  # of no row for it
    run(path, Output("sqlite", os.fspath(tmp_path / "out.db")))


@pytest.mark.parametrize("owner", [None, "another-run parquet"])
def test_a_data_set_that_was_removed_or_is_another_ones_is_seen(path, tmp_path, owner):
    folder = tmp_path / "rows"
    folder.mkdir()
    output = Output("parquet", os.fspath(folder))
    ledger_run = Ledger(path).open(PLAN, [output, Output("count")])
    (folder / OWNER_FILE).write_text(f"{ledger_run.key} parquet")
    ledger_run.delivered(output)
    ledger_run.commit(0, 5, 40)
    ledger_run.finish("cancelled")
    run(path, output, Output("count"))
    (folder / OWNER_FILE).unlink()
    if owner is None:
        folder.rmdir()
    else:
        (folder / OWNER_FILE).write_text(owner)
    with pytest.raises(LedgerError, match=r"parquet .*rows no longer holds the committed"):
        run(path, output, Output("count"))


def test_a_run_with_nothing_left_to_do_is_told_in_a_line(path):
    output = Output("sqlite", os.path.realpath("out.db"))
    run(path, output, commit=[0])
    assert nothing_left(status(path)) == ""
    run(path, output, commit=[1])
    line = nothing_left(status(path))
    assert line.startswith("all 2 partitions were done before, the last one 2")
    assert f"UTC, into {output}: nothing is left to do; to run all of them again" in line
    assert f", into {output}" in "\n".join(report_lines(status(path), 0.0))
    assert status(path).as_dict()["outputs"] == (str(output),)


def test_a_ledger_that_is_older_than_such_notes_is_read_and_gone_on_with(path):
    output = Output("sqlite", "out.db")
    run(path, output, commit=[0])
    with closing(sqlite3.connect(path)) as database:
        database.executescript("DROP TABLE ledger_outputs; DROP TABLE ledger_schemas")
    assert status(path).outputs == ()
    assert run(path, output, commit=[1]).run == 1
    assert status(path).outputs == (f"sqlite {os.path.realpath('out.db')}",)
    with pytest.raises(LedgerError, match="the ledger belongs to a run into sqlite"):
        run(path, Output("count"))


class Recipe:
    """What makes a source that keeps a ledger."""

    def __init__(self):
        self.outputs = None

    def __call__(self):
        raise AssertionError("it was not report_lines its sinks")

    def into(self, outputs):
        self.outputs = outputs


def test_a_source_is_told_all_sinks_that_get_its_elements_and_no_others():
    recipe = Recipe()
    spec = replace(Source.of(1)._out.spec, make=recipe, envelopes=RESUMABLE)
    left, right = Flow(OutletRef(spec)).also_to(Sink.count()).broadcast(2)
    graph = Graph(
        left.map(str).to(Sink.fan(Sink.sqlite("a.db", "INSERT INTO t VALUES (?)"), Sink.last())),
        right.to(Sink.parquet("rows").named("out")),
        Source.of(1).to(Sink.list()),
    )
    makers_of(in_order(graph._sinks))[spec]()
    assert recipe.outputs == {
        Output("count"),
        Output("last"),
        Output("parquet", "rows"),
        Output("sqlite", "a.db"),
    }
