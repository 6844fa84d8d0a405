"""Rows of a query as dicts: no column is lost."""

import sqlite3

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import run


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "in.db"
    with sqlite3.connect(path) as database:
        database.executescript(
            "CREATE TABLE a (id, name); CREATE TABLE b (id, name, a); "
            "INSERT INTO a VALUES (1, 'one'); INSERT INTO b VALUES (2, 'two', 1)"
        )
    database.close()
    return path


def test_columns_of_the_same_name_are_refused_where_a_dict_would_hold_one_of_them(path):
    query = "SELECT * FROM a JOIN b ON b.a = a.id"
    with pytest.raises(StageError, match=r"could not read .*in\.db: expected a name for each"):
        run(Source.sqlite(path, query, dicts=True).to(Sink.count()))
    with pytest.raises(StageError, match="got 'id', 'name' more than once: name them with AS"):
        run(Source.sqlite(path, f"{query} WHERE 0", dicts=True).to(Sink.count()))


def test_columns_of_the_same_name_are_no_loss_in_tuples_or_with_names_of_their_own(path):
    join = "FROM a JOIN b ON b.a = a.id"
    assert run(Source.sqlite(path, f"SELECT * {join}").to(Sink.first())) == (1, "one", 2, "two", 1)
    query = f"SELECT a.id, b.id AS other {join}"
    assert run(Source.sqlite(path, query, dicts=True).to(Sink.first())) == {"id": 1, "other": 2}


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE c (x)",
        "DELETE FROM a",
        "INSERT INTO a VALUES (2, 'x') RETURNING id",
        "VACUUM INTO 'new.db'",
        "ATTACH 'new.db' AS more",
        "WITH o AS (SELECT 1) DELETE FROM a",
    ],
)
@pytest.mark.parametrize("address", ["{}", "file:{}", "file://{}?mode=rwc", "file:{}?mode=rw#end"])
def test_a_statement_that_writes_is_refused_however_the_database_is_named(
    path, monkeypatch, statement, address
):
    monkeypatch.chdir(path.parent)
    before = path.read_bytes()
    told = "expected a query, got a statement that writes" if "ATTACH" not in statement else "too"
    with pytest.raises(StageError, match=rf"could not read .*in\.db.*: .*{told}"):
        run(Source.sqlite(address.format(path), statement).to(Sink.list()))
    assert path.read_bytes() == before
    assert not (path.parent / "new.db").exists()


@pytest.mark.parametrize("address", ["file:n.db", "file:n.db?mode=rwc", "file:n.db?cache=shared"])
def test_a_database_that_is_not_there_is_not_made(tmp_path, monkeypatch, address):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(StageError, match="unable to open"):
        run(Source.sqlite(address, "SELECT 1").to(Sink.list()))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "WITH o AS (SELECT 1) SELECT * FROM o",
        "VALUES (1)",
        "-- all\nSELECT 1",
        "PRAGMA encoding",
        "EXPLAIN QUERY PLAN SELECT 1",
    ],
)
@pytest.mark.parametrize("address", ["{}", "file:{}", "file::memory:", "file:x?mode=memory"])
def test_whatever_gives_rows_is_read(path, query, address):
    assert len(run(Source.sqlite(address.format(path), query).to(Sink.list()))) == 1
