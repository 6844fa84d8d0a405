"""Schemas of Arrow, as what writes them needs them: for Parquet files, for Spark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from actors_rs.stages.arrow.values import type_of
from actors_rs.texts import repr_of

__all__ = [
    "check_names",
    "completed",
    "loose",
    "loosened",
]


def check_names(names: Iterable[str]) -> None:
    """Raise ``ValueError`` if two columns have one name: no reader could read such a file."""
    known: set[str] = set()
    for name in names:
        if name in known:
            raise ValueError(
                f"parquet: expected columns of different names, got two {repr_of(name)}"
            )
        known.add(name)


def completed(schema: Any, rows: Sequence[Any]) -> Any:
    """``schema``, whose open types are settled by the next of ``rows`` that have a value for them.

    Open is the type of None, of the items of an empty list and of the values of an empty dict. Open
    is also the number of digits of a decimal number: as many as the longest of ``rows`` has.
    """
    for number, field in enumerate(schema):
        if _is_open(field.type):
            values = (row.get(field.name) for row in rows if isinstance(row, Mapping))
            kind = _kind_by([one for one in values if one is not None], field.type)
            schema = schema.set(number, field.with_type(kind))
    return schema


def _kind_by(values: list[Any], kind: Any) -> Any:
    """``kind``, where what is open in it is as the first of ``values`` that tell have it.

    Most tell nothing: as long as none does, they are looked at in pieces that double.
    """
    from pyarrow import types

    whole = _type_of(values)
    at, size = 0, 1
    while at < len(values) and kind != whole and _is_open(kind):
        if types.is_decimal(kind) and whole is not None and types.is_decimal(whole):
            return whole
        found = _kind_by_piece(values[at : at + size], kind)
        if found != kind and size > 1:
            size //= 2
            continue
        kind, at, size = found, at + size, 2 * size
    return kind


def _kind_by_piece(values: list[Any], kind: Any) -> Any:
    """As ``_kind_by``, if a single value tells; something else than ``kind`` if one of them may."""
    found = _type_of(values)
    if found is None:
        return kind if len(values) == 1 else None
    with suppress(Exception):  # digits beyond what Arrow has: reported where it is due
        return _closed(kind, found)
    return kind if len(values) == 1 else None


def _type_of(values: list[Any]) -> Any:
    """What Arrow takes ``values`` for, ``None`` if it cannot."""
    try:
        return type_of(values)
    except Exception:  # the writer reports the error
        return None


def _is_open(kind: Any) -> bool:
    from pyarrow import types

    if types.is_struct(kind):
        return kind.num_fields == 0 or any(_is_open(field.type) for field in kind)
    if types.is_list(kind):
        return _is_open(kind.value_type)
    return bool(types.is_null(kind) or types.is_decimal(kind))


def _closed(kind: Any, other: Any) -> Any:
    """``kind``, where what is open in it is as ``other`` has it."""
    import pyarrow
    from pyarrow import types

    if types.is_null(kind):
        return other
    if types.is_decimal(kind) and types.is_decimal(other):
        return pyarrow.unify_schemas(
            [pyarrow.schema({"": one}) for one in (kind, other)], promote_options="permissive"
        )[0].type
    if types.is_list(kind) and types.is_list(other):
        return pyarrow.list_(_closed(kind.value_type, other.value_type))
    if types.is_struct(kind) and types.is_struct(other):
        known = {field.name: field.type for field in other}
        fields = [(one.name, _closed(one.type, known.get(one.name, one.type))) for one in kind]
        return pyarrow.struct(fields) if fields else other
    return kind


def loose(data: Any) -> Any:
    """``data``, a table or record batch, as its own schema has it, loosened."""
    schema = loosened(data.schema)
    return data if schema.equals(data.schema) else data.cast(schema)


def loosened(schema: Any) -> Any:
    """``schema``, where the fields of each nullable struct are nullable too.

    Spark makes such structs in a left join, for instance. Their fields are null where the struct is
    null. Readers that apply "not null" to the field alone take that for a contradiction.
    """
    import pyarrow

    fields = [field.with_type(_loosened_type(field.type, field.nullable)) for field in schema]
    return pyarrow.schema(fields, schema.metadata)


def _loosened_type(kind: Any, null: bool) -> Any:
    import pyarrow

    def part(field: Any, null: bool) -> Any:
        null = null or field.nullable
        return field.with_type(_loosened_type(field.type, null)).with_nullable(null)

    types = pyarrow.types
    if types.is_struct(kind):
        return pyarrow.struct([part(field, null) for field in kind])
    if types.is_list(kind):
        return pyarrow.list_(part(kind.value_field, False))
    if types.is_large_list(kind):
        return pyarrow.large_list(part(kind.value_field, False))
    if types.is_map(kind):
        return pyarrow.map_(part(kind.key_field, False), part(kind.item_field, False))
    return kind
