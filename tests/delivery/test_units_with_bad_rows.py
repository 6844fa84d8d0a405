# mypy: disable-error-code="no-untyped-def, no-untyped-call, var-annotated, arg-type"
"""Units with a row that cannot be written: it is a dead letter, the rest is committed; or none."""

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.delivery import Disposition, acknowledged
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

DELIVERED, LETTERED = Disposition.DELIVERED, Disposition.DEAD_LETTERED
GOING_ON: dict[str, Any] = {
    "resume": {"policy": "resume"},
    "restart": {"policy": "restart"},
    "decider": {"decider": lambda error, row: "resume"},
}
MANY = 20_000
"""More rows than Sink.parquet gathers before it writes."""


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


class Sqlite:
    """A table of different numbers; -1 is refused by it, a text by the sink."""

    bad = ("text", (-1,), (1,))

    def __init__(self, folder):
        self.path = folder / "out.db"
        setup = "CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY CHECK (n >= 0))"
        self.sink = Sink.sqlite(self.path, "INSERT INTO t VALUES (?)", setup=setup)

    def row(self, n):
        return (n,)

    def written(self):
        with closing(sqlite3.connect(self.path)) as database:
            return [n for (n,) in database.execute("SELECT n FROM t ORDER BY n")]


class Parquet:
    """A data set of numbers, which has no texts."""

    bad = ("text", {"n": "text"}, {"n": 2.5})

    def __init__(self, folder):
        self.path = folder / "out"
        self.sink = Sink.parquet(self.path, pa.schema({"n": pa.int64()}))

    def row(self, n):
        return {"n": n}

    def written(self):
        parts = self.path.glob("part-*.parquet")
        return sorted(n for part in parts for n in pq.read_table(part)["n"].to_pylist())


@pytest.fixture(params=[Sqlite, Parquet], ids=["sqlite", "parquet"])
def out(request, tmp_path):
    return request.param(tmp_path)


def units(done, *several):
    """Each of ``several``, a tuple of rows, is a unit."""
    numbered = dict(enumerate(several))
    return acknowledged(Source.from_iterable(numbered), done.__setitem__).flat_map(
        numbered.__getitem__
    )


def letters(system):
    return [(one.what, one.error.position) for one in system.dead_letters.recent()]


@pytest.mark.parametrize("fanned", [False, True])
@pytest.mark.parametrize("going_on", GOING_ON)
def test_a_row_that_cannot_be_written_is_a_dead_letter_and_the_rest_of_its_unit_is_committed(
    system, out, going_on, fanned
):
    done, good = {}, [out.row(n) for n in range(6)]
    rows = units(done, good[:3], (*good[3:5], *out.bad, good[5]), out.bad)
    sink = out.sink.on_failure(**GOING_ON[going_on])
    system.start(rows.to(Sink.fan(sink, Sink.count()) if fanned else sink)).result(SECONDS)
    assert out.written() == list(range(6))
    assert sorted(letters(system), key=lambda one: one[1]) == [
        *zip(out.bad, (5, 6, 7), strict=True),
        *zip(out.bad, (9, 10, 11), strict=True),
    ]
    both = 2 if fanned else 1
    more = {DELIVERED: 3} if fanned else {}
    assert done.pop(0) == {DELIVERED: 3 * both}
    assert done.pop(1) == {DELIVERED: 3 + 6 * fanned, LETTERED: 3}
    assert done.pop(2) == {LETTERED: 3, **more}


@pytest.mark.parametrize("policy", ["stop", "decider"])
def test_a_row_that_stops_the_sink_is_named_and_nothing_of_its_unit_is_written(system, out, policy):
    done, last = {}, out.bad[1]
    sink = out.sink.on_failure(decider=lambda error, row: "stop" if row == last else "resume")
    rows = [out.row(3), out.bad[0], last, out.row(4)]
    if policy == "stop":
        sink, rows[1] = out.sink, out.row(5)
    stream = units(done, [out.row(n) for n in range(3)], rows)
    with pytest.raises(StageError, match="failed at element 5: ") as failed:
        system.start(stream.to(sink)).result(SECONDS)
    assert failed.value.position == 5
    assert out.written() in ([], [0, 1, 2])
    assert 1 not in done
    assert letters(system) == ([] if policy == "stop" else [(out.bad[0], 4)])


@pytest.mark.parametrize("bad_at", [7, MANY - 1])
def test_in_a_long_unit_the_row_at_fault_is_told_and_no_other(system, out, bad_at):
    done, rows = {}, [out.row(n) for n in range(MANY)]
    rows[bad_at] = out.bad[1]
    with pytest.raises(StageError, match=f"failed at element {bad_at}: "):
        system.start(units(done, rows).to(out.sink)).result(SECONDS)
    assert (done, out.written()) == ({}, [])
    system.start(units(done, rows).to(out.sink.on_failure("resume"))).result(SECONDS)
    assert out.written() == [n for n in range(MANY) if n != bad_at]
    assert letters(system) == [(out.bad[1], bad_at)]
    assert done == {0: {DELIVERED: MANY - 1, LETTERED: 1}}


def test_an_element_of_several_rows_of_which_one_is_refused_is_dead_lettered(system, tmp_path):
    done, out = {}, Parquet(tmp_path)
    lists = units(done, ([{"n": 1}, {"n": "x"}, {"n": 2}, {"n": "y"}], [{"n": 3}], [{"n": "z"}]))
    report = system.start(lists.to(out.sink.on_failure("resume"))).result(SECONDS)
    assert (report.rows, out.written()) == (3, [1, 2, 3])
    assert letters(system) == [({"n": "x"}, 0), ({"n": "y"}, 0), ({"n": "z"}, 2)]
    assert done == {0: {DELIVERED: 1, LETTERED: 2}}


def test_a_unit_of_which_no_row_is_left_has_no_file_and_is_done(system, tmp_path):
    done, out = {}, Parquet(tmp_path)
    graph = units(done, out.bad).to(out.sink.on_failure("resume"))
    assert system.start(graph).result(SECONDS).files == ()
    assert done == {0: {LETTERED: 3}}
    assert list(out.path.iterdir()) == []


def test_a_database_that_cannot_be_written_is_no_rows_fault_in_a_unit_either(system, tmp_path):
    done = {}
    sink = Sink.sqlite(tmp_path / "out.db", "INSERT INTO missing VALUES (?)").on_failure("resume")
    with pytest.raises(StageError, match="no such table: missing"):
        system.start(units(done, [(1,), "text"]).to(sink)).result(SECONDS)
    assert done == {}
    assert letters(system) == []
