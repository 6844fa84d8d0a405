"""Sources of rows: what of the input is wrong, and where, is told in the words of that input."""

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import ReadError, StageError
from actors_rs.stages.files.csv_rows import check_names
from actors_rs.stages.sources.files.sqlite import check_columns
from tests.graph.helpers import run

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check that it is there


def rows(source):
    return run(source.flat_map(lambda batch: batch.to_pylist()).to(Sink.list()))


def told(source):
    with pytest.raises(StageError) as caught:
        run(source.to(Sink.list()))
    assert isinstance(caught.value.__cause__, ReadError)
    return str(caught.value.__cause__)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "rows.parquet"
    row = {"a": 1, "b": {"x": 2, "y": [3]}, "c.d": 4, "m": [("k", 5)]}
    kinds = {"a": pa.int8(), "b": pa.struct({"x": pa.int8(), "y": pa.list_(pa.int8())})}
    schema = pa.schema({**kinds, "c.d": pa.int8(), "m": pa.map_(pa.string(), pa.int8())})
    parquet.write_table(pa.Table.from_pylist([row], schema), path)
    return path


@pytest.mark.parametrize(
    ("columns", "missing"),
    [(["bb"], "'bb'"), (["a", "A", "b.z"], "'A', 'b.z'"), (["a.x"], "'a.x'"), ([""], "''")],
)
def test_a_column_that_a_parquet_file_does_not_have_is_named_and_not_left_out(
    path, columns, missing
):
    expected = f"{path}: expected a column {missing}, found 'a', 'b', 'c.d', 'm'"
    assert expected in told(Source.parquet(path, columns))


def test_of_several_parquet_files_the_one_without_the_column_is_named(path):
    parquet.write_table(pa.table({"b": [2]}), path.with_name("second.parquet"))
    assert f"{path.with_name('second.parquet')}: expected a column 'a', found 'b'" in told(
        Source.parquet(path.parent, ["a"])
    )


@pytest.mark.parametrize(
    ("columns", "row"),
    [
        (["c.d", "a"], {"a": 1, "c.d": 4}),
        (["b"], {"b": {"x": 2, "y": [3]}}),
        (["b.y"], {"b": {"y": [3]}}),
        (["m"], {"m": [("k", 5)]}),
        ([], {}),
    ],
)
def test_columns_and_their_fields_are_chosen_by_name(path, columns, row):
    assert rows(Source.parquet(path, columns)) == [row]


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n2\n"])
@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('{"a": 1, ', "Expecting property name enclosed in double quotes: column 10"),
        ('{"a":', "Expecting value: column 6"),
        ("[1, 2", "Expecting ',' delimiter: column 6"),
        ("nope", "Expecting value: column 1"),
        ("1 2", "Extra data: column 3"),
    ],
)
def test_what_is_no_json_is_told_by_the_line_of_the_file_and_its_column(tmp_path, line, why, end):
    path = tmp_path / "rows.jsonl"
    path.write_text(f"1\n2\n\n{line}{end}", newline="")
    assert told(Source.jsonl(path)) == f"could not read {path}, line 4: {why}"


class Counted(str):
    """A name that counts how often names are compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Counted.compared += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize("check", [check_names, check_columns])
def test_names_of_many_columns_are_not_compared_each_with_each(check):
    Counted.compared = 0
    check([Counted(f"c{number}") for number in range(3000)])
    assert Counted.compared < 10 * 3000
    with pytest.raises(ValueError, match="a name for each column, got 'c7' more than once"):
        check([*(Counted(f"c{number}") for number in range(9)), Counted("c7")])
