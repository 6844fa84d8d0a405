"""Rows, which are dicts, as an Arrow record batch: each value unchanged, or an error that names it.

Arrow refuses most values that do not fit a column, but changes some without an error. This module
looks for those changes, only in columns of the types concerned. They are: fractions and times of
day that are cut off, zones that are dropped, bytes that become a text or the reverse, and fields
that a struct does not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from itertools import chain
from numbers import Integral
from typing import Any, NamedTuple

from actors_rs.stages.arrow.nulls import part_with_nulls
from actors_rs.stages.arrow.values import array_of, by_field, stored
from actors_rs.texts import few, repr_of, text_of

__all__ = ["batch_of"]


def batch_of(rows: list[dict[str, Any]], schema: Any, *, given: bool) -> Any:
    """A ``pyarrow.RecordBatch`` of ``rows``; without a ``schema`` its columns are the first row's.

    ``given``: the schema is the user's. Then keys that the schema does not name are left out. Whole
    numbers in columns of dates and times count from 1970. Times without a zone are UTC if the
    column has one. Raises ``ValueError`` for a value that would be written as another value, or
    that is missing where null is forbidden. Raises Arrow's own error for a value that Arrow cannot
    convert.
    """
    import pyarrow

    names = _names_of(rows[0]) if schema is None else schema.names
    types = [None] * len(names) if schema is None else schema.types
    arrays = []
    for name, wanted in zip(names, types, strict=True):
        values = [row.get(name) for row in rows]
        try:
            arrays.append(array_of(values, wanted))
        except MemoryError:
            raise
        except Exception as error:
            expected = "" if wanted is None else f"expected {wanted} in "
            text = f"{expected}column {repr_of(name)}: {text_of(error)}{_origin(schema, given)}"
            raise _kind_of(error)(text) from None
        _check(_Column(f"column {repr_of(name)}", values, arrays[-1], given))
    if schema is None:
        return pyarrow.RecordBatch.from_arrays(arrays, names)
    batch = pyarrow.RecordBatch.from_arrays(arrays, schema=schema)
    part = part_with_nulls(batch)
    if part is not None:
        raise ValueError(f"expected a value in {part}, which may not be null, got None")
    return batch


def _names_of(row: dict[str, Any]) -> list[str]:
    """The columns of a ``row`` that is to tell the schema."""
    for name in row:
        if not isinstance(name, str) or name.encode(errors="ignore").decode() != name:
            raise TypeError(f"expected texts as names of columns, got {repr_of(name)}")
    if not row:
        raise ValueError("expected a column at least in the first row, got {}: give a schema")
    return list(row)


def _kind_of(error: Exception) -> type[Exception]:
    """Of what is raised instead of ``error``, with a text that names the column."""
    import pyarrow

    is_about_values = isinstance(error, pyarrow.ArrowException | OverflowError | TypeError)
    return type(error) if is_about_values else ValueError


def _origin(schema: Any, given: bool) -> str:
    """Where the type of a column comes from, for a user who has not given a schema."""
    if given or schema is None:
        return ""
    return ": no schema was given, so that of the files there or of the first element counts"


class _Column(NamedTuple):
    """A column, or what is within one: values, and what Arrow made of each."""

    name: str
    values: list[Any]
    array: Any
    given: bool

    def within(self, part: str, values: list[Any], array: Any) -> _Column:
        return _Column(f"{part} of {self.name}", values, array, self.given)


def _check(column: _Column) -> None:
    """Raise ``ValueError`` for a value that is not as it was."""
    from pyarrow import types

    kind = column.array.type
    if not _may_lose(kind):
        return
    if types.is_struct(kind):
        _check_fields(column)
    elif types.is_map(kind):
        _check_pairs(column)
    elif types.is_dictionary(kind):
        _check(column._replace(array=column.array.dictionary_decode()))
    elif hasattr(kind, "storage_type"):
        values = [stored(value, kind) for value in column.values]
        _check(column._replace(values=values, array=column.array.storage))
    elif hasattr(kind, "value_type"):
        items = chain.from_iterable(value for value in column.values if value is not None)
        _check(column.within("items", list(items), column.array.flatten()))
    else:
        _check_plain(column)


def _may_lose(kind: Any) -> bool:
    """Whether Arrow may change a value that it puts into an array of ``kind``, and say nothing.

    A float of 32 bits that is rounded is no such: that is what it was chosen for.
    """
    from pyarrow import types

    changes = (
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_temporal(kind)
        or types.is_struct(kind)
    )
    return changes or _text_or_bytes(kind) is not None or any(map(_may_lose, _parts_of(kind)))


def _text_or_bytes(kind: Any) -> type | None:
    """What an array of ``kind`` has, where Arrow takes the one for the other."""
    from pyarrow import types

    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return str
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind):
        return bytes
    return bytes if types.is_fixed_size_binary(kind) else None


def _parts_of(kind: Any) -> Iterator[Any]:
    """The types that ``kind`` is put together of: a list, a map, a dictionary, an extension."""
    for name in ("key_type", "item_type", "value_type", "storage_type"):
        if hasattr(kind, name):
            yield getattr(kind, name)


def _check_fields(column: _Column) -> None:
    names = [field.name for field in column.array.type]
    rows = [one if type(one) is dict else by_field(one, names) for one in column.values]
    if not (column.given or set(chain.from_iterable(rows)) <= set(names)):
        unknown = dict.fromkeys(name for row in rows for name in row if name not in names)
        extra = few(map(repr_of, unknown))
        raise ValueError(
            f"{column.name} of the first row has no field {extra}: give a schema that names "
            "the fields to write"
        )
    for number, name in enumerate(names):
        array = column.array.field(number)
        if _may_lose(array.type):
            _check(column.within(f"field {repr_of(name)}", [row.get(name) for row in rows], array))


def _check_pairs(column: _Column) -> None:
    kind = column.array.type
    names = [kind.key_field.name, kind.item_field.name]
    maps = [value for value in column.values if value is not None]
    pairs = chain.from_iterable(one.items() if isinstance(one, Mapping) else one for one in maps)
    entries = [by_field(pair, names) for pair in pairs]
    for part, name, array in zip(
        ("keys", "values"), names, (column.array.keys, column.array.items), strict=True
    ):
        _check(column.within(part, [entry.get(name) for entry in entries], array))


def _check_plain(column: _Column) -> None:
    kind = column.array.type
    for number in _doubtful(column):
        value, written = column.values[number], column.array[number].as_py()
        if not _same(value, written, column.given):
            raise ValueError(
                f"expected {kind} in {column.name}, got {repr_of(value)}, which would be written "
                f"as {repr_of(written)}{_origin(kind, column.given)}"
            )


def _doubtful(column: _Column) -> Iterator[int]:
    """The rows whose value must be compared with Arrow's conversion one by one: mostly none."""
    from pyarrow import compute, types

    kind, values = column.array.type, column.values
    if types.is_floating(kind):  # a number beyond the largest one is infinite in it
        yield from compute.indices_nonzero(compute.is_inf(column.array)).to_pylist()
        return
    exact = _exact_classes(kind)
    other = {one for one in set(map(type, values)) - exact if not _whole(exact, one)}
    if other:
        yield from (number for number, value in enumerate(values) if type(value) in other)
    if datetime in exact and (kind.tz is None or not column.given):
        zoned_is_wrong = kind.tz is None
        for number, value in enumerate(values):
            if type(value) is datetime and (value.tzinfo is not None) is zoned_is_wrong:
                yield number


def _whole(exact: set[type], one: type) -> bool:
    """Whether ``one`` is a class of whole numbers, numpy's for instance, where those are right."""
    return int in exact and issubclass(one, Integral)


def _exact_classes(kind: Any) -> set[type]:
    """Classes whose values Arrow keeps in ``kind``; a datetime, if its zone is right."""
    from pyarrow import types

    none = type(None)
    if types.is_integer(kind):
        return {int, none}
    if types.is_date(kind):
        return {date, none}
    if (exact := _text_or_bytes(kind)) is not None:
        return {exact, none}
    if getattr(kind, "unit", None) in ("us", "ns"):
        if types.is_timestamp(kind):
            return {datetime, none}
        if types.is_duration(kind):
            return {timedelta, none}
    return {none}


def _same(value: Any, written: Any, given: bool) -> bool:
    if hasattr(value, "as_py"):  # one of Arrow's own
        value = value.as_py()
    if written is None or (given and isinstance(value, Integral) and not isinstance(written, int)):
        return True
    if isinstance(value, datetime) and isinstance(written, datetime):
        if given and written.tzinfo is not None and value.tzinfo is None:
            value = value.replace(tzinfo=UTC)
        if None not in (value.tzinfo, written.tzinfo):  # an hour that comes twice equals no other
            value, written = value.astimezone(UTC), written.astimezone(UTC)
    return bool(value == written)
