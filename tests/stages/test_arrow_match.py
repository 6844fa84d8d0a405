"""One rule for what fits a schema of Arrow: as a function, and as ``Sink.parquet`` applies it."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import run

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check that it is there

from actors_rs.stages.arrow.match import matched, mismatch  # noqa: E402

D = pa.decimal128
ONE = pa.struct({"x": pa.int64()})
NOT_NULL = pa.struct([pa.field("x", pa.int64(), nullable=False)])
WIDER = [
    (pa.int8(), pa.int64()),
    (pa.uint8(), pa.int16()),
    (pa.uint32(), pa.uint64()),
    (pa.int32(), pa.float64()),
    (pa.uint16(), pa.float32()),
    (pa.int8(), pa.float16()),
    (pa.int64(), D(21, 2)),
    (pa.float16(), pa.float32()),
    (pa.float32(), pa.float64()),
    (D(2, 1), D(3, 2)),
    (D(3, 1), pa.decimal256(40, 2)),
    (pa.timestamp("s"), pa.timestamp("us")),
    (pa.timestamp("ms", "UTC"), pa.timestamp("us", "+02:00")),
    (pa.time32("s"), pa.time64("us")),
    (pa.duration("ms"), pa.duration("ns")),
    (pa.date64(), pa.date32()),
    (pa.date32(), pa.date64()),
    (pa.string(), pa.large_string()),
    (pa.large_string(), pa.string()),
    (pa.string_view(), pa.string()),
    (pa.binary(2), pa.binary()),
    (pa.dictionary(pa.int8(), pa.string()), pa.string()),
    (pa.string(), pa.dictionary(pa.int32(), pa.string())),
    (pa.list_(pa.int8()), pa.large_list(pa.int64())),
    (pa.list_(pa.int8(), 2), pa.list_(pa.int8())),
    (pa.list_(pa.null()), pa.list_(ONE)),
    (pa.list_(pa.null()), pa.map_(pa.string(), pa.int8())),
    (pa.struct([]), ONE),
    (pa.struct({"x": pa.null()}), ONE),
    (ONE, pa.struct({"y": pa.string(), "x": pa.int64()})),
    (pa.map_(pa.string(), pa.int8()), pa.map_(pa.large_string(), pa.int64())),
    *((pa.null(), kind) for kind in (pa.int8(), ONE, pa.list_(ONE), pa.map_(ONE, ONE), D(3, 2))),
]
OTHER = [
    (pa.int64(), pa.int32()),
    (pa.int8(), pa.uint64()),
    (pa.uint64(), pa.int64()),
    (pa.int64(), pa.float64()),
    (pa.int64(), D(20, 2)),
    (pa.float64(), pa.float32()),
    (pa.float64(), pa.int64()),
    (D(3, 2), D(3, 1)),
    (D(4, 1), D(4, 2)),
    (pa.timestamp("us"), pa.timestamp("ms")),
    (pa.timestamp("us"), pa.timestamp("us", "UTC")),
    (pa.timestamp("us", "UTC"), pa.timestamp("us")),
    (pa.date32(), pa.timestamp("us")),
    (pa.string(), pa.binary()),
    (pa.binary(), pa.binary(2)),
    (pa.bool_(), pa.int8()),
    (pa.string(), pa.null()),
    (pa.list_(pa.int64()), pa.list_(pa.int32())),
    (pa.list_(pa.int8()), pa.list_(pa.int8(), 2)),
    (pa.list_(pa.int8(), 3), pa.list_(pa.int8(), 2)),
    (pa.struct({"x": pa.int64(), "y": pa.int64()}), ONE),
    (pa.struct([]), NOT_NULL),
    (ONE, pa.map_(pa.string(), pa.int64())),
    (pa.map_(pa.string(), pa.int64()), pa.map_(pa.string(), pa.string())),
]
INFERRED = [
    (pa.int64(), pa.int8()),
    (pa.int64(), pa.uint64()),
    (pa.int64(), pa.float64()),
    (D(4, 2), D(2, 1)),
    (pa.timestamp("us"), pa.timestamp("ms")),
    (pa.list_(pa.int64()), pa.list_(pa.int8(), 2)),
]


def column(kind: Any) -> Any:
    return pa.schema({"a": kind})


@pytest.mark.parametrize(("kind", "target"), WIDER, ids=str)
def test_a_type_fits_one_that_holds_all_of_its_values(kind, target):
    assert mismatch(column(kind), column(target)) == ""
    data = pa.record_batch([pa.nulls(2, kind)], schema=column(kind))
    assert matched(data, column(target)).schema.equals(column(target))


@pytest.mark.parametrize(("kind", "target"), OTHER, ids=str)
def test_a_type_does_not_fit_one_that_lacks_some_of_its_values(kind, target):
    assert mismatch(column(kind), column(target)).startswith(f"{kind} in column 'a', which ")
    with pytest.raises(ValueError, match="expected data of the schema that is written, got"):
        matched(column(kind).empty_table(), column(target))


@pytest.mark.parametrize(("kind", "target"), INFERRED, ids=str)
def test_python_values_have_a_kind_and_no_width(kind, target):
    assert mismatch(column(kind), column(target), inferred=True) == ""
    assert mismatch(column(kind), column(target)) != ""


def test_a_struct_fits_one_whose_fields_are_not_null_if_they_are_not():
    table = pa.table({"a": pa.array([{"x": 1}], ONE)})
    assert matched(table, column(NOT_NULL)).schema.equals(column(NOT_NULL))


def test_columns_are_matched_by_name_and_values_are_kept():
    table = pa.table({"b": ["x", None], "a": pa.array([1, 2], pa.int8())})
    schema = pa.schema({"a": pa.int64(), "b": pa.large_string()})
    for data in (table, table.to_batches()[0]):
        assert matched(data, schema).schema.equals(schema)
        assert matched(data, schema).to_pylist() == table.to_pylist()


def test_columns_that_are_missing_or_more_or_there_twice_are_named():
    schema = pa.schema({"a": pa.int8(), "b": pa.int8()})
    assert mismatch(column(pa.int8()), schema) == "no column 'b'"
    assert mismatch(schema, column(pa.int8())) == "a column 'b', which is not there"
    assert mismatch(pa.schema([("a", pa.int8())] * 2), schema) == "two columns 'a'"


ROWS: list[tuple[Any, Any]] = [
    ([{"x": 1}], []),
    ({"x": 1}, {}),
    ({"x": [{"y": 1}]}, {"x": []}),
    (Decimal("1.10"), Decimal("1.1")),
    (Decimal("1.1"), Decimal("1.10")),
    (2.5, 2),
    (dt.datetime(2024, 1, 1, tzinfo=dt.UTC), dt.datetime(2024, 1, 2, tzinfo=dt.UTC)),
]


def read(folder):
    return parquet.read_table(folder).column("a").to_pylist()


def filled(value, before):
    """``value``, where fields that it does not have are None."""
    if isinstance(value, dict):
        return {name: filled(value.get(name), part) for name, part in before.items()}
    return value


@pytest.mark.parametrize("policy", ["stop", "resume"])
@pytest.mark.parametrize(("before", "value"), ROWS, ids=str)
def test_rows_are_written_beside_those_of_yesterday(tmp_path, before, value, policy):
    run(Source.of({"a": before}).to(Sink.parquet(tmp_path)))
    sink = Sink.parquet(tmp_path, rows_per_file=1).on_failure(policy)
    assert run(Source.of({"a": value}, {"a": before}).to(sink)).rows == 2
    assert read(tmp_path) == [before, filled(value, before), before]


def test_batches_are_written_beside_those_of_yesterday(tmp_path):
    yesterday = pa.table({"a": pa.array([[1]]), "b": pa.array([2], pa.int64())})
    batch = pa.record_batch({"b": pa.array([3], pa.int8()), "a": pa.array([[]])})
    run(Source.of(yesterday, batch).to(Sink.parquet(tmp_path, rows_per_file=1)))
    run(Source.of(batch, yesterday).to(Sink.parquet(tmp_path, rows_per_file=1)))
    assert read(tmp_path) == [[1], [], [], [1]]
    assert len({str(parquet.read_schema(path)) for path in tmp_path.iterdir()}) == 1


def test_a_given_schema_that_is_narrower_is_widened_and_its_order_kept_as_it_is_there(tmp_path):
    there = pa.schema({"a": pa.int64(), "b": pa.string()})
    run(Source.of({"a": 2**40, "b": "x"}).to(Sink.parquet(tmp_path, there)))
    given = pa.schema({"b": pa.string(), "a": pa.int8()})
    run(Source.of({"a": 1, "b": "y"}).to(Sink.parquet(tmp_path, given)))
    assert parquet.read_schema(tmp_path / "part-00001.parquet").equals(there)
    with pytest.raises(StageError, match="expected int8 in column 'a'"):
        run(Source.of({"a": 300, "b": "y"}).to(Sink.parquet(tmp_path, given)))
    assert read(tmp_path) == [2**40, 1]


def test_a_value_that_the_files_there_have_no_room_for_is_its_rows_fault(tmp_path):
    run(Source.of({"a": 1}).to(Sink.parquet(tmp_path, column(pa.int8()))))
    with pytest.raises(StageError, match=r"expected int8 in column 'a': .*300") as caught:
        run(Source.of({"a": 2}, {"a": 300}).to(Sink.parquet(tmp_path)))
    assert caught.value.position == 1
    rows = Source.of({"a": 2}, {"a": 300}, {"a": 3})
    assert run(rows.to(Sink.parquet(tmp_path).on_failure("resume"))).rows == 2
    assert read(tmp_path) == [1, 2, 3]


def test_nulls_are_asked_of_the_values(tmp_path):
    schema = pa.schema([pa.field("a", pa.int64(), nullable=False)])
    run(Source.of({"a": 1}).to(Sink.parquet(tmp_path, schema)))
    run(Source.of(pa.table({"a": [2]})).to(Sink.parquet(tmp_path)))
    with pytest.raises(StageError, match="expected no null in column 'a', got one in row 0"):
        run(Source.of(pa.table({"a": pa.array([None], pa.int64())})).to(Sink.parquet(tmp_path)))
    assert read(tmp_path) == [1, 2]


def test_a_batch_in_another_order_fits_those_before_it_and_one_of_other_columns_does_not(tmp_path):
    one, other = pa.table({"a": [1], "b": [2]}), pa.table({"b": [4], "a": [3]})
    run(Source.of(one, other).to(Sink.parquet(tmp_path)))
    assert read(tmp_path) == [1, 3]
    with pytest.raises(StageError, match=r"at element 1: .*got no column 'b'"):
        run(Source.of(one, pa.table({"a": [1]})).to(Sink.parquet(tmp_path)))
