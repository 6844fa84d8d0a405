"""A sink that is stuck when its run ends leaves no file behind, however late its call returns."""

import os
import sqlite3
import threading

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import RunCancelled
from actors_rs.stages.sinks.files import writing
from tests.graph.stuck import FAR_BELOW_A_CALL, Stuck, letters, stuck_system
from tests.runtime.support import eventually

LATE = "the call returned after its stage was abandoned"


class Row(dict):
    """A row that is not written before ``stuck`` returns."""

    def __init__(self, stuck, **row):
        super().__init__(**row)
        self.stuck = stuck

    def items(self):
        self.stuck()
        return super().items()

    def __iter__(self):
        self.stuck()
        return super().__iter__()


def end_while_stuck(stuck, graph, path):
    """Cancel a run of ``graph`` while it is ``stuck``; the files at ``path`` after its return."""
    with stuck_system(stuck) as system:
        run = system.start(graph)
        assert stuck.begun.wait(20)
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(FAR_BELOW_A_CALL)
        stuck.release()
        eventually(lambda: letters(system, LATE))
    return sorted(os.listdir(path))


SINKS = {
    "jsonl": lambda path: Sink.jsonl(path / "out.jsonl"),
    "fan": lambda path: Sink.fan(Sink.jsonl(path / "out.jsonl"), Sink.count()),
}


@pytest.mark.parametrize("kind", SINKS)
def test_a_write_that_returns_late_leaves_nothing(kind, tmp_path):
    stuck = Stuck()
    rows = Source.of(Row(stuck, a=1), {"a": 2})
    assert end_while_stuck(stuck, rows.to(SINKS[kind](tmp_path)), tmp_path) == []


@pytest.mark.parametrize("kind", SINKS)
@pytest.mark.parametrize("step", ["_sync", "_take_permissions"])
def test_a_file_that_is_being_published_is_not_behind_the_end(kind, step, tmp_path, monkeypatch):
    stuck = Stuck()
    where = writing if step == "_sync" else writing.PendingFile
    original = getattr(where, step)

    def slow(*args):
        if args[1:] != (0o600,):  # permissions of the temporary file
            stuck()
        return original(*args)

    monkeypatch.setattr(where, step, slow)
    rows = Source.of({"a": 1}).to(SINKS[kind](tmp_path))
    assert end_while_stuck(stuck, rows, tmp_path) == []


def test_a_rename_that_has_begun_is_over_before_the_end_is_told(tmp_path, monkeypatch):
    begun, ended = threading.Event(), []
    replace = os.replace

    def slow(*args):
        begun.set()
        threading.Event().wait(0.03)
        replace(*args)
        ended.append(run.done())

    monkeypatch.setattr(os, "replace", slow)
    stuck = Stuck()
    with stuck_system(stuck, grace=0.0) as system:
        run = system.start(Source.of({"a": 1}).to(Sink.jsonl(tmp_path / "out.jsonl")))
        assert begun.wait(20)
        run.cancel()
        run.wait(60)
        eventually(lambda: ended)
        assert ended == [False]
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_rows_that_a_late_call_has_written_to_a_table_are_rolled_back(tmp_path, monkeypatch):
    stuck = Stuck()
    table = tmp_path / "rows.db"

    class Slow(sqlite3.Connection):
        def executemany(self, *args):
            done = super().executemany(*args)
            stuck()
            return done

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, factory=Slow, **k))
    sink = Sink.sqlite(table, "insert into rows values (?)", setup="create table rows (a)")
    end_while_stuck(stuck, Source.of((1,), (2,)).to(sink), tmp_path)
    with connect(table) as database:
        assert database.execute("select count(*) from rows").fetchall() == [(0,)]
    database.close()
