"""The one rule for writing data of one Arrow schema with another schema.

``mismatch`` is the rule, ``matched`` applies it. All writers of pieces of one table use it: for the
files of a directory, for the files of one run, and for the pieces that go to Spark.

- Columns are matched by name, in any order; both sides have the same names.
- A type fits itself, and each type that holds all of its values. Whole numbers fit a wider type,
  decimals one with as many digits on both sides of the point, floats a wider type, times a finer
  unit. A whole number fits a float or a decimal that holds each of its values.
- How a value is stored makes no difference: long and short texts, bytes and lists, dictionaries,
  dates, the zone of a time that has one.
- An extension type fits itself; Python values fit one that stores them.
- A column without values, and an empty list, fit anything. A struct fits one with the same fields
  and more, which have to be nullable, so {} fits where all are.
- Whether a null fits depends on the values, not on the types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors_rs.texts import repr_of

__all__ = ["matched", "mismatch"]

_UNITS = ("s", "ms", "us", "ns")
_EXACT_BITS = {16: 11, 32: 24, 64: 53}
"""By the width of a float, the width of the whole numbers all of which it holds."""


def mismatch(own: Any, schema: Any, *, inferred: bool = False) -> str:
    """The part of ``own``, a ``pyarrow.Schema``, that does not fit ``schema``; "" if it all fits.

    ``inferred``: Arrow inferred the types of ``own`` from Python values. Numbers and times fit all
    types of their kind then, since each value is checked when it is converted.
    """
    if twice := next((name for name in own.names if own.names.count(name) > 1), None):
        return f"two columns {repr_of(twice)}"
    types = dict(zip(own.names, own.types, strict=True))
    for name, target in zip(schema.names, schema.types, strict=True):
        if name not in types:
            return f"no column {repr_of(name)}"
        if not _fits(types[name], target, inferred):
            if str(target) == "null":
                return (
                    f"{types[name]} in column {repr_of(name)}, which has no value there and no type"
                )
            return f"{types[name]} in column {repr_of(name)}, which is {target} there"
    known = set(schema.names)
    more = next((name for name in own.names if name not in known), None)
    return "" if more is None else f"a column {repr_of(more)}, which is not there"


def matched(data: Any, schema: Any) -> Any:
    """``data``, a record batch or a table, as one of ``schema``: each value as it was.

    Raises ``ValueError`` where its schema does not fit, and what Arrow raises for a value that the
    type there has no room for. Does not look for nulls where ``schema`` lets none be.
    """
    if data.schema.equals(schema):
        return data
    if difference := mismatch(data.schema, schema):
        raise ValueError(f"expected data of the schema that is written, got {difference}")
    columns = [_cast(data.column(field.name), field.type) for field in schema]
    return type(data).from_arrays(columns, schema=schema)


def _cast(column: Any, kind: Any) -> Any:
    import pyarrow

    if column.type == kind:
        return column
    try:
        return column.cast(kind)
    except pyarrow.ArrowNotImplementedError:  # an empty list as a map, for one
        return pyarrow.array(column.to_pylist(), kind)


def _fits(kind: Any, target: Any, inferred: bool) -> bool:
    """Whether each value of ``kind`` is one of ``target``."""
    from pyarrow import types

    if kind == target or types.is_null(kind):
        return True
    if types.is_dictionary(kind):
        return _fits(kind.value_type, target, inferred)
    if types.is_dictionary(target):
        return _fits(kind, target.value_type, inferred)
    if inferred and hasattr(target, "storage_type"):
        is_bool8 = target.extension_name == "arrow.bool8"
        return (is_bool8 and types.is_boolean(kind)) or _fits(kind, target.storage_type, True)
    return any(rule(kind, target, inferred) for rule in _RULES)


def _whole(kind: Any, target: Any, inferred: bool) -> bool:
    """Whole numbers, as wider ones, floats or decimals."""
    from pyarrow import types

    if not types.is_integer(kind):
        return False
    signed = types.is_signed_integer(kind)
    bits = kind.bit_width - signed
    if types.is_integer(target):
        room = target.bit_width - types.is_signed_integer(target)
        return inferred or (bits <= room and (types.is_signed_integer(target) or not signed))
    if types.is_floating(target):
        return inferred or bits <= _EXACT_BITS[target.bit_width]
    if types.is_decimal(target):
        return inferred or len(str(2**bits)) <= int(target.precision - target.scale)
    return False


def _fraction(kind: Any, target: Any, inferred: bool) -> bool:
    """Floats and decimals, each as wider ones."""
    from pyarrow import types

    if types.is_floating(kind) and types.is_floating(target):
        return bool(kind.bit_width <= target.bit_width)
    if not (types.is_decimal(kind) and types.is_decimal(target)):
        return False
    left = kind.precision - kind.scale <= target.precision - target.scale
    return inferred or bool(left and kind.scale <= target.scale)


def _time(kind: Any, target: Any, inferred: bool) -> bool:
    """Dates; times of day, moments and durations in a finer unit; a zone is for show."""
    from pyarrow import types

    if types.is_date(kind) and types.is_date(target):
        return True
    for is_one in (types.is_timestamp, types.is_time, types.is_duration):
        if is_one(kind) and is_one(target):
            zoned = [getattr(one, "tz", None) is not None for one in (kind, target)]
            finer = _UNITS.index(kind.unit) <= _UNITS.index(target.unit)
            return (inferred or finer) and zoned[0] is zoned[1]
    return False


def _text(kind: Any, target: Any, _: bool) -> bool:
    """Texts, and bytes, however long they may be; a fixed length only where it was one before."""
    from pyarrow import types

    texts = (types.is_string, types.is_large_string, types.is_string_view)
    data = (types.is_binary, types.is_large_binary, types.is_binary_view)
    if _is_any(kind, *texts) and _is_any(target, *texts):
        return True
    return _is_any(kind, *data, types.is_fixed_size_binary) and _is_any(target, *data)


def _listed(kind: Any, target: Any, inferred: bool) -> bool:
    """Lists, of a fixed length only where it was the same before; an empty one as a map too."""
    from pyarrow import types

    if not _is_list(kind):
        return False
    empty = bool(types.is_null(kind.value_type))
    if types.is_map(target):
        return empty
    if types.is_fixed_size_list(target):
        size = kind.list_size if types.is_fixed_size_list(kind) else None
        if not (inferred or empty or size == target.list_size):
            return False
    return _is_list(target) and _fits(kind.value_type, target.value_type, inferred)


def _composed(kind: Any, target: Any, inferred: bool) -> bool:
    """Structs by the names of their fields, and maps."""
    from pyarrow import types

    if types.is_map(kind) and types.is_map(target):
        keys = _fits(kind.key_type, target.key_type, inferred)
        return keys and _fits(kind.item_type, target.item_type, inferred)
    if not (types.is_struct(kind) and types.is_struct(target)):
        return False
    fields = {field.name: field for field in target}
    own = {field.name for field in kind}
    return all(
        field.name in fields and _fits(field.type, fields[field.name].type, inferred)
        for field in kind
    ) and all(field.nullable for name, field in fields.items() if name not in own)


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    views = (types.is_list_view, types.is_large_list_view)
    return _is_any(kind, types.is_list, types.is_large_list, types.is_fixed_size_list, *views)


def _is_any(kind: Any, *tests: Callable[[Any], bool]) -> bool:
    return any(test(kind) for test in tests)


_RULES = (_whole, _fraction, _time, _text, _listed, _composed)
