"""``Sink.parquet`` where a data set is there: added to, or refused before a row is written."""

from pathlib import Path

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import InvalidArgumentError, StageError
from tests.graph.helpers import run, wait_until

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check that it is there

LEFT = ["part-00000.parquet"]


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def read(folder):
    return parquet.read_table(folder).to_pylist()


def batch(row):
    return pa.RecordBatch.from_pylist([row])


@pytest.mark.parametrize("policy", ["stop", "resume", "restart"])
@pytest.mark.parametrize("make", [dict, batch, lambda row: [row]], ids=["dict", "batch", "list"])
@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"a": "x"}, "string in column 'a', which is int64 there"),
        ({"a": 2, "b": 2.5}, "a column 'b', which is not there"),
        ({"b": 2.5}, "no column 'a'"),
    ],
)
def test_rows_of_another_schema_are_refused_before_one_is_written(
    tmp_path, row, told, make, policy
):
    run(Source.of({"a": 1}).to(Sink.parquet(tmp_path)))
    rows = Source.of(make(row), make(row), {"a": 1})
    with pytest.raises(StageError, match=f"part-00000.parquet for one, got {told}") as caught:
        run(rows.to(Sink.parquet(tmp_path, rows_per_file=1).on_failure(policy)))
    assert str(tmp_path) in str(caught.value)
    assert caught.value.position is None
    assert left_in(tmp_path) == LEFT
    assert read(tmp_path) == [{"a": 1}]


def test_a_column_that_is_missing_is_named_too(tmp_path):
    run(Source.of({"a": 1, "b": 1}).to(Sink.parquet(tmp_path)))
    with pytest.raises(StageError, match=r"part-00000\.parquet for one, got no column 'b'"):
        run(Source.of({"a": 1}).to(Sink.parquet(tmp_path)))


@pytest.mark.parametrize("make", [dict, batch, lambda row: [row]], ids=["dict", "batch", "list"])
@pytest.mark.parametrize("value", ["late", 7, 2.5, [1], {"x": 1}], ids=str)
def test_a_column_without_a_value_is_written_as_the_files_that_are_there_have_it(
    tmp_path, make, value
):
    rows = [{"a": 1, "note": value}, {"a": 2, "note": None}, {"a": 3, "note": None}]
    run(Source.of(rows[0]).to(Sink.parquet(tmp_path)))
    run(Source.of(*map(make, rows[1:])).to(Sink.parquet(tmp_path, rows_per_file=1)))
    assert read(tmp_path) == rows
    assert len({str(parquet.read_schema(path)) for path in tmp_path.iterdir()}) == 1


def test_a_value_that_comes_behind_none_fits_a_column_of_the_files_that_are_there(tmp_path):
    rows = [{"a": 1, "note": "late"}, {"a": 2, "note": None}, {"a": 3, "note": "x"}]
    run(Source.of(rows[0]).to(Sink.parquet(tmp_path)))
    run(Source.of(*rows[1:]).to(Sink.parquet(tmp_path, rows_per_file=1)))
    assert read(tmp_path) == rows


@pytest.mark.parametrize("given", [None, pa.schema({"a": pa.int64()})], ids=["own", "given"])
def test_files_without_a_value_in_a_column_are_told_without_advice_that_cannot_work(
    tmp_path, given
):
    run(Source.of({"a": None}).to(Sink.parquet(tmp_path)))
    told = "got int64 in column 'a', which has no value there and no type: give Sink"
    with pytest.raises(StageError, match=rf"{told}\.parquet another directory"):
        run(Source.of({"a": 1}).to(Sink.parquet(tmp_path, given)))
    assert left_in(tmp_path) == LEFT


def test_a_given_schema_that_is_another_one_is_refused_at_the_start(tmp_path):
    run(Source.of({"a": 1}).to(Sink.parquet(tmp_path)))
    sink = Sink.parquet(tmp_path, pa.schema({"a": pa.string()}))
    with pytest.raises(StageError, match="got string in column 'a', which is int64 there"):
        run(Source.never().to(sink))
    assert left_in(tmp_path) == LEFT


def test_each_part_that_is_there_is_looked_at(tmp_path):
    run(Source.of({"a": 1}).to(Sink.parquet(tmp_path)))
    parquet.write_table(pa.table({"a": ["x"]}), tmp_path / "part-9-of-another.parquet")
    with pytest.raises(StageError, match=r"part-9-of-another\.parquet for one, got int64 in"):
        run(Source.of({"a": 1}).to(Sink.parquet(tmp_path)))


def test_a_part_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "part-00000.parquet").write_text("not Parquet")
    with pytest.raises(StageError, match=r"could not read .*part-00000\.parquet: .*magic bytes"):
        run(Source.of({"a": 1}).to(Sink.parquet(tmp_path)))


@pytest.mark.parametrize(
    "kind",
    [pa.int64(), pa.timestamp("s"), pa.time32("s"), pa.date64(), pa.list_(pa.int8()), pa.null()],
    ids=str,
)
def test_what_a_schema_wrote_the_same_schema_adds_to(tmp_path, kind):
    schema = pa.schema([pa.field("a", kind), pa.field("b", pa.large_string(), nullable=False)])
    for _ in range(2):
        run(Source.of({"a": None, "b": "x"}).to(Sink.parquet(tmp_path, schema)))
    assert read(tmp_path) == [{"a": None, "b": "x"}] * 2


def test_the_order_of_columns_and_whether_they_may_be_null_is_no_difference(tmp_path):
    fields = [pa.field("a", pa.int64(), nullable=False), pa.field("b", pa.string())]
    parquet.write_table(pa.table([[1], ["x"]], pa.schema(fields)), tmp_path / "part-0.parquet")
    run(Source.of({"b": "y", "a": 2}).to(Sink.parquet(tmp_path)))
    assert read(tmp_path) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]


def test_a_data_set_that_is_there_is_refused_at_the_start_if_that_is_asked_for(tmp_path):
    def sink():
        return Sink.parquet(tmp_path, existing="refuse")

    assert run(Source.of({"a": 1}).to(sink())).rows == 1
    told = r"could not write .*expected no part files.*existing='refuse'.*found part-00000.parquet"
    with pytest.raises(StageError, match=told):
        run(Source.never().to(sink()))
    assert left_in(tmp_path) == LEFT


def test_other_files_are_no_data_set_that_is_there(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    rows = Source.range(0, 4).map(lambda n: {"n": n})
    report = run(rows.to(Sink.parquet(tmp_path, rows_per_file=1, existing="refuse")))
    assert len(report.files) == 4


def test_what_is_neither_of_the_two_is_refused_where_it_is_written():
    with pytest.raises(InvalidArgumentError, match="must be one of 'append', 'refuse', got"):
        Sink.parquet("x", existing="replace")  # type: ignore[arg-type]


def test_how_many_files_are_written_does_not_change_how_often_the_directory_is_read(
    tmp_path, monkeypatch
):
    globbed, glob = [], Path.glob

    def noted(self, pattern, **options):
        globbed.append(pattern)
        return glob(self, pattern, **options)

    monkeypatch.setattr(Path, "glob", noted)
    schema = pa.schema({"n": pa.int64()})
    read_often = []
    for files in (2, 30):
        directory = tmp_path / str(files)
        globbed.clear()
        rows = Source.range(0, files).map(lambda n: {"n": n})
        assert len(run(rows.to(Sink.parquet(directory, schema, rows_per_file=1))).files) == files
        read_often.append(len(globbed))
    assert read_often[0] == read_often[1]


def test_files_go_behind_all_that_are_there_and_past_what_comes_meanwhile(tmp_path):
    schema = pa.schema({"n": pa.int64()})
    parquet.write_table(schema.empty_table(), tmp_path / "part-00007.parquet")

    def rows():
        yield {"n": 0}
        wait_until((tmp_path / "part-00008.parquet").exists)
        parquet.write_table(schema.empty_table(), tmp_path / "part-00009.parquet")
        yield {"n": 1}
        yield {"n": 2}

    sink = Sink.parquet(tmp_path, schema, rows_per_file=1)
    report = run(Source.from_iterable(rows).to(sink))
    assert [Path(file).stem for file in report.files] == ["part-00008", "part-00010", "part-00011"]
    assert [row["n"] for row in read(tmp_path)] == [0, 1, 2]
