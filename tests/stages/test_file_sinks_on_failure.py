# mypy: disable-error-code="arg-type, call-overload, dict-item"
"""Sinks that write files, where elements that cannot be written are passed over."""

import json
import sqlite3

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
    assert [one.what for one in system.dead_letters.recent()] == [5, {"n": "ten"}]


def test_parquet_stops_at_a_row_if_that_is_decided(system, tmp_path):
    sink = Sink.parquet(tmp_path).on_failure(decider=lambda *_: "stop")
    with pytest.raises(StageError, match="'parquet' failed"):
        system.start(Source.of({"n": 1}, {"n": "two"}).to(sink)).result(SECONDS)
    assert not list(tmp_path.iterdir())
