"""``Source.sqlite`` and ``Sink.sqlite`` on one file: the reader lets go, or the error names it."""

import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing

import pytest

from actors_rs import Sink, Source
from actors_rs.delivery import acknowledged
from actors_rs.errors import StageError
from actors_rs.stages.files import sqlite_locks, sqlite_readers
from tests.graph.helpers import run

ROWS = 20_000
MANY = f"""
    CREATE TABLE t (n INTEGER, name TEXT, data BLOB, x REAL);
    WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT {ROWS})
    INSERT INTO t SELECT n, 'n' || n, zeroblob(n % 3), CASE n % 2 WHEN 0 THEN n / 2.0 END FROM c
"""
INSERT = "INSERT INTO t VALUES (?, ?, ?, ?)"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "both.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(MANY)
    return path


@pytest.fixture(autouse=True)
def nobody_reads_afterwards():
    yield
    assert sqlite_readers._readers == {}


def negated(row):
    return (-row[0], *row[1:])


def check(path):
    """Each row is there twice, once negated: none was lost, doubled or changed."""
    with closing(sqlite3.connect(path)) as database:
        halves = [
            database.execute(f"SELECT abs(n), name, data, x FROM t WHERE n {sign} 0").fetchall()
            for sign in "<>"
        ]
    assert len(halves[0]) == ROWS
    assert halves[0] == halves[1]


SOURCES = {
    "tuples": lambda path: Source.sqlite(path, "SELECT * FROM t").map(negated),
    "dicts": lambda path: (
        Source.sqlite(path, "SELECT * FROM t", dicts=True).map(dict.values).map(tuple).map(negated)
    ),
    "address": lambda path: Source.sqlite(f"file:{path}?mode=ro", "SELECT * FROM t").map(negated),
    "within": lambda path: (
        Source.of(path).flat_map(lambda one: Source.sqlite(one, "SELECT * FROM t")).map(negated)
    ),
}


@pytest.mark.parametrize("memory", [1, 1 << 24])
@pytest.mark.parametrize("kind", SOURCES)
def test_what_is_read_is_written_into_the_same_file(path, monkeypatch, kind, memory):
    monkeypatch.setattr(sqlite_readers, "_IN_MEMORY", memory)
    link = path.with_name("link.db")
    link.symlink_to(path)
    assert run(SOURCES[kind](link).to(Sink.sqlite(path, INSERT))) == ROWS
    check(path)


def test_units_are_written_into_the_file_that_is_read(path):
    rows = acknowledged(SOURCES["tuples"](path).batch(500), lambda element, outcomes: None)
    assert run(rows.flat_map(lambda batch: batch).to(Sink.sqlite(path, INSERT))) == ROWS
    check(path)


def test_a_log_that_is_written_ahead_makes_nobody_let_go(path, monkeypatch):
    def refuse(*_):
        raise AssertionError("it need not")

    monkeypatch.setattr(sqlite_readers.Rows, "_release", refuse)
    sink = Sink.sqlite(path, INSERT, setup="PRAGMA journal_mode = WAL")
    assert run(SOURCES["tuples"](path).to(sink)) == ROWS
    check(path)


def test_a_reader_that_cannot_let_go_is_named(path, monkeypatch):
    monkeypatch.setattr(sqlite_locks, "LOCK_SECONDS", 0.1)
    monkeypatch.setattr(sqlite_readers.Rows, "_release", lambda self: None)
    told = r"database is locked: a Source.sqlite of this process reads it .*journal_mode = WAL"
    with pytest.raises(StageError, match=told):
        run(SOURCES["tuples"](path).to(Sink.sqlite(path, INSERT)))


def test_a_temporary_file_that_cannot_be_written_fails_the_source(path, monkeypatch):
    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sqlite_locks, "LOCK_SECONDS", 0.5)
    monkeypatch.setattr(sqlite_readers, "SpooledTemporaryFile", refuse)
    with pytest.raises(StageError, match=r"No space left on device|database is locked"):
        run(SOURCES["tuples"](path).to(Sink.sqlite(path, INSERT)))
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT count(*) FROM t WHERE n > 0").fetchone() == (ROWS,)


READER = """
    import sqlite3, sys
    rows = sqlite3.connect(sys.argv[1]).execute("SELECT * FROM t")
    next(rows)
    print("reads", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="nobody tells elsewhere")
def test_another_process_that_reads_is_named_by_its_number(path, monkeypatch):
    monkeypatch.setattr(sqlite_locks, "LOCK_SECONDS", 0.1)
    code = [sys.executable, "-c", textwrap.dedent(READER), str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(code, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "reads\n"
        told = rf"database is locked: process {process.pid} has a transaction open in it: write"
        with pytest.raises(StageError, match=told):
            run(Source.of((1, "x", b"", 1.5)).to(Sink.sqlite(path, INSERT)))
        process.communicate("")
