# mypy: disable-error-code="arg-type, union-attr"
"""Where a schema lets no null be, the row with one is told; the others are written."""

import pytest

from actors_rs import ActorSystem, Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import SECONDS

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check that it is there

from actors_rs.stages.arrow.nulls import part_with_nulls  # noqa: E402

INT, TEXT = pa.int64(), pa.string()


def needed(name, kind):
    return pa.field(name, kind, nullable=False)


CASES = {
    "a column": (needed("a", INT), [1, None], "column 'a'"),
    "a column of texts": (needed("a", pa.dictionary(INT, TEXT)), ["x", None], "column 'a'"),
    "a struct": (needed("a", pa.struct({"x": INT})), [{"x": 1}, None], "column 'a'"),
    "a list": (needed("a", pa.list_(INT)), [[1], None], "column 'a'"),
    "a field": (
        pa.field("a", pa.struct([("y", INT), needed("x", INT)])),
        [{"x": 1, "y": None}, {"y": 1}],
        "field 'x' of column 'a'",
    ),
    "an item": (pa.field("a", pa.list_(needed("item", INT))), [[], [None]], "items of column 'a'"),
    "an item of a large list": (
        pa.field("a", pa.large_list(needed("item", INT))),
        [[1], [2, None]],
        "items of column 'a'",
    ),
    "one of two items": (
        pa.field("a", pa.list_(needed("item", INT), 2)),
        [None, [1, None]],
        "items of column 'a'",
    ),
    "a value": (
        pa.field("a", pa.map_(TEXT, needed("value", INT))),
        [[("x", 1)], [("x", None)]],
        "values of column 'a'",
    ),
    "a field of an item": (
        pa.field("a", pa.list_(pa.struct([needed("x", INT)]))),
        [[{"x": 1}, None], [{"x": None}]],
        "field 'x' of items of column 'a'",
    ),
}


@pytest.mark.parametrize(("field", "values", "part"), CASES.values(), ids=CASES.keys())
def test_a_row_with_a_null_that_may_not_be_is_the_only_one_that_is_passed_over(
    tmp_path, field, values, part
):
    good, bad = ({"a": value} for value in values)
    schema = pa.schema([field])
    rows = [good] * 7 + [bad] + [good] * 92
    source = Source.of(*rows)
    told = f"'parquet' failed at element 7: ValueError: expected a value in {part}, which may not"
    with pytest.raises(StageError, match=told):
        source.run(Sink.parquet(tmp_path / "stop", schema))
    assert not list(tmp_path.rglob("*.parquet"))
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        sink = Sink.parquet(tmp_path / "resume", schema).on_failure("resume")
        assert system.start(source.to(sink)).result(SECONDS).rows == 99
        letters = [(one.what, one.error.position) for one in system.dead_letters.recent()]
    assert letters == [(bad, 7)]
    written = parquet.read_table(tmp_path / "resume")["a"].to_pylist()
    assert written == pa.array([good["a"]] * 99, field.type).to_pylist()


@pytest.mark.parametrize("form", ["batch", "table"])
@pytest.mark.parametrize(("field", "values", "part"), CASES.values(), ids=CASES.keys())
def test_data_with_a_null_that_may_not_be_is_told_by_its_row(tmp_path, field, values, part, form):
    array = pa.array([values[0], values[0], values[1], values[0], values[1]], field.type)
    data = pa.RecordBatch.from_arrays([array], schema=pa.schema([field]))
    elements = [data[:2], data, data[3:4]]
    if form == "table":
        elements = [pa.Table.from_batches([one[:1], one[1:]]) for one in elements]
    told = f"at element 1: ValueError: parquet: expected no null in {part}, got one in row 2"
    with pytest.raises(StageError, match=told):
        Source.of(*elements).run(Sink.parquet(tmp_path / "stop", data.schema))
    with ActorSystem(workers=2, shutdown_timeout=SECONDS) as system:
        sink = Sink.parquet(tmp_path / "resume", data.schema).on_failure("resume")
        assert system.start(Source.of(*elements).to(sink)).result(SECONDS).rows == 3
        assert system.dead_letters.total == 1


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (pa.struct([needed("x", INT)]), [{"x": 1}, None]),
        (pa.list_(needed("item", INT)), [[1], None, []]),
        (pa.list_(needed("item", INT), 1), [[1], None]),
        (pa.map_(TEXT, needed("value", INT)), [[("x", 1)], None]),
        (pa.list_(pa.struct([needed("x", INT)])), [[{"x": 1}], [None], None]),
    ],
)
def test_what_is_within_a_null_is_none_of_its_own(kind, values):
    array = pa.array(values, kind)
    assert part_with_nulls(pa.RecordBatch.from_arrays([array], ["a"])) is None


def test_nulls_outside_of_a_piece_of_data_are_not_seen_in_it():
    kind = pa.map_(TEXT, needed("value", INT))
    array = pa.array([[("x", None)], [("y", 1)], [("z", None)]], kind)
    data = pa.RecordBatch.from_arrays([array], ["a"])
    assert part_with_nulls(data[1:2]) is None
    assert part_with_nulls(data[2:]) == "values of column 'a'"
