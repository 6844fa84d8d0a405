# mypy: disable-error-code="arg-type, var-annotated"
"""Tables as Spark and others give them, written to Parquet and read back."""

from decimal import Decimal
from typing import Any

import pytest

from actors_rs import Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import run

pa = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402 - behind the check that it is there

from actors_rs.stages.arrow import schema as arrow_schema  # noqa: E402

INNER = pa.field("id", pa.int64(), nullable=False)
MAKERS = {"table": lambda batch: pa.Table.from_batches([batch]), "batch": lambda batch: batch}


def left_joined(*values):
    """A batch with a struct that may be null, of a field that is not null where that is not."""
    gone = pa.array([value is None for value in values])
    struct = pa.StructArray.from_arrays([pa.array(values, pa.int64())], fields=[INNER], mask=gone)
    return pa.RecordBatch.from_arrays([struct], schema=pa.schema([("info", struct.type)]))


@pytest.mark.parametrize("made", MAKERS.values(), ids=MAKERS)
def test_what_a_left_join_gives_is_written_as_it_is(tmp_path, made):
    batches = [made(left_joined(1, None)), made(left_joined(2)), made(left_joined(None, None))]
    run(Source.of(*batches).to(Sink.parquet(tmp_path, rows_per_file=2)))
    told = [None if value is None else {"id": value} for value in (1, None, 2, None, None)]
    assert parquet.read_table(tmp_path).column("info").to_pylist() == told


def test_a_field_that_is_never_null_stays_so(tmp_path):
    schema = pa.schema([pa.field("n", pa.int64(), nullable=False)])
    run(Source.of(pa.record_batch([[1, 2]], schema=schema)).to(Sink.parquet(tmp_path)))
    assert parquet.read_schema(tmp_path / "part-00000.parquet").equals(schema)


def test_columns_of_one_name_are_refused_and_no_file_is_left(tmp_path):
    batch = pa.RecordBatch.from_arrays([pa.array([1]), pa.array(["x"])], names=["id", "id"])
    with pytest.raises(StageError, match="expected columns of different names, got two 'id'"):
        run(Source.of(batch).to(Sink.parquet(tmp_path)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [None, [], {}, Decimal("1.25")], ids=str)
def test_what_no_row_tells_is_not_asked_of_each(monkeypatch, value):
    asked: list[list[object]] = []
    type_of = arrow_schema._type_of

    def counted(values):
        asked.append(values)
        return type_of(values)

    monkeypatch.setattr(arrow_schema, "_type_of", counted)
    rows = [{"a": value}] * 1000
    schema = pa.RecordBatch.from_pylist(rows[:1]).schema
    assert arrow_schema.completed(schema, rows) == schema
    assert len(asked) <= 1


def test_rows_that_tell_nothing_of_a_column_are_looked_at_in_few_pieces(monkeypatch):
    looked, type_of = [], arrow_schema._type_of

    def look(values):
        looked.append(len(values))
        return type_of(values)

    monkeypatch.setattr(arrow_schema, "_type_of", look)
    rows: list[dict[str, Any]] = [{"c": {"id": 1, "note": None, "to": None}} for _ in range(5000)]
    rows[3000]["c"]["note"], rows[4999]["c"]["to"] = "x", 1.5
    schema = pa.Table.from_pylist(rows[:1]).schema
    assert arrow_schema.completed(schema, rows).field("c").type == pa.struct(
        {"id": pa.int64(), "note": pa.string(), "to": pa.float64()}
    )
    assert len(looked) < 100
