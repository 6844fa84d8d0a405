"""Nulls in a place where the Arrow schema forbids them: Arrow itself writes them without an error.

A Parquet file with a forbidden null cannot be read, or has another value in its place, for instance
an empty list. So the writer looks for nulls first.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any

from actors_rs.texts import repr_of

__all__ = ["check_nulls", "part_with_nulls"]


def check_nulls(data: Any) -> None:
    """Raise ``ValueError`` if a null is in ``data``, a record batch or a table, and may not be."""
    part = part_with_nulls(data)
    if part is not None:
        number = bisect_left(
            range(data.num_rows), True, key=lambda n: part_with_nulls(data[: n + 1]) is not None
        )
        raise ValueError(f"parquet: expected no null in {part}, got one in row {number}")


def part_with_nulls(data: Any) -> str | None:
    """The first part of ``data`` that has a null and may have none, as messages call it."""
    for number, field in enumerate(data.schema):
        if _forbids(field):
            column = data.column(number)
            for array in getattr(column, "chunks", (column,)):
                part = _part_of(f"column {repr_of(field.name)}", field, array)
                if part is not None:
                    return part
    return None


def _forbids(field: Any) -> bool:
    """Whether there may be no null in ``field``, or in what is within it."""
    return not field.nullable or any(map(_forbids, _fields_of(field.type)))


def _fields_of(kind: Any) -> list[Any]:
    """The fields within ``kind``, in the order in which ``_arrays_of`` gives their values."""
    import pyarrow

    types = pyarrow.types
    if types.is_struct(kind):
        return list(kind)
    if types.is_map(kind):  # Arrow has no null for a key
        return [kind.key_field.with_nullable(True), kind.item_field]
    if hasattr(kind, "storage_type"):
        return [pyarrow.field("storage", kind.storage_type)]
    return [kind.value_field] if hasattr(kind, "value_field") else []


def _part_of(name: str, field: Any, array: Any) -> str | None:
    """The name of the part of ``array`` that has a forbidden null: ``name`` or a part of it."""
    if array.null_count and not field.nullable:
        return name
    fields = _fields_of(field.type)
    if any(map(_forbids, fields)):
        pairs = zip(fields, _arrays_of(field.type, array.drop_null()), strict=True)
        for within, (part, values) in pairs:
            if _forbids(within):
                found = _part_of(f"{part}{name}", within, values)
                if found is not None:
                    return found
    return None


def _arrays_of(kind: Any, array: Any) -> Iterator[tuple[str, Any]]:
    """The arrays within ``array``, which has no nulls of its own, each with its full name."""
    from pyarrow import types

    if types.is_struct(kind):
        yield from (
            (f"field {repr_of(field.name)} of ", array.field(n)) for n, field in enumerate(kind)
        )
    elif types.is_map(kind):
        first, end = (array.offsets[n].as_py() for n in (0, -1))
        yield "keys of ", array.keys[first:end]
        yield "values of ", array.items[first:end]
    elif hasattr(kind, "storage_type"):
        yield "", array.storage
    else:
        yield "items of ", array.flatten()
