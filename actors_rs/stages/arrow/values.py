"""Python values as arrays of Arrow, extension types among them, at any depth.

Arrow makes no array of a list or struct with an extension type in it. So the values are put into
the type that stores it, and cast.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any
from uuid import UUID

from actors_rs.texts import repr_of

__all__ = ["array_of", "by_field", "stored", "type_of"]


def array_of(values: list[Any], kind: Any) -> Any:
    """``values`` as a ``pyarrow.Array`` of ``kind``; of the type they have if that is ``None``.

    Raises what Arrow raises for a value that it cannot convert.
    """
    import pyarrow

    if kind is None:
        try:
            return pyarrow.array(values)
        except pyarrow.ArrowNotImplementedError:
            kind = type_of(values)
    storage = _storage_of(kind)
    if storage == kind:
        return pyarrow.array(values, kind)
    return pyarrow.array([stored(value, kind) for value in values], storage).cast(kind)


def type_of(values: list[Any]) -> Any:
    """The type that Arrow takes ``values`` for, also where a UUID is within them."""
    import pyarrow

    try:
        return pyarrow.array(values).type
    except pyarrow.ArrowNotImplementedError:
        there = [value for value in values if value is not None]
        if all(isinstance(value, Mapping) for value in there):
            names = dict.fromkeys(chain.from_iterable(there))
            return pyarrow.struct(
                {name: type_of([value.get(name) for value in there]) for name in names}
            )
        if all(isinstance(value, list | tuple) for value in there):
            return pyarrow.list_(type_of(list(chain.from_iterable(there))))
        raise


def stored(value: Any, kind: Any) -> Any:
    """``value`` of ``kind`` as the types without extensions have it."""
    from pyarrow import BaseExtensionType, types

    if value is None:
        return None
    if isinstance(kind, BaseExtensionType):
        return stored(_content(value, kind), kind.storage_type)
    if types.is_struct(kind):
        fields = by_field(value, [field.name for field in kind])
        return {field.name: stored(fields.get(field.name), field.type) for field in kind}
    if types.is_map(kind):
        pairs = value.items() if isinstance(value, Mapping) else value
        return [(stored(key, kind.key_type), stored(one, kind.item_type)) for key, one in pairs]
    if isinstance(value, list | tuple) and hasattr(kind, "value_type"):
        return [stored(one, kind.value_type) for one in value]
    return value


def by_field(value: Any, names: list[str]) -> Mapping[str, Any]:
    """What Arrow takes for a struct: a dict, a tuple in the order of the fields, or pairs."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, tuple):
        return dict(zip(names, value, strict=True))
    return dict(value or ())


def _content(value: Any, kind: Any) -> Any:
    """What an extension type stores for ``value``, if it has another class than that."""
    if isinstance(value, UUID):
        return value.bytes
    if kind.extension_name == "arrow.bool8":
        if value not in (0, 1):
            raise ValueError(f"expected True or False, got {repr_of(value)}")
        return int(value)
    return value


def _storage_of(kind: Any) -> Any:
    """``kind`` without extension types, at any depth."""
    import pyarrow

    def part(field: Any) -> Any:
        return field.with_type(_storage_of(field.type))

    types = pyarrow.types
    if isinstance(kind, pyarrow.BaseExtensionType):
        return _storage_of(kind.storage_type)
    if types.is_struct(kind):
        return pyarrow.struct([part(field) for field in kind])
    if types.is_list(kind):
        return pyarrow.list_(part(kind.value_field))
    if types.is_large_list(kind):
        return pyarrow.large_list(part(kind.value_field))
    if types.is_fixed_size_list(kind):
        return pyarrow.list_(part(kind.value_field), kind.list_size)
    if types.is_map(kind):
        return pyarrow.map_(part(kind.key_field), part(kind.item_field))
    return kind
