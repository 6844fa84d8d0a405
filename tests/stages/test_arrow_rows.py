"""Rows become Arrow with each value as it was; a value that would be another one is refused."""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal

import pytest

pa = pytest.importorskip("pyarrow")
from actors_rs.stages.arrow.rows import batch_of  # noqa: E402 - behind the check above

INT, TEXT = pa.int64(), pa.string()
DAY, MOMENT = date(2020, 1, 1), datetime(2020, 1, 2, 3, 4, 5, 678_901)
EAST = timezone(timedelta(hours=2))


def column(values, kind=None, *, given=False):
    schema = None if kind is None else pa.schema([("a", kind)])
    return batch_of([{"a": value} for value in values], schema, given=given).column(0)


def same(value, written):
    if isinstance(value, dict):  # a field that it has not is null
        return all(written[name] == one for name, one in value.items())
    if isinstance(value, tuple):
        return written == list(value)
    return written == value


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize(
    ("kind", "value", "written"),
    [
        (INT, 1.5, 1),
        (INT, Decimal("1.5"), 1),
        (pa.int8(), 0.5, 0),
        (pa.date32(), MOMENT, MOMENT.date()),
        (pa.date64(), datetime(2020, 1, 1), DAY),
        (pa.timestamp("s"), MOMENT, MOMENT.replace(microsecond=0)),
        (pa.timestamp("ms"), MOMENT, MOMENT.replace(microsecond=678_000)),
        (pa.timestamp("us"), MOMENT.replace(tzinfo=EAST), MOMENT - timedelta(hours=2)),
        (pa.time32("s"), time(1, 2, 3, 4), time(1, 2, 3)),
        (pa.time64("us"), time(1, tzinfo=UTC), time(1)),
        (pa.duration("s"), timedelta(seconds=1, microseconds=5), timedelta(seconds=1)),
        (pa.dictionary(pa.int32(), INT), 1.5, 1),
        (TEXT, b"text", "text"),
        (pa.large_string(), b"text", "text"),
        (pa.binary(), "text", b"text"),
        (pa.large_binary(), "text", b"text"),
        (pa.binary(2), "ab", b"ab"),
        (pa.dictionary(pa.int32(), TEXT), b"text", "text"),
    ],
)
def test_a_value_that_would_be_written_as_another_one_is_refused(kind, value, written, given):
    told = f"in column 'a', got {value!r}, which would be written as {written!r}"
    with pytest.raises(ValueError) as refused:
        column([None, value], kind, given=given)
    whence = (
        ""
        if given
        else ": no schema was given, so that of the files there or of the first element counts"
    )
    assert str(refused.value).startswith("expected ")
    assert str(refused.value).endswith(told + whence)


@pytest.mark.parametrize(
    ("kind", "value", "part"),
    [
        (pa.list_(INT), [1, 2.5], "items of column 'a'"),
        (pa.large_list(INT), (1, 2.5), "items of column 'a'"),
        (pa.list_(INT, 2), [1, 2.5], "items of column 'a'"),
        (pa.map_(TEXT, INT), [("x", 2.5)], "values of column 'a'"),
        (pa.map_(TEXT, INT), {"x": 2.5}, "values of column 'a'"),
        (pa.map_(INT, TEXT), [(2.5, "x")], "keys of column 'a'"),
        (pa.map_(INT, INT), [{"key": 1, "value": 2.5}], "values of column 'a'"),
        (pa.struct({"x": INT}), {"x": 2.5}, "field 'x' of column 'a'"),
        (pa.struct({"x": INT}), (2.5,), "field 'x' of column 'a'"),
        (pa.struct({"x": INT}), [("x", 2.5)], "field 'x' of column 'a'"),
        (pa.struct({"x": pa.list_(INT)}), {"x": [2.5]}, "items of field 'x' of column 'a'"),
    ],
)
def test_a_value_within_another_one_is_refused_where_it_lies(kind, value, part):
    with pytest.raises(ValueError, match=f"expected int64 in {part}, got 2.5, which would be"):
        column([None, value], kind)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (None, [1, 2.5, None]),
        (None, [None, None]),
        (None, [{"x": 1}, None, {"x": 2, "y": 3}]),
        (None, [[1], [], None, [2.5]]),
        (None, [Decimal("1.5"), 2]),
        (None, [MOMENT.replace(tzinfo=UTC), MOMENT.replace(tzinfo=EAST)]),
        (INT, [True + 1, 2.0, Decimal(3), None]),
        (pa.uint64(), [2**63]),
        (pa.float64(), [1, 2.5, float("inf")]),
        (pa.decimal128(38, 2), [1, Decimal("1.5"), 2**70]),
        (TEXT, ["text", None]),
        (pa.binary(), [b"bytes", bytearray(b"more"), None]),
        (pa.large_string(), ["text"]),
        (pa.dictionary(pa.int32(), TEXT), ["text", "text", None]),
        (pa.date32(), [DAY, None]),
        (pa.timestamp("s"), [MOMENT.replace(microsecond=0), None]),
        (pa.timestamp("ms", "UTC"), [MOMENT.replace(microsecond=0, tzinfo=EAST)]),
        (pa.timestamp("us", "UTC"), [MOMENT.replace(tzinfo=EAST)]),
        (pa.timestamp("ns"), [MOMENT]),
        (pa.time64("us"), [time(1, 2, 3, 4), None]),
        (pa.duration("us"), [timedelta(microseconds=5), None]),
        (pa.list_(INT), [[1, None], None, (2,)]),
        (pa.map_(TEXT, INT), [[("x", 1)], None, []]),
        (pa.struct({"x": INT, "y": TEXT}), [{"x": 1}, None, {"y": "t"}]),
    ],
)
def test_what_loses_nothing_is_written(kind, values):
    written = column(values, kind).to_pylist()
    assert all(map(same, values, written))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([DAY, MOMENT], "expected date32.* got datetime.datetime"),
        ([MOMENT, MOMENT.replace(tzinfo=UTC)], r"expected timestamp\[us\] .*tzinfo"),
        ([MOMENT.replace(tzinfo=UTC), MOMENT], r"expected timestamp\[us, tz=UTC\] "),
        ([DAY, 3], "expected date32.* got 3, "),
        (["text", b"bytes"], "expected binary in column 'a', got 'text', which would be"),
        ([b"bytes", "text"], "expected binary in column 'a', got 'text', which would be"),
    ],
)
def test_a_kind_of_value_that_arrow_takes_for_the_first_ones_is_refused(values, told):
    with pytest.raises(ValueError, match=told):
        column(values)


def test_a_field_that_the_first_rows_struct_does_not_have_is_not_dropped_in_silence():
    kind = pa.struct({"x": INT})
    with pytest.raises(ValueError, match="column 'a' of the first row has no field 'y', 'z'"):
        column([{"x": 1}, {"x": 2, "y": 3, "z": 4}], kind)
    with pytest.raises(ValueError, match="items of column 'a' of the first row has no field 'y'"):
        column([[{"x": 1}, {"y": 3}]], pa.list_(kind))


def test_a_given_schema_says_what_is_left_out_and_what_numbers_and_missing_zones_mean():
    kind = pa.struct({"x": INT})
    assert column([{"x": 1, "y": 2}], kind, given=True).to_pylist() == [{"x": 1}]
    assert column([5], pa.date32(), given=True).to_pylist() == [date(1970, 1, 6)]
    whole = MOMENT.replace(microsecond=0)
    for unit in ("s", "us"):
        zoned = column([whole], pa.timestamp(unit, "UTC"), given=True)
        assert zoned.to_pylist() == [whole.replace(tzinfo=UTC)]


def test_whole_numbers_and_moments_of_other_libraries_are_taken_for_what_they_are():
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    assert column([numpy.int32(3), numpy.float64(2)], INT).to_pylist() == [3, 2]
    assert column([numpy.array([1, 2])], pa.list_(INT)).to_pylist() == [[1, 2]]
    stamp = pandas.Timestamp(MOMENT)
    assert column([stamp], pa.timestamp("us")).to_pylist() == [MOMENT]
    for value, kind in (
        (numpy.float32(1.5), INT),
        (stamp + pandas.Timedelta(1), pa.timestamp("us")),
    ):
        with pytest.raises(ValueError, match="which would be written as"):
            column([value], kind)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        ("numpy.datetime64('2020-01-01')", pa.date32()),
        ("pandas.NaT", pa.timestamp("us")),
        ("Decimal('Infinity')", pa.decimal128(5, 2)),
        ("Decimal('NaN')", pa.decimal128(5, 2)),
        ("'\\ud800'", TEXT),
        ("2**70", INT),
    ],
)
def test_whatever_cannot_be_converted_is_told_by_its_column(make, kind):
    names = {name: pytest.importorskip(name) for name in ("numpy", "pandas")}
    value = eval(make, {"Decimal": Decimal, **names})
    rows = [{"b": 1, "a": value}]
    with pytest.raises(Exception, match=r"^column 'a': "):
        batch_of(rows, None, given=False)
    with pytest.raises(Exception, match=rf"^expected {re.escape(str(kind))} in column 'a': "):
        batch_of(rows, pa.schema({"b": INT, "a": kind}), given=True)


@pytest.mark.parametrize("name", [1, None, b"a", ("a",), "\ud800"])
def test_a_column_whose_name_is_no_text_is_refused_by_that(name):
    with pytest.raises(TypeError, match="expected texts as names of columns, got "):
        batch_of([{"a": 1, name: 2}], None, given=False)


def test_a_row_without_columns_is_no_first_one_and_has_nothing_behind_others():
    with pytest.raises(ValueError, match="expected a column at least in the first row"):
        batch_of([{}], None, given=False)
    assert column([], INT).to_pylist() == []
    rows = batch_of([{"a": 1}, {}], pa.schema({"a": INT}), given=False)
    assert rows.column(0).to_pylist() == [1, None]


@pytest.mark.parametrize(
    "kind", [pa.float32(), pa.list_(pa.float32()), pa.struct({"a": pa.float32()})]
)
def test_a_number_beyond_the_largest_of_its_column_is_refused(kind):
    def within(value):
        return (
            {"a": value}
            if pa.types.is_struct(kind)
            else [value]
            if pa.types.is_list(kind)
            else value
        )

    schema = pa.schema({"x": kind})
    with pytest.raises(ValueError, match=r"expected float in .*column 'x', got 1e\+39, .*inf"):
        batch_of([{"x": within(1.0)}, {"x": within(1e39)}], schema, given=True)
    rows = [{"x": within(float(one))} for one in ("inf", "-inf", "1.5")]
    assert batch_of(rows, schema, given=True).to_pylist() == rows
