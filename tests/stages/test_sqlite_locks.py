# mypy: disable-error-code="union-attr"
"""How long a ``Sink.sqlite`` waits for a locked file, and which connection it names."""

import sqlite3
import subprocess
import sys
import textwrap
import threading
from contextlib import closing

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.delivery import acknowledged
from actors_rs.errors import RunCancelled, StageError
from actors_rs.stages.files import sqlite_locks, sqlite_readers
from tests.graph.helpers import SECONDS, wait_until

TABLE = "CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY)"
INSERT = "INSERT INTO t VALUES (?)"
ROWS = Source.of((0,), (1,), (2,))
SOURCES = {"rows": ROWS, "units": acknowledged(ROWS, lambda row, outcomes: None)}
SETUPS = {
    "begin": None,
    "setup": "CREATE TABLE u (n); CREATE TABLE v (n)",
    "advised": "PRAGMA journal_mode = WAL",
}


@pytest.fixture
def path(tmp_path):
    with closing(sqlite3.connect(tmp_path / "x.db")) as database:
        database.execute(TABLE)
    return tmp_path / "x.db"


@pytest.fixture
def waits(monkeypatch):
    """Set once a sink has found the file locked."""
    seen, is_locked = threading.Event(), sqlite_locks.is_locked

    def note(error):
        seen.set()
        return is_locked(error)

    monkeypatch.setattr(sqlite_locks, "is_locked", note)
    return seen


@pytest.fixture(params=["wal", "delete"])
def writer(request, path):
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as database:
        database.execute(f"PRAGMA journal_mode = {request.param}")
        database.execute("BEGIN IMMEDIATE")
        yield database


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("kind", SOURCES)
def test_a_sink_that_waits_for_a_writer_says_so_and_goes_on_after_it(
    path, writer, kind, setup, monkeypatch, caplog
):
    monkeypatch.setattr(sqlite_locks, "_QUIET_SECONDS", sqlite_locks.STEP_SECONDS)
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(SOURCES[kind].to(Sink.sqlite(path, INSERT, setup=SETUPS[setup])))
        wait_until(lambda: "has been locked for" in caplog.text)
        writer.execute("COMMIT")
        assert run.result(SECONDS) == 3
    assert caplog.text.count("has been locked for") == 1
    assert "feed one sink (merge, Source.merge_hub)" in caplog.text


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("kind", SOURCES)
def test_a_cancellation_ends_the_wait_for_another_writer(path, writer, kind, setup, waits, caplog):
    with ActorSystem(workers=2, cancel_grace=SECONDS, shutdown_timeout=SECONDS) as system:
        run = system.start(SOURCES[kind].to(Sink.sqlite(path, INSERT, setup=SETUPS[setup])))
        assert waits.wait(SECONDS)
        run.cancel()
        with pytest.raises(RunCancelled):
            run.result(SECONDS)
    assert not caplog.records


def test_a_source_that_begins_to_read_while_a_setup_waits_releases_the_file_for_it(
    path, waits, monkeypatch
):
    monkeypatch.setattr(sqlite_locks, "LOCK_SECONDS", 5.0)
    gate = threading.Event()
    with (
        closing(sqlite3.connect(path, isolation_level=None)) as writer,
        ActorSystem(workers=2, shutdown_timeout=SECONDS) as system,
    ):
        writer.execute("BEGIN IMMEDIATE")
        writer.executemany(INSERT, [(n,) for n in range(10, 20_010)])
        writer.execute("COMMIT")
        writer.execute("BEGIN IMMEDIATE")
        run = system.start(ROWS.to(Sink.sqlite(path, INSERT, setup="CREATE TABLE u (n)")))
        assert waits.wait(SECONDS)
        rows = Source.sqlite(path, "SELECT n FROM t").map(lambda row: gate.wait(SECONDS))
        reads = system.start(rows.with_attributes(dispatcher="pinned").to(Sink.count()))
        wait_until(lambda: sqlite_readers.are_there(str(path)))
        writer.execute("ROLLBACK")
        try:
            assert run.result(SECONDS) == 3
        finally:
            gate.set()
        assert reads.result(SECONDS) == 20_000


@pytest.mark.parametrize("policy", ["stop", "resume"])
@pytest.mark.parametrize("kind", SOURCES)
def test_a_row_is_not_at_fault_for_a_commit_that_a_cancellation_ends(
    path, kind, policy, waits, caplog
):
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT * FROM t").fetchone() is None  # its lock stays
        with ActorSystem(workers=2, cancel_grace=SECONDS, shutdown_timeout=SECONDS) as system:
            sink = Sink.sqlite(path, INSERT, batch=1).on_failure(policy)
            run = system.start(SOURCES[kind].to(sink))
            assert waits.wait(SECONDS)
            run.cancel()
            with pytest.raises(RunCancelled):
                run.result(SECONDS)
            assert run.state == "cancelled"
            assert not system.dead_letters.total
    assert not caplog.records


@pytest.mark.parametrize("kind", SOURCES)
def test_units_and_rows_wait_equally_long(path, writer, kind, monkeypatch):
    attempts = []

    def count(error):
        attempts.append(error)
        return True

    monkeypatch.setattr(sqlite_locks, "LOCK_SECONDS", 3 * sqlite_locks.STEP_SECONDS)
    monkeypatch.setattr(sqlite_locks, "is_locked", count)
    with pytest.raises(StageError, match="database is locked"):
        SOURCES[kind].run(Sink.sqlite(path, INSERT))
    assert len(attempts) == 3


OTHER = """
    import sqlite3, sys
    database = sqlite3.connect(sys.argv[1], isolation_level=None)
    database.execute(sys.argv[2])
    print("holds", database.execute("SELECT * FROM t").fetchone(), flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="nobody tells elsewhere")
@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_the_error_advises_no_write_ahead_log_where_another_process_writes(path, mode, monkeypatch):
    monkeypatch.setattr(sqlite_locks, "LOCK_SECONDS", 0.1)
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA journal_mode = {mode}")
    code = [sys.executable, "-c", textwrap.dedent(OTHER), str(path), "BEGIN IMMEDIATE"]
    pipe = subprocess.PIPE
    with subprocess.Popen(code, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "holds None\n"
        with pytest.raises(StageError, match=f"process {process.pid} has a transaction") as told:
            ROWS.run(Sink.sqlite(path, INSERT))
        process.communicate("")
    assert "make the other transaction shorter" in str(told.value)
    assert "WAL" not in str(told.value)


def test_a_setup_is_run_statement_by_statement(tmp_path):
    setup = f"""
        PRAGMA journal_mode = WAL; {TABLE}; -- a comment; with one
        CREATE TABLE "a;b" (x DEFAULT ';');
        CREATE TRIGGER g AFTER INSERT ON t BEGIN
            INSERT INTO "a;b" VALUES (new.n); DELETE FROM "a;b" WHERE x = 0;
        END;;
        SELECT 1 UNION SELECT 2; /* the end; */
        INSERT INTO t VALUES (9) -- no semicolon"""
    assert ROWS.run(Sink.sqlite(tmp_path / "x.db", INSERT, setup=setup)) == 3
    with closing(sqlite3.connect(tmp_path / "x.db")) as database:
        assert database.execute("SELECT count(*) FROM t").fetchone() == (4,)
        assert database.execute('SELECT x FROM "a;b" ORDER BY x').fetchall() == [(1,), (2,), (9,)]
