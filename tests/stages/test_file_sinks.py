# mypy: disable-error-code="arg-type, assignment, return-value, var-annotated"
"""Sinks that write: real files, whole or not at all, also when the disk is full."""

import json
import os
import sqlite3
import subprocess
import sys
import textwrap

import pytest

from actors_rs import ActorSystem, Graph, Sink, Source, merge
from actors_rs.errors import RunCancelled, StageError, StreamError, WriteError
from actors_rs.stages.files import json_lines
from tests.graph.helpers import SECONDS, run, wait_until

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check that it is there

TABLE = "CREATE TABLE IF NOT EXISTS t (n INTEGER PRIMARY KEY)"


def rows_of(path):
    with sqlite3.connect(path) as database:
        return [n for (n,) in database.execute("SELECT n FROM t ORDER BY n")]


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_jsonl_writes_every_json_value_and_reports_the_file(tmp_path):
    values = [None, True, 1, 2.5, "ü\n\u2028", [1, {"a": None}], {"b": []}, "\udc80"]
    path = tmp_path / "out.jsonl"
    report = run(Source.of(*values).to(Sink.jsonl(path)))
    assert (report.files, report.rows) == ((str(path),), len(values))
    lines = path.read_text("utf-8").split("\n")[:-1]
    assert [json.loads(line) for line in lines] == values
    assert left_in(tmp_path) == ["out.jsonl"]


def test_jsonl_needs_no_encoder_of_its_own_for_each_row(tmp_path, monkeypatch):
    made, make = [], json.JSONEncoder.__init__

    def noted(self, **options):
        made.append(self)
        make(self, **options)

    monkeypatch.setattr(json.JSONEncoder, "__init__", noted)
    assert run(Source.range(0, 100).to(Sink.jsonl(tmp_path / "out.jsonl"))).rows == 100
    assert len(made) <= 1


AROUND: list[object] = []
AROUND.append({"again": AROUND})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object(), AROUND])
def test_what_is_no_json_value_fails_the_run_and_leaves_the_old_file(tmp_path, value):
    path = tmp_path / "out.jsonl"
    path.write_text("old")
    with pytest.raises(StageError) as caught:
        run(Source.of(1, 2, value).to(Sink.jsonl(path)))
    assert caught.value.position == 2
    assert path.read_text() == "old"
    assert left_in(tmp_path) == ["out.jsonl"]


TWINS = [
    ({1: 2, "1": 3}, "1"),
    ({True: 1, "x": 2, "true": 3}, "true"),
    ({"a": [{None: 1, "null": 2}]}, "null"),
    ([{"b": {}}, ({-1.5: 1, "-1.5": 2},)], "-1.5"),
]


@pytest.mark.parametrize(("value", "key"), TWINS)
@pytest.mark.parametrize("in_c", [True, False])
def test_an_element_whose_keys_would_be_written_as_one_is_refused(
    tmp_path, monkeypatch, value, key, in_c
):
    if not in_c:
        monkeypatch.setattr(json.encoder, "c_make_encoder", None)
        monkeypatch.setattr(json_lines, "_PLAIN_ENCODE", json_lines._encoding(None))
    path = tmp_path / "out.jsonl"
    told = f"at element 1: ValueError: Sink.jsonl: expected keys .* two that are written '{key}'"
    with pytest.raises(StageError, match=told):
        run(Source.of(1, value).to(Sink.jsonl(path)))
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        sink = Sink.jsonl(path).on_failure("resume")
        assert system.start(Source.of(1, value, 2).to(sink)).result(SECONDS).rows == 2
        assert [one.what for one in system.dead_letters.recent()] == [value]
    assert path.read_text() == "1\n2\n"


@pytest.mark.parametrize(
    "value",
    [
        {1: 2, "a": 3, None: {"2": 1}},
        [{2: "a", 3: "b"}, {"2": {"x": 1}}],
        {"1": {"true": {"null": '": {'}}},
        ("text", {"a": [1, None, True, 2.5, {}]}),
    ],
)
def test_keys_that_are_no_texts_are_written_as_such(tmp_path, value):
    path = tmp_path / "out.jsonl"
    assert run(Source.of(value).to(Sink.jsonl(path))).rows == 1
    assert path.read_text() == json.dumps(value) + "\n"


def test_sqlite_commits_every_row_and_says_how_many(tmp_path):
    path = tmp_path / "out.db"
    source = Source.range(0, 1234).map(lambda n: (n,))
    sink = Sink.sqlite(path, "INSERT INTO t VALUES (?)", batch=100, setup=TABLE)
    assert run(source.to(sink)) == 1234
    assert rows_of(path) == list(range(1234))


def test_sqlite_takes_a_batch_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.db"
    source = Source.from_iterable([*range(25), 7]).map(lambda n: {"n": n})
    sink = Sink.sqlite(path, "INSERT INTO t VALUES (:n)", batch=10, setup=TABLE)
    with pytest.raises(StreamError, match=r"out\.db.*UNIQUE"):
        run(source.to(sink))
    assert rows_of(path) == list(range(20))


@pytest.mark.parametrize("as_rows", ["dicts", "lists", "batches", "tables"])
def test_parquet_can_be_read_back_and_says_how_many_rows(tmp_path, as_rows):
    rows = [{"n": n, "text": None if n % 7 else str(n)} for n in range(1000)]
    schema = pa.schema([("n", pa.int64()), ("text", pa.string())])
    source = Source.from_iterable(rows)
    if as_rows != "dicts":
        source = source.batch(64)
    if as_rows == "batches":
        source = source.map(lambda some: pa.RecordBatch.from_pylist(some, schema=schema))
    if as_rows == "tables":
        source = source.map(lambda some: pa.Table.from_pylist(some, schema=schema))
    report = run(source.to(Sink.parquet(tmp_path / "d", schema, rows_per_file=300)))
    assert report.rows == 1000
    assert len(report.files) == 4
    assert [os.path.basename(file) for file in report.files] == left_in(tmp_path / "d")
    assert sum(parquet.read_metadata(file).num_rows for file in report.files) == 1000
    assert parquet.read_table(tmp_path / "d").sort_by("n").to_pylist() == rows


def test_parquet_refuses_what_is_no_row_in_one_sentence(tmp_path):
    with pytest.raises(StageError, match=r"expected a record batch, a table, a dict.*got a int"):
        run(Source.of(1).to(Sink.parquet(tmp_path)))
    assert left_in(tmp_path) == []


def test_a_column_that_the_first_row_does_not_have_is_not_dropped_in_silence(tmp_path):
    rows = Source.of({"a": 1}, {"a": 2, "b": 3})
    with pytest.raises(StreamError, match="no column 'b'"):
        run(rows.to(Sink.parquet(tmp_path / "d")))
    schema = pa.schema([("a", pa.int64())])
    assert run(rows.to(Sink.parquet(tmp_path / "d", schema))).rows == 2


def test_two_sinks_on_one_file_are_refused_and_the_next_run_may_have_it(tmp_path):
    path = tmp_path / "out.jsonl"
    a, b = Source.range(0, 9).broadcast(2)
    with pytest.raises(StageError, match="another sink of this process is writing it"):
        run(Graph(a.to(Sink.jsonl(path)), b.to(Sink.jsonl(tmp_path / "." / "out.jsonl"))))
    assert left_in(tmp_path) == []
    for _ in range(2):
        assert run(Source.range(0, 9).to(Sink.jsonl(path))).rows == 9


def test_a_second_run_adds_its_files_and_leaves_the_first_ones(tmp_path):
    graph = Source.of({"n": 1}).to(Sink.parquet(tmp_path))
    assert run(graph).files != run(graph).files
    assert parquet.read_table(tmp_path).num_rows == 2


SINKS = {
    "jsonl": lambda folder: Sink.jsonl(folder / "out.jsonl"),
    "parquet": lambda folder: Sink.parquet(folder, rows_per_file=20),
}


@pytest.mark.parametrize("make", SINKS.values(), ids=SINKS.keys())
def test_nothing_unfinished_is_visible_while_it_is_written(tmp_path, make):
    with ActorSystem() as system:
        rows = Source.range(0, 10).map(lambda n: {"n": n})
        going = system.start(merge(rows, Source.never()).to(make(tmp_path)))
        wait_until(lambda: going.snapshot().stages[-1].elements_in == 10)
        assert all(name.startswith(".") for name in left_in(tmp_path))
        going.drain()
        assert going.result(SECONDS).rows == 10
    assert all(not name.startswith(".") for name in left_in(tmp_path))


@pytest.mark.parametrize("make", SINKS.values(), ids=SINKS.keys())
@pytest.mark.parametrize("end", ["cancel", "failure"])
def test_what_is_unfinished_is_removed_and_complete_files_stay(tmp_path, make, end):
    rows = Source.range(0, 30).map(lambda n: {"n": n})
    if end == "failure":
        rows = rows.map(lambda row: row if row["n"] < 25 else 1 // 0)
    with ActorSystem() as system:
        going = system.start(merge(rows, Source.never()).to(make(tmp_path)))
        if end == "cancel":
            wait_until(lambda: going.snapshot().stages[-1].elements_in == 30)
            going.cancel()
        with pytest.raises(RunCancelled if end == "cancel" else StageError):
            going.result(SECONDS)
    names = left_in(tmp_path)
    assert not [name for name in names if name.startswith(".")]
    assert all(parquet.read_metadata(tmp_path / name).num_rows for name in names)


@pytest.mark.parametrize(
    "make",
    [
        lambda folder: Sink.jsonl(folder / "none" / "out.jsonl"),
        lambda folder: Sink.sqlite(folder / "none" / "out.db", "SELECT 1"),
        lambda folder: Sink.parquet(folder / "file"),
    ],
    ids=["jsonl", "sqlite", "parquet"],
)
def test_a_place_that_cannot_be_written_fails_at_the_start_and_is_named(tmp_path, make):
    (tmp_path / "file").write_text("in the way")
    sink = make(tmp_path)
    with pytest.raises(StageError, match=f"WriteError: could not write {tmp_path}") as caught:
        run(Source.never().to(sink))
    assert caught.value.position is None
    assert isinstance(caught.value.__cause__, WriteError)
    assert caught.value.__cause__.path.startswith(str(tmp_path))
    assert caught.value.stage in str(sink)
    assert caught.value.site.startswith(__file__)
    with pytest.raises(StageError, match=f"stage '{caught.value.stage}' failed: WriteError: could"):
        run(Source.never().to(Sink.fan(make(tmp_path))))


FULL_DISK = """
    import resource, signal, sys
    from pathlib import Path
    from actors_rs import Sink, Source
    from actors_rs.errors import StreamError

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit then fails: EFBIG
    folder, kind = Path(sys.argv[1]), sys.argv[2]
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
    text = "".join(chr(33 + i * i % 90) for i in range(997))
    if kind == "jsonl":
        graph = Source.repeat(text, 1000).to(Sink.jsonl(folder / "out.jsonl"))
    elif kind == "sqlite":
        rows = Source.range(0, 1000).map(lambda n: (n, text))
        graph = rows.to(Sink.sqlite(folder / "out.db", "INSERT INTO t VALUES (?, ?)", batch=50,
                                    setup="CREATE TABLE t (n INTEGER PRIMARY KEY, x TEXT)"))
    else:
        import random
        draw = random.Random(1).randbytes
        rows = Source.range(0, 2000).map(lambda n: {"n": n, "x": draw(10 if n < 100 else 1000)})
        graph = rows.to(Sink.parquet(folder, rows_per_file=50 if kind == "parquet" else 10_000))
        if kind == "parquet":
            rows = Source.range(0, 9).map(
                lambda n: [{"n": n, "x": draw(10 if n < 5 else 10_000)}] * 50 if n < 5
                else [{"n": n, "x": draw(10_000)} for _ in range(50)])
            graph = rows.to(Sink.parquet(folder, rows_per_file=50))
    try:
        print("result", graph.run())
    except StreamError as error:
        print("failed", error)
"""


@pytest.mark.parametrize("kind", ["jsonl", "sqlite", "parquet", "parquet_in_one"])
def test_a_full_disk_fails_the_run_names_the_file_and_leaves_whole_files_only(tmp_path, kind):
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(FULL_DISK), str(tmp_path), kind],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    assert out.startswith("failed")
    assert str(tmp_path) in out
    names = left_in(tmp_path)
    if kind == "sqlite":
        assert rows_of(tmp_path / "out.db") == list(range(len(rows_of(tmp_path / "out.db"))))
        assert len(rows_of(tmp_path / "out.db")) % 50 == 0
        return
    assert not [name for name in names if name.startswith(".")]
    assert len(names) == (5 if kind == "parquet" else 0)
    assert all(parquet.read_metadata(tmp_path / name).num_rows == 50 for name in names)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_writing_to_a_device_that_is_full_names_the_file(tmp_path):
    from actors_rs.stages.files.naming import naming

    (tmp_path / "out.jsonl").symlink_to("/dev/full")
    with pytest.raises(WriteError, match=r"out\.jsonl.*No space left"):
        with naming(tmp_path / "out.jsonl"), open(tmp_path / "out.jsonl", "w") as file:
            file.write("x")


def test_a_symbolic_link_is_written_through_and_claims_nothing_behind_its_run(tmp_path):
    (tmp_path / "data").mkdir()
    target, link = tmp_path / "data" / "out.jsonl", tmp_path / "latest.jsonl"
    target.write_text("old\n")
    link.symlink_to(target)
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        kept = []  # runs that somebody holds on to claim nothing either
        for path, value in ((link, 1), (target, 2), (link, 3)):
            kept.append(system.start(Source.of(value).to(Sink.jsonl(path))))
            assert kept[-1].result(SECONDS).files == (str(path),)
            assert link.is_symlink()
            assert target.read_text() == f"{value}\n"
    assert left_in(tmp_path) == ["data", "latest.jsonl"]
    assert left_in(tmp_path / "data") == ["out.jsonl"]
