"""Timestamps as ``collect`` has them, for pyspark's conversion of Arrow to rows.

That conversion leaves out ``fold``: of the hour that comes twice when clocks are set back, it says
the second as the first. A data type of ours stands in for that of timestamps, and says them itself.
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
)

__all__ = ["with_moments"]

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


def with_moments(kind: Any) -> Any:
    """``kind``, a data type, with what says its timestamps, at any depth, as ``collect`` does."""
    if isinstance(kind, TimestampType):
        return _Moment()
    if isinstance(kind, ArrayType):
        return ArrayType(with_moments(kind.elementType))
    if isinstance(kind, MapType):
        return MapType(with_moments(kind.keyType), with_moments(kind.valueType))
    if isinstance(kind, StructType):
        return StructType([StructField(one.name, with_moments(one.dataType)) for one in kind])
    return kind
