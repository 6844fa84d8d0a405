"""``Sink.parquet`` without a schema takes that of the first element, and says what does not fit."""

from decimal import Decimal

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS, run

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check that it is there

INT = pa.int64()


def written(folder, *elements):
    """The type of column 'a', and its values."""
    run(Source.of(*elements).to(Sink.parquet(folder)))
    column = parquet.read_table(folder)["a"]
    return column.type, column.to_pylist()


def values(*column):
    return [{"a": value} for value in column]


def test_a_first_element_that_is_a_list_settles_the_schema_as_a_whole(tmp_path):
    kind, column = written(tmp_path / "d", [], values(1, 2.5), *values(3))
    assert (kind, column) == (pa.float64(), [1, 2.5, 3])
    with pytest.raises(StageError, match=r"at element 1: ValueError: expected int64.*got 2.5"):
        written(tmp_path, values(1, 2), values(3, 2.5))


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ((None, None, 1, 2), INT),
        ((None, "x"), pa.string()),
        (([], None, [1], []), pa.list_(pa.field("element", INT))),
        (({"x": None}, {}, {"x": 1}), pa.struct({"x": INT})),
        (({}, {"x": 1}), pa.struct({"x": INT})),
        ((None, {"x": []}, {"x": [2]}), pa.struct({"x": pa.list_(pa.field("element", INT))})),
        ((Decimal("1.1"), Decimal("22.22"), Decimal(1000)), pa.decimal128(6, 2)),
    ],
)
def test_what_the_first_element_leaves_open_the_next_rows_settle(tmp_path, column, kind):
    found, read = written(tmp_path, *values(*column))
    assert found == kind
    assert (len(read), read[-1]) == (len(column), column[-1])


FULL, SPARSE = {"a": 1, "b": 2}, {"a": 3}


@pytest.mark.parametrize("lists", [False, True])
def test_a_row_without_a_column_of_the_first_row_is_refused_with_its_place(tmp_path, lists):
    elements = [[FULL], [SPARSE]] if lists else [FULL, SPARSE]
    with pytest.raises(StageError, match=r"at element 1: .* no column 'b', .*: put None there"):
        written(tmp_path, *elements)


def test_a_table_of_another_library_is_refused_with_the_call_that_makes_it_one_of_arrow(tmp_path):
    frame = pytest.importorskip("pandas").DataFrame({"a": [1]})
    with pytest.raises(StageError, match=r"got a DataFrame: write map\(pyarrow.table\) before"):
        written(tmp_path, frame)
    assert written(tmp_path, pa.table(frame)) == (INT, [1])


def test_a_row_without_a_column_of_a_given_schema_is_null_there(tmp_path):
    schema = pa.schema({"a": INT, "b": INT})
    run(Source.of(SPARSE, FULL).to(Sink.parquet(tmp_path, schema)))
    assert parquet.read_table(tmp_path).to_pylist() == [{"a": 3, "b": None}, FULL]


def test_a_column_that_was_open_takes_the_type_of_its_first_value(tmp_path):
    with pytest.raises(StageError, match=r"at element 2: ValueError: expected int64.*got 2.5"):
        written(tmp_path, *values(None, 1, 2.5))


@pytest.mark.parametrize("value", ["ten", 10**30, None])
def test_what_arrow_refuses_is_told_with_its_column_and_where_the_type_comes_from(tmp_path, value):
    first, told = (1, "int64") if value else (None, "null")
    rows = values(first, value or 1)
    sink = Sink.parquet(tmp_path, rows_per_file=1)
    why = f"at element 1: .*expected {told} in column 'a': .*of the first element counts"
    with pytest.raises(StageError, match=why):
        run(Source.of(*rows).to(sink))


@pytest.mark.parametrize("element", [{}, [{}], [{}, {}]])
def test_a_row_without_columns_that_is_all_there_is_is_told_and_not_dropped(tmp_path, element):
    told = "'parquet' failed at element 0: ValueError: expected a column at least in the first row"
    with pytest.raises(StageError, match=told):
        run(Source.of(element).to(Sink.parquet(tmp_path)))
    with ActorSystem(shutdown_timeout=SECONDS) as system:
        sink = Sink.parquet(tmp_path).on_failure("resume")
        assert system.start(Source.of(element).to(sink)).result(SECONDS).rows == 0
        letters = [one.what for one in system.dead_letters.recent()]
    assert letters == ([{}] if isinstance(element, dict) else element)
    assert list(tmp_path.iterdir()) == []
