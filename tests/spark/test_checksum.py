"""The checksum of rows: which changes it sees, and which it must not see."""

import datetime
import decimal
import itertools
import math
from collections.abc import Callable
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from actors_rs.spark.repeat import checksum
from actors_rs.spark.repeat.checksum import Checksum

pytestmark = pytest.mark.spark

ROWS = 200
random = Random(7)


def text_of(number: int) -> str:
    """Lengths around each border: nothing, eight bytes, a kilobyte."""
    return "é" * (number % 3) + "x" * random.choice([0, 1, 7, 8, 9, 63, 64, 1023, 1024, 1025, 3000])


KINDS: dict[str, tuple[pa.DataType, Callable[[int], Any]]] = {
    "bool": (pa.bool_(), lambda n: n % 3 == 0),
    "int8": (pa.int8(), lambda n: n % 100 - 50),
    "int16": (pa.int16(), lambda n: n * 7),
    "int32": (pa.int32(), lambda n: -n * 70_000),
    "int64": (pa.int64(), lambda n: n << 40),
    "float32": (pa.float32(), lambda n: n / 4),
    "float64": (pa.float64(), lambda n: n / 7),
    "decimal": (pa.decimal128(38, 2), lambda n: decimal.Decimal(n) * 10**20),
    "date": (pa.date32(), lambda n: datetime.date(2020, 1, 1) + datetime.timedelta(n)),
    "timestamp": (pa.timestamp("us"), lambda n: datetime.datetime(2020, 1, 1 + n % 28, n % 24)),
    "string": (pa.string(), text_of),
    "large_string": (pa.large_string(), text_of),
    "binary": (pa.binary(), lambda n: text_of(n).encode()),
    "list": (pa.list_(pa.int64()), lambda n: list(range(n % 5))),
    "list of texts": (pa.list_(pa.string()), lambda n: [str(n)] * (n % 4)),
    "struct": (
        pa.struct([("a", pa.int32()), ("b", pa.list_(pa.string()))]),
        lambda n: {"a": n, "b": [str(n), None]},
    ),
    "map": (pa.map_(pa.string(), pa.int64()), lambda n: [(str(k), n + k) for k in range(n % 4)]),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), lambda n: str(n % 9)),
    "null": (pa.null(), lambda n: None),
    "fixed binary": (pa.binary(3), lambda n: b"%03d" % (n % 1000)),
}


def summed(*batches: pa.RecordBatch) -> str | None:
    total = Checksum()
    for batch in batches:
        total.add(batch)
    return total.text


def batch_of(values: list[Any], kind: pa.DataType) -> pa.RecordBatch:
    numbers = pa.array(range(len(values)), pa.int32())
    return pa.record_batch([pa.array(values, kind), numbers], names=["v", "n"])


@pytest.mark.parametrize("name", KINDS)
def test_neither_the_order_of_rows_nor_the_cuts_between_batches_count(name: str) -> None:
    kind, make = KINDS[name]
    values = [None if n % 11 == 5 else make(n) for n in range(ROWS)]
    batch = batch_of(values, kind)
    order = random.sample(range(ROWS), ROWS)
    mixed = batch.take(pa.array(order))
    cuts = [0, 1, 8, 9, 100, ROWS]
    chunks = [mixed.slice(a, b - a) for a, b in itertools.pairwise(cuts)]
    assert summed(batch) == summed(*chunks) == summed(mixed)


@pytest.mark.parametrize("name", [name for name in KINDS if name != "null"])
def test_a_changed_missing_or_doubled_row_counts(name: str) -> None:
    kind, make = KINDS[name]
    values = [make(n) for n in range(ROWS)]
    whole = batch_of(values, kind)
    before = summed(whole)
    assert summed(whole.slice(0, ROWS - 1)) != before
    assert summed(whole, whole.slice(3, 1)) != before
    for changed in (None, make(ROWS + 5)):
        others = [*values]
        at = next(n for n in range(ROWS) if others[n] not in (None, changed))
        others[at] = changed
        assert summed(batch_of(others, kind)) != before
    first, last = 0, next(n for n in range(1, ROWS) if values[n] != values[0])
    values[first], values[last] = values[last], values[first]
    assert summed(batch_of(values, kind)) != before, "a value belongs to its row"


def test_each_row_of_a_batch_that_is_hashed_in_chunks_counts_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    batch = batch_of([text_of(n) for n in range(ROWS)], pa.string())
    before = summed(batch)
    monkeypatch.setattr(checksum, "_CHUNK", 7)
    assert summed(batch) == before


def test_what_is_equal_counts_as_equal() -> None:
    nan = -math.nan
    a = pa.record_batch([pa.array([0.0, math.nan, 1.5])], names=["v"])
    b = pa.record_batch([pa.array([-0.0, nan, 1.5])], names=["v"])
    assert summed(a) == summed(b)
    kind = pa.map_(pa.string(), pa.float64())
    c = pa.record_batch([pa.array([[("a", 0.0), ("b", 2.0)]], kind)], names=["v"])
    d = pa.record_batch([pa.array([[("b", 2.0), ("a", -0.0)]], kind)], names=["v"])
    assert summed(c) == summed(d)


def test_where_a_value_is_missing_what_lies_there_does_not_count() -> None:
    valid = pa.py_buffer(b"\x01")
    arrays = [
        pa.Array.from_buffers(pa.int64(), 2, [valid, pa.array([5, junk]).buffers()[1]])
        for junk in (1, 2)
    ]
    first, second = (pa.record_batch([array], names=["v"]) for array in arrays)
    assert summed(first) == summed(second)


def test_the_order_within_a_list_counts_and_the_place_of_a_column() -> None:
    one = pa.record_batch([pa.array([[1, 2]]), pa.array([3])], names=["a", "b"])
    other = pa.record_batch([pa.array([[2, 1]]), pa.array([3])], names=["a", "b"])
    assert summed(one) != summed(other)
    assert summed(pa.record_batch([pa.array([1]), pa.array([2])], names=["a", "b"])) != summed(
        pa.record_batch([pa.array([2]), pa.array([1])], names=["a", "b"])
    )


def test_no_rows_have_no_checksum_and_rows_without_columns_have_one() -> None:
    assert Checksum().text is None
    empty = pa.RecordBatch.from_struct_array(pa.array([{}] * 3, pa.struct([])))
    assert summed(empty) != summed(empty.slice(1)) is not None
