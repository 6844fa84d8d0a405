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
