"""What sinks that write files check before they are made."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from sys import modules
from typing import Any

from actors_rs.graph.checks import at_least, one_of, path_of, wrong_kind, wrong_value
from actors_rs.stages.sinks.files.parquet import Parquet
from actors_rs.texts import repr_of

__all__ = ["parquet_maker"]


def parquet_maker(
    directory: Any, schema: Any, rows_per_file: int, existing: Any
) -> Callable[[], Parquet]:
    """What makes the logic of ``Sink.parquet``; raises for arguments that cannot work."""
    path_of(directory, "Sink.parquet", "directory")
    if schema is not None and not _is_schema(schema):
        raise wrong_kind(f"Sink.parquet: schema must be a pyarrow.Schema, got {repr_of(schema)}")
    if schema is not None and not schema.names:
        raise wrong_value("Sink.parquet: schema must have at least one column, got none")
    at_least(1, rows_per_file, "parquet: rows_per_file")
    one_of(("append", "refuse"), existing, "Sink.parquet: existing")
    return partial(Parquet, directory, schema, rows_per_file, existing)


def _is_schema(schema: object) -> bool:
    """Whether it is one of pyarrow's; a user who has one has imported pyarrow."""
    arrow = modules.get("pyarrow")
    return arrow is not None and isinstance(schema, arrow.Schema)
