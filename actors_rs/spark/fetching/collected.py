"""Values as ``collect`` has them, for pyspark's conversion of Arrow to rows.

That conversion leaves out ``fold``: of the hour that comes twice when clocks are set back, it gives
the second as the first. And it gives variants over ``bytes`` where ``collect`` has ``bytearray``. A
data type of ours stands in for each of both, and makes the values itself.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    DataType,
    LongType,
    MapType,
    StructField,
    StructType,
    TimestampType,
    UserDefinedType,
    VariantType,
    VariantVal,
)

__all__ = ["as_collected"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = timedelta(seconds=1)


class _Moment(UserDefinedType):
    """Gets timestamps as they come out of Arrow, and gives them in this process's time zone."""

    @classmethod
    def sqlType(cls) -> DataType:  # noqa: N802 - pyspark's name
        return LongType()  # a type whose values the conversion leaves as they are

    def deserialize(self, datum: Any) -> datetime:
        local = datetime.fromtimestamp((datum - _EPOCH) // _SECOND)
        return local.replace(microsecond=datum.microsecond)


class _Variant(UserDefinedType):
    """Gets variants as the conversion makes them, and gives them as ``collect`` does."""

    @classmethod
    def sqlType(cls) -> DataType:  # noqa: N802 - pyspark's name
        return VariantType()

    def deserialize(self, datum: Any) -> VariantVal:
        value: Any = bytearray(datum.value)
        metadata: Any = bytearray(datum.metadata)
        return VariantVal(value, metadata)


def as_collected(kind: Any) -> Any:
    """``kind``, a data type, with ours in it, at any depth, for values that would differ."""
    if isinstance(kind, TimestampType):
        return _Moment()
    if isinstance(kind, VariantType):
        return _Variant()
    if isinstance(kind, ArrayType):
        return ArrayType(as_collected(kind.elementType))
    if isinstance(kind, MapType):
        return MapType(as_collected(kind.keyType), as_collected(kind.valueType))
    if isinstance(kind, StructType):
        return StructType([StructField(one.name, as_collected(one.dataType)) for one in kind])
    return kind
