"""What ``Source.parquet`` reads, ``Sink.parquet`` writes: each extension type, at any depth."""

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actors_rs import Sink, Source
from actors_rs.errors import StageError
from tests.graph.helpers import run

pa = pytest.importorskip("pyarrow")

from actors_rs.stages.arrow.match import mismatch  # noqa: E402 - behind the check above

EXTENSION: Any = pa.ExtensionType


class Celsius(EXTENSION):  # type: ignore[misc] # of a library without types
    """One that a user has registered."""

    def __init__(self) -> None:
        super().__init__(pa.int64(), "tests.celsius")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls()


@pytest.fixture(autouse=True, scope="module")
def registered():
    pa.register_extension_type(Celsius())
    yield
    pa.unregister_extension_type("tests.celsius")


TENSOR = pa.fixed_shape_tensor(pa.int32(), [2, 1])
INT32 = st.integers(-(2**31), 2**31 - 1)
KINDS = {
    "uuid": (pa.uuid(), st.uuids()),
    "json": (pa.json_(), st.sampled_from(['{"a": 1}', "[]", "null"])),
    "bool8": (pa.bool8(), st.booleans()),
    "tensor": (TENSOR, st.lists(INT32, min_size=2, max_size=2)),
    "opaque": (pa.opaque(pa.binary(), "point", "a vendor"), st.binary()),
    "own": (Celsius(), st.integers(-(2**63), 2**63 - 1)),
}


def structs(value):
    return st.fixed_dictionaries({"f": value})


def maps(value):
    return st.lists(st.tuples(st.text(), st.lists(value, max_size=2)), max_size=2)


NESTED: dict[str, Any] = {
    "column": (lambda kind: kind, lambda value: value),
    "list": (pa.list_, lambda value: st.lists(value, max_size=3)),
    "struct": (lambda kind: pa.struct({"f": kind}), structs),
    "map": (lambda kind: pa.map_(pa.string(), pa.list_(kind)), maps),
}


def read(folder):
    return Source.parquet(folder).run(Sink.list())


def rows_of(batches):
    return [row for batch in batches for row in batch.to_pylist()]


def made(values, kind):
    """A batch as others than this library make it, from what the types store."""
    from actors_rs.stages.arrow.values import array_of

    return pa.record_batch([array_of(values, kind)], schema=pa.schema({"a": kind}))


@pytest.mark.parametrize("nested", NESTED)
@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_rows_and_batches_are_read_as_they_were_written(tmp_path_factory, name, nested, data):
    (kind, value), (nest, several) = KINDS[name], NESTED[nested]
    kind = nest(kind)
    values = data.draw(st.lists(st.none() | several(st.none() | value), min_size=1, max_size=4))
    folder, again = tmp_path_factory.mktemp("first"), tmp_path_factory.mktemp("again")
    rows = [{"a": one} for one in values]
    run(Source.of(made(values, kind)).to(Sink.parquet(folder)))
    batches = read(folder)
    assert rows_of(batches) == rows
    for elements in (batches, rows, [rows]):
        run(Source.of(*elements).to(Sink.parquet(again, batches[0].schema)))
        is_list = nested == "map" and elements is not batches  # pairs are a list by themselves
        schema = batches[0].schema if is_list else None
        run(Source.of(*elements).to(Sink.parquet(again, schema)))
    assert rows_of(read(again)) == rows * 6
    assert {mismatch(one.schema, batches[0].schema) for one in read(again)} == {""}


UUIDS = [UUID(int=1), UUID(int=2**128 - 1)]


@pytest.mark.parametrize(
    "values",
    [UUIDS, [[UUIDS[0]], []], [{"x": UUIDS[0]}, {"x": None}], [None, [{"x": [UUIDS[1]]}]]],
    ids=["column", "list", "struct", "deep"],
)
def test_uuids_need_no_schema(tmp_path, values):
    rows = [{"a": value} for value in values]
    run(Source.of(*rows).to(Sink.parquet(tmp_path)))
    assert rows_of(read(tmp_path)) == rows


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        (pa.uuid(), "1", "expected extension<arrow.uuid> in column 'a'"),
        (pa.bool8(), 2, "expected True or False, got 2"),
        (TENSOR, [1, 2, 3], "expected extension<arrow.fixed_shape_tensor"),
        (pa.list_(pa.opaque(pa.binary(), "p", "v")), ["x"], "got 'x', which would be written as b"),
        (Celsius(), 2.5, "expected .* in column 'a'"),
    ],
    ids=["uuid", "bool8", "tensor", "opaque", "own"],
)
def test_a_value_that_would_be_another_one_is_refused(tmp_path, kind, value, told):
    with pytest.raises(StageError, match=told):
        run(Source.of({"a": value}).to(Sink.parquet(tmp_path, pa.schema({"a": kind}))))
