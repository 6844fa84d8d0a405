# mypy: disable-error-code="arg-type, call-overload, dict-item"
"""Sinks that write files, where elements that cannot be written are passed over."""

import json
import sqlite3
from datetime import date, datetime

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check that it is there

TABLE = "CREATE TABLE t (n INTEGER PRIMARY KEY)"


@pytest.fixture
def system():
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        yield system


def letters(system):
    return [(one.what, one.error.position) for one in system.dead_letters.recent()]


@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_jsonl_keeps_its_file_and_leaves_out_what_is_no_json(system, tmp_path, policy):
    bad = {3}
    values = [1, bad, 2, bad, 3]
    sink = Sink.jsonl(tmp_path / "out.jsonl").on_failure(policy)
    report = system.start(Source.of(*values).to(sink)).result(SECONDS)
    assert report.rows == 3
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().split()] == [1, 2, 3]
    assert letters(system) == [(bad, 1), (bad, 3)]


@pytest.mark.parametrize("batch", [1, 7, 1000])
@pytest.mark.parametrize("policy", ["resume", "restart"])
def test_sqlite_commits_the_rest_of_a_batch_with_a_row_that_is_refused(
    system, tmp_path, policy, batch
):
    values = [*range(50), 7, *range(50, 100), 8]
    path = tmp_path / "out.db"
    sink = Sink.sqlite(path, "INSERT INTO t VALUES (?)", batch=batch, setup=TABLE)
    flow = Source.of(*values).map(lambda n: (n,))
    assert system.start(flow.to(sink.on_failure(policy))).result(SECONDS) == 100
    with sqlite3.connect(path) as database:
        assert [n for (n,) in database.execute("SELECT n FROM t ORDER BY n")] == list(range(100))
    assert letters(system) == [((7,), 50), ((8,), 101)]


def test_a_decider_may_still_stop_a_sink_within_a_batch(system, tmp_path):
    sink = Sink.sqlite(tmp_path / "out.db", "INSERT INTO t VALUES (?)", setup=TABLE)
    flow = Source.of(1, 2, 1, 3, 2, 4).map(lambda n: (n,))
    decided = sink.on_failure(decider=lambda _, row: "stop" if row == (2,) else "resume")
    with pytest.raises(StageError, match="'sqlite' failed at element 4: WriteError"):
        system.start(flow.to(decided)).result(SECONDS)
    assert letters(system) == [((1,), 2)]


@pytest.mark.parametrize("schema", [None, pa.schema([("n", pa.int64())])], ids=["first", "given"])
def test_parquet_leaves_out_rows_that_do_not_fit(system, tmp_path, schema):
    rows = [{"n": n} for n in range(100)]
    rows[10:10] = [{"n": "ten"}]
    sink = Sink.parquet(tmp_path, schema).on_failure("resume")
    report = system.start(Source.of(*rows, 5).to(sink)).result(SECONDS)
    assert report.rows == 100
    assert parquet.read_table(tmp_path)["n"].to_pylist() == list(range(100))
    assert letters(system) == [({"n": "ten"}, 10), (5, 101)]


def test_parquet_stops_at_a_row_if_that_is_decided(system, tmp_path):
    sink = Sink.parquet(tmp_path).on_failure(decider=lambda *_: "stop")
    with pytest.raises(StageError, match="'parquet' failed"):
        system.start(Source.of({"n": 1}, {"n": "two"}).to(sink)).result(SECONDS)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("rows_per_file", [1, 10_000])
@pytest.mark.parametrize("ten", [2.5, "x"])
def test_a_number_that_is_not_whole_is_not_cut_to_one(system, tmp_path, ten, rows_per_file):
    rows = [{"a": 1}, {"a": 2.5}, {"a": ten}, {"a": 3}]
    schema = pa.schema({"a": pa.int64()})
    sink = Sink.parquet(tmp_path, schema, rows_per_file=rows_per_file).on_failure("resume")
    assert system.start(Source.of(*rows).to(sink)).result(SECONDS).rows == 2
    assert parquet.read_table(tmp_path)["a"].to_pylist() == [1, 3]
    assert letters(system) == [(rows[1], 1), (rows[2], 2)]


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        ({"a": 1}, {"a": 2.5}, "expected int64 in column 'a', got 2.5, which would be"),
        ({"a": date(2020, 1, 1)}, {"a": datetime(2020, 1, 1, 5)}, "expected date32.*got datetime"),
        ({"a": {"x": 1}}, {"a": {"x": 2, "y": 3}}, "column 'a' of the first row has no field 'y'"),
    ],
)
def test_a_row_that_differs_from_the_first_element_is_refused_wherever_it_comes(
    system, tmp_path, first, then, told
):
    at_once = 16_384  # single rows are written so many at a time
    for before in (1, 7, at_once - 1, at_once):
        rows = [*[first] * before, then, *[first] * (at_once - before)]
        refused = f"'parquet' failed at element {before}: ValueError: {told}"
        with pytest.raises(StageError, match=refused):
            system.start(Source.of(*rows).to(Sink.parquet(tmp_path))).result(SECONDS)
        sink = Sink.parquet(tmp_path).on_failure("resume")
        assert system.start(Source.of(*rows).to(sink)).result(SECONDS).rows == at_once
        assert letters(system)[-1] == (then, before)


@pytest.mark.parametrize("rows_per_file", [1, 10_000])
def test_the_first_element_that_cannot_be_written_is_the_one_that_is_told(
    system, tmp_path, rows_per_file
):
    elements = [{"a": 1}, {"a": "x"}, *({"a": n} for n in range(4)), 5, {"a": 6}]
    sink = Sink.parquet(tmp_path, rows_per_file=rows_per_file)
    with pytest.raises(StageError, match="'parquet' failed at element 1: ArrowInvalid"):
        system.start(Source.of(*elements).to(sink)).result(SECONDS)


def drifting(n, bad):
    """``n`` rows as elements of all kinds, one of them with a text for a number at row ``bad``."""
    rows = [{"n": "drift" if number == bad else number} for number in range(n)]
    while rows:
        for size in (0, 1, 3):
            if size == 0:
                yield rows.pop(0) if rows else []
            else:
                yield [rows.pop(0) for _ in rows[:size]]


@pytest.mark.parametrize("rows_per_file", [5, 64, 10_000])
@pytest.mark.parametrize("schema", [None, pa.schema([("n", pa.int64())])], ids=["first", "given"])
@pytest.mark.parametrize("bad", [1, 4, 37, 98, 99])
def test_a_row_that_does_not_fit_is_told_by_the_position_of_its_element(
    system, tmp_path, schema, bad, rows_per_file
):
    elements = list(drifting(100, bad))
    guilty = next(n for n, one in enumerate(elements) if "drift" in str(one))
    for policy in ("stop", "resume"):
        sink = Sink.parquet(tmp_path / policy, schema, rows_per_file=rows_per_file)
        graph = Source.of(*elements).to(sink.on_failure(policy))
        if policy == "stop":
            with pytest.raises(StageError, match=f"'parquet' failed at element {guilty}: Arrow"):
                system.start(graph).result(SECONDS)
        else:
            assert system.start(graph).result(SECONDS).rows == 99
    assert letters(system) == [({"n": "drift"}, guilty)]


def test_positions_behind_elements_that_were_passed_over_are_right_too(system, tmp_path):
    batch = pa.RecordBatch.from_pylist([{"n": 1}])
    elements = [{"n": 1}, 7, {"n": 2}, batch, [], {"n": "x"}, 8, [{"n": 3}, 9], {"n": 4, "m": 5}]
    sink = Sink.parquet(tmp_path).on_failure("resume")
    assert system.start(Source.of(*elements).to(sink)).result(SECONDS).rows == 4
    assert sorted(letters(system), key=lambda letter: letter[1]) == [
        (7, 1),
        ({"n": "x"}, 5),
        (8, 6),
        (9, 7),
        ({"n": 4, "m": 5}, 8),
    ]
    assert parquet.read_table(tmp_path)["n"].to_pylist() == [1, 2, 1, 3]


def test_a_column_that_comes_later_is_told_by_the_position_of_its_element(system, tmp_path):
    rows = [{"n": n} for n in range(50)]
    rows[30] = {"n": 30, "new": 1}
    with pytest.raises(
        StageError, match=r"at element 30: ValueError: Sink\.parquet: the first row has"
    ):
        system.start(Source.of(*rows).to(Sink.parquet(tmp_path))).result(SECONDS)


def test_a_list_with_something_that_is_no_row_says_so(system, tmp_path):
    flow = Source.of([{"n": 1}], [{"n": 1}, 3])
    for schema in (None, pa.schema([("n", pa.int64())])):
        with pytest.raises(
            StageError, match=r"at element 1: TypeError: Sink\.parquet: expected a list"
        ):
            system.start(flow.to(Sink.parquet(tmp_path, schema))).result(SECONDS)


def test_where_no_row_fits_nothing_is_written_and_each_is_passed_over(system, tmp_path):
    sink = Sink.parquet(tmp_path).on_failure("resume")
    assert system.start(Source.of([1, 2], [3]).to(sink)).result(SECONDS).rows == 0
    assert letters(system) == [(1, 0), (2, 0), (3, 1)]
