# mypy: disable-error-code="union-attr"
"""Which element a ``Sink.sqlite`` fails for, and what is no element's fault."""

import sqlite3
from array import array
from collections import defaultdict
from contextlib import closing
from types import MappingProxyType
from typing import NamedTuple

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from actors_rs.stages.files import sqlite_locks
from tests.graph.helpers import SECONDS, wait_until

TABLE = "CREATE TABLE t (n INTEGER PRIMARY KEY)"
NO_WRITING = f"{TABLE}; PRAGMA query_only = 1"
INSERT = "INSERT INTO t VALUES (?)"
THREE = [(0,), (1,), (2,)]


class Row(NamedTuple):
    n: int


def written(path, what="count(*)"):
    with sqlite3.connect(path) as database:
        return database.execute(f"SELECT {what} FROM t").fetchone()[0]


@pytest.mark.parametrize("fanned", [False, True])
@pytest.mark.parametrize(("batch", "stays"), [(1, 70), (20, 60), (1000, 0)])
@pytest.mark.parametrize(
    ("wrong", "told"),
    [((7,), r"out\.db.*UNIQUE"), ((7, 7), r"out\.db"), (7, "Sink.sqlite: .*got 7")],
)
def test_the_element_that_is_refused_is_named_whatever_the_batch(
    tmp_path, batch, stays, wrong, told, fanned
):
    path = tmp_path / "out.db"
    rows = [wrong if n == 70 else (n,) for n in range(100)]
    sink = Sink.sqlite(path, INSERT, batch=batch, setup=TABLE)
    with pytest.raises(StageError, match=rf"'sqlite' failed at element 70: .*{told}") as caught:
        Source.from_iterable(rows).run(Sink.fan(sink, Sink.count()) if fanned else sink)
    assert caught.value.position == 70
    assert __file__ in caught.value.site
    assert written(path) == stays


@pytest.mark.parametrize("batch", [1, 2, 1000])
@pytest.mark.parametrize("policy", ["stop", "resume", "restart"])
def test_what_is_wrong_with_the_database_is_no_elements_fault(tmp_path, policy, batch):
    path = tmp_path / "out.db"
    sink = Sink.sqlite(path, INSERT, batch=batch, setup=NO_WRITING).on_failure(policy)
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        with pytest.raises(StageError, match=r"'sqlite' failed: WriteError: .*readonly"):
            system.start(Source.from_iterable(THREE).to(sink)).result(SECONDS)
        assert not system.dead_letters.recent()


def test_a_statement_that_is_no_elements_fault_fails_by_the_name_of_the_file(tmp_path):
    sink = Sink.sqlite(tmp_path / "out.db", "SELECT ?", setup=TABLE)
    with pytest.raises(StageError, match=r"'sqlite' failed: WriteError: .*out\.db: executemany"):
        Source.from_iterable(THREE).run(sink)


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("INSERT INTO missing VALUES (?)", "no such table: missing"),
        ("INSERT INTO t (m) VALUES (?)", "table t has no column named m"),
        ("INSERT INTO t VALUES (?), (", "(input|syntax)"),
        ("SELECT ?", "executemany"),
        ("INSERT INTO t VALUES (?); SELECT 1", "one statement at a time"),
    ],
)
@pytest.mark.parametrize("batch", [1, 2, 1000])
@pytest.mark.parametrize("policy", ["stop", "resume", "restart"])
def test_a_statement_that_cannot_be_run_stops_the_sink_and_no_element_is_at_fault(
    tmp_path, sql, told, policy, batch
):
    sink = Sink.sqlite(tmp_path / "out.db", sql, batch=batch, setup=TABLE).on_failure(policy)
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        with pytest.raises(StageError, match=rf"'sqlite' failed: WriteError: .*out\.db: .*{told}"):
            system.start(Source.from_iterable(THREE).to(sink)).result(SECONDS)
        assert not system.dead_letters.recent()


def test_a_table_that_goes_while_it_is_written_to_stops_the_sink(tmp_path):
    path = tmp_path / "out.db"
    with sqlite3.connect(path) as database:
        database.execute(TABLE)

    def rows():
        yield from [(1,), (1,), (2,)]  # the second one is passed over: the statement was looked at
        wait_until(lambda: written(path) == 2)
        with sqlite3.connect(path) as database:
            database.execute("DROP TABLE t")
        yield from [(3,), (4,)]

    sink = Sink.sqlite(path, INSERT, batch=1).on_failure("resume")
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(Source.from_iterable(rows).with_attributes(window=1).to(sink))
        with pytest.raises(StageError, match=r"'sqlite' failed: WriteError: .*no such table: t"):
            run.result(SECONDS)
        assert [one.what for one in system.dead_letters.recent()] == [(1,)]


def test_a_value_that_the_statement_cannot_work_with_is_still_the_elements_fault(tmp_path):
    sink = Sink.sqlite(tmp_path / "out.db", "INSERT INTO t VALUES (abs(?))", setup=TABLE)
    rows = Source.of((1,), (-(2**63),), (2, 2), (3,))  # an overflow, and a parameter too many
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        assert system.start(rows.to(sink.on_failure("resume"))).result(SECONDS) == 2
        assert [one.error.position for one in system.dead_letters.recent()] == [1, 2]


@pytest.mark.parametrize("batch", [1, 1000])
@pytest.mark.parametrize("wrong", ["7", b"7", bytearray(b"7"), 7, None, {7}, (7 for _ in "7")])
def test_an_element_that_is_no_row_is_refused_and_not_taken_apart(tmp_path, wrong, batch):
    path = tmp_path / "out.db"
    sink = Sink.sqlite(path, INSERT, batch=batch, setup="CREATE TABLE t (n)")
    with pytest.raises(StageError, match="expected a tuple or a dict of parameters, got") as it:
        Source.of((1,), wrong).run(sink)
    assert (it.value.position, type(it.value.__cause__)) == (1, TypeError)
    assert ".map(lambda x: (x,))" in str(it.value)
    assert written(path) == (1 if batch == 1 else 0)


@pytest.mark.parametrize("batch", [1, 1000])
def test_of_an_element_that_is_no_row_and_one_that_is_refused_the_first_is_named(tmp_path, batch):
    path = tmp_path / "out.db"
    sink = Sink.sqlite(path, INSERT, batch=batch, setup=TABLE)
    with pytest.raises(StageError, match=r"failed at element 1: WriteError: .*UNIQUE"):
        Source.of((1,), (1,), "text").run(sink)
    path.unlink()
    with pytest.raises(StageError, match=r"failed at element 1: TypeError: .*got 'text'"):
        Source.of((1,), "text", (1,)).run(sink)


@pytest.mark.parametrize("conflict", ["ROLLBACK", "FAIL", "ABORT"])
def test_what_the_statement_does_about_a_conflict_takes_no_other_row_along(tmp_path, conflict):
    path = tmp_path / "out.db"
    sink = Sink.sqlite(path, f"INSERT OR {conflict} INTO t VALUES (?)", setup=TABLE)
    rows = [(0,), (1,), (1,), (2,), (2,), "text", (3,)]
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(Source.from_iterable(rows).to(sink.on_failure("resume")))
        assert run.result(SECONDS) == 4
        assert [one.error.position for one in system.dead_letters.recent()] == [2, 4, 5]
    assert written(path) == 4


ORPHANS = """
PRAGMA foreign_keys = 1; CREATE TABLE p (n INTEGER PRIMARY KEY); INSERT INTO p VALUES (1), (2);
CREATE TABLE t (n INTEGER REFERENCES p DEFERRABLE INITIALLY DEFERRED)"""


@pytest.mark.parametrize("batch", [1, 1000])
def test_what_only_the_commit_refuses_is_an_elements_fault_where_it_is_alone(tmp_path, batch):
    path = tmp_path / "out.db"
    sink = Sink.sqlite(path, INSERT, batch=batch, setup=ORPHANS).on_failure("resume")
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(Source.of((1,), (7,), (2,)).to(sink))
        if batch == 1:
            assert run.result(SECONDS) == 2
            assert [one.what for one in system.dead_letters.recent()] == [(7,)]
        else:
            with pytest.raises(StageError, match=r"'sqlite' failed: WriteError: .*FOREIGN KEY"):
                run.result(SECONDS)
    assert written(path) == (2 if batch == 1 else 0)


@pytest.mark.parametrize("row", [[5], {"n": 5}, defaultdict(int, n=5), Row(5), array("i", [5])])
def test_every_kind_of_row_that_sqlite_takes_is_one(tmp_path, row):
    path = tmp_path / "out.db"
    insert = "INSERT INTO t VALUES (:n)" if isinstance(row, dict) else INSERT
    assert Source.of(row).run(Sink.sqlite(path, insert, setup=TABLE)) == 1
    assert written(path, "n") == 5


def test_a_mapping_that_is_no_dict_is_told_how_to_be_one(tmp_path):
    sink = Sink.sqlite(tmp_path / "out.db", "INSERT INTO t VALUES (:n)", setup=TABLE)
    with pytest.raises(StageError, match=r"got mappingproxy.*: \.map\(dict\) makes a dict of it"):
        Source.of(MappingProxyType({"n": 5})).run(sink)


SCALARS = ["int64(5)", "float32(5)", "bool_(True)", "datetime64('2020-01-01')", "array(5)"]


@pytest.mark.parametrize("scalar", SCALARS)
@pytest.mark.parametrize("policy", ["stop", "resume"])
def test_a_scalar_of_numpy_is_refused_and_not_written_as_its_bytes(tmp_path, scalar, policy):
    numpy = pytest.importorskip("numpy")
    path, value = tmp_path / "out.db", eval(f"numpy.{scalar}", {"numpy": numpy})
    sink = Sink.sqlite(path, "INSERT INTO t VALUES (?, ?)", setup="CREATE TABLE t (n, m)")
    rows = Source.of((1, 2), (1, value), (3, 4))
    told = r"at element 1: .*plain value for parameter 2, got .*\.item\(\)"
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        run = system.start(rows.to(sink.on_failure(policy)))
        if policy == "stop":
            with pytest.raises(StageError, match=told):
                run.result(SECONDS)
        else:
            assert run.result(SECONDS) == 2
            assert [one.what for one in system.dead_letters.recent()] == [(1, value)]
    assert written(path) == (0 if policy == "stop" else 2)


INTEGERS = "INSERT INTO t VALUES (?, ?)"


@pytest.mark.parametrize("labels", [(0, 1), (1, 0)])
def test_a_row_is_looked_at_as_sqlite_asks_for_it_and_not_as_it_iterates(tmp_path, labels):
    pandas = pytest.importorskip("pandas")
    row = pandas.Series([5, 6], index=labels)
    path = tmp_path / "out.db"
    sink = Sink.sqlite(path, INTEGERS, setup="CREATE TABLE t (n, m)")
    told = r"parameter 1, got np\.int64.*: \.tolist\(\) makes a row of plain values of a Series"
    with pytest.raises(StageError, match=told):
        Source.of(row).run(sink)
    assert written(path) == 0
    assert Source.of(row).map(lambda one: one.tolist()).run(Sink.sqlite(path, INTEGERS)) == 1
    assert written(path, "n || typeof(n)") == "5integer"


def test_a_row_whose_values_have_no_numbers_is_told_how_to_be_one(tmp_path):
    pandas = pytest.importorskip("pandas")
    row = pandas.Series([5, 6], index=[3, 4])
    sink = Sink.sqlite(tmp_path / "out.db", INTEGERS, setup="CREATE TABLE IF NOT EXISTS t (n, m)")
    with pytest.raises(StageError, match=r"KeyError: 0 from a Series: \.map\(tuple\) makes a row"):
        Source.of(row).run(sink)
    assert Source.of(row).map(tuple).run(sink) == 1


def test_a_dict_is_asked_for_what_it_does_not_hold_as_sqlite_does(tmp_path):
    numpy = pytest.importorskip("numpy")

    class Scaled(dict[str, int]):
        def __getitem__(self, name):
            return numpy.int64(10 * super().__getitem__(name))

    path = tmp_path / "out.db"
    sink = Sink.sqlite(path, "INSERT INTO t VALUES (:n)", setup=TABLE)
    rows: list[dict[str, int]] = [defaultdict(lambda: numpy.int64(5)), Scaled(n=1)]
    for row in rows:
        with pytest.raises(StageError, match=r"plain value for parameter 'n', got np\.int64"):
            Source.of(row).run(Sink.fan(sink))
        path.unlink()
    assert Source.of(defaultdict(lambda: 5)).run(sink) == 1
    assert written(path, "n") == 5


def test_what_numpy_has_and_sqlite_writes_as_it_is_goes_on_to_be_written(tmp_path):
    numpy = pytest.importorskip("numpy")
    path = tmp_path / "out.db"
    vector = numpy.array([1.0, 2.0], dtype="float32")
    row = {"n": numpy.float64(2.5), "s": numpy.str_("x"), "b": vector, "unused": numpy.int64(1)}
    sink = Sink.sqlite(path, "INSERT INTO t VALUES (:n, @s, $b)", setup="CREATE TABLE t (n, s, b)")
    assert Source.of(row, row).run(sink) == 2
    assert written(path, "n || s") == "2.5x"
    assert written(path, "b") == vector.tobytes()


def test_a_scalar_of_numpy_with_an_adapter_is_written_as_that_makes_it(tmp_path, monkeypatch):
    numpy = pytest.importorskip("numpy")
    monkeypatch.setitem(sqlite3.adapters, (numpy.int64, sqlite3.PrepareProtocol), int)
    path = tmp_path / "out.db"
    assert Source.of((numpy.int64(5),)).run(Sink.sqlite(path, INSERT, setup=TABLE)) == 1
    assert written(path, "n") == 5


STATEMENTS = {
    "with": "WITH one AS (SELECT ? AS n) INSERT INTO t SELECT n FROM one",
    "comment": "/* rows */ INSERT INTO t VALUES (?)",
    "line": "-- rows\nINSERT INTO t VALUES (?)",
    "returning": "INSERT INTO t VALUES (?) RETURNING n",
    "update": "WITH one AS (SELECT ? AS n) UPDATE t SET n = -1 WHERE n = (SELECT n FROM one)",
    "plain": INSERT,
}


@pytest.mark.parametrize("kind", [kind for kind in STATEMENTS if kind != "update"])
def test_a_batch_is_one_transaction_whatever_statement_it_runs(tmp_path, kind):
    rows = [(0,), (1,), (2,), (1,), (3,)]
    stopping = Sink.sqlite(tmp_path / "stop.db", STATEMENTS[kind], setup=TABLE)
    with pytest.raises(StageError, match=r"'sqlite' failed at element 3: .*UNIQUE"):
        Source.from_iterable(rows).run(stopping)
    assert written(tmp_path / "stop.db") == 0
    going_on = Sink.sqlite(tmp_path / "on.db", STATEMENTS[kind], setup=TABLE).on_failure("resume")
    assert Source.from_iterable(rows).run(going_on) == 4
    assert written(tmp_path / "on.db") == 4


def test_an_update_that_fails_in_the_middle_changes_nothing(tmp_path):
    path = tmp_path / "out.db"
    setup = f"{TABLE}; INSERT INTO t VALUES (1), (2)"
    with pytest.raises(StageError, match=r"'sqlite' failed at element 1: .*UNIQUE"):
        Source.of((1,), (2,)).run(Sink.sqlite(path, STATEMENTS["update"], setup=setup))
    assert written(path, "min(n)") == 1


@pytest.mark.parametrize("setup", [f"BEGIN; {TABLE}", f"{TABLE}; BEGIN"])
def test_a_setup_that_leaves_a_transaction_open_is_committed(tmp_path, setup):
    assert Source.from_iterable(THREE).run(Sink.sqlite(tmp_path / "x.db", INSERT, setup=setup)) == 3
    assert written(tmp_path / "x.db") == 3


@pytest.mark.parametrize("row", [(7,), [7], range(7, 8), Row(7), array("b", [7]), {"n": 7}])
def test_a_row_is_a_dict_or_any_sequence_that_is_no_text(tmp_path, row):
    path = tmp_path / "x.db"
    insert = f"INSERT INTO t VALUES ({':n' if isinstance(row, dict) else '?'})"
    assert Source.of(row).run(Sink.sqlite(path, insert, setup=TABLE)) == 1
    assert written(path, "n") == 7


class Fraction(float):
    pass


@pytest.mark.parametrize("make", [float, Fraction])
@pytest.mark.parametrize("beside", [None, 7, b"x", array("b", [1])])
def test_nan_is_refused_since_sqlite_would_write_null(tmp_path, make, beside):
    path = tmp_path / "out.db"
    rows = [(1.5, beside), (make("inf"), beside), (make("nan"), beside), (None, beside)]
    table = "CREATE TABLE t (n, beside)"
    insert = "INSERT INTO t VALUES (?, ?)"
    told = "failed at element 2: ValueError: Sink.sqlite: expected numbers, got nan, .*give None"
    with pytest.raises(StageError, match=told):
        Source.from_iterable(rows).run(Sink.sqlite(path, insert, setup=table))
    named = "INSERT INTO t VALUES (:n, :beside)"
    dicts = Source.from_iterable([{"n": n, "beside": other} for n, other in rows])
    assert dicts.run(Sink.sqlite(path, named).on_failure("resume")) == 3
    assert written(path) == 3


def test_a_sink_whose_database_another_connection_holds_says_so(tmp_path, monkeypatch):
    path = tmp_path / "out.db"
    monkeypatch.setattr(sqlite_locks, "LOCK_SECONDS", 0.1)
    with closing(sqlite3.connect(path)) as database:
        database.executescript(f"{TABLE}; BEGIN IMMEDIATE")
        with pytest.raises(StageError, match=r"database is locked: another connection") as told:
            Source.from_iterable(THREE).run(Sink.sqlite(path, INSERT))
    assert "feed one sink (merge, Source.merge_hub), or write into another file" in str(told.value)
