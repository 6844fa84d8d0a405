"""The files of a Parquet data set in a directory, and what the names of their directories say."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from actors_rs.stages.files.reading import reading
from actors_rs.texts import repr_of

__all__ = ["files_in", "partition_values", "with_values"]

_SUFFIXES = (".parquet", ".pq")


def files_in(directory: Path) -> list[Path]:
    """All ``*.parquet`` and ``*.pq`` in ``directory`` and those within it, by their paths.

    Raises ``ReadError`` for a directory that cannot be read, or if there are other files only.
    """
    entries = list(_entries(directory, frozenset()))
    files = [path for path in entries if path.suffix in _SUFFIXES]
    if entries and not files:
        first = entries[0].name
        with reading(directory):
            raise ValueError(
                f"expected files *.parquet or *.pq in the directory, found {repr_of(first)}: "
                "read those that you want with Source.files(pattern).flat_map(Source.parquet)"
            )
    return files


def _entries(directory: Path, above: frozenset[str]) -> Iterator[Path]:
    """The files in it and below, but for hidden names and links back to a directory above."""
    here = os.path.realpath(directory)
    if here in above:
        return
    with reading(directory):  # a glob passes over what may not be read
        entries = sorted(one for one in directory.iterdir() if one.name[0] not in "._")
    for entry in entries:
        if entry.is_dir():
            yield from _entries(entry, above | {here})
        else:
            yield entry


def partition_values(root: Path, files: list[Path]) -> dict[Path, dict[str, Any]]:
    """The values of ``key=value`` in the path of each file below ``root``, as scalars.

    They have the types of ``pyarrow.dataset``: ``int32`` if all values fit it, else text. A file
    without one of the keys has null for it.
    """
    below = [path.relative_to(root) for path in files]
    if not any("=" in part for path in below for part in path.parts[:-1]):
        return {path: {} for path in files}
    import pyarrow
    from pyarrow import dataset

    with reading(root):
        names = [os.path.abspath(path) for path in files]
        whole = dataset.dataset(
            names, format="parquet", partitioning="hive", partition_base_dir=os.path.abspath(root)
        )
        fragments = {os.path.normpath(one.path): one for one in whole.get_fragments()}
        partitions = [
            dataset.get_partition_keys(fragments[name].partition_expression) for name in names
        ]
        fields = [
            whole.schema.field(key) for key in dict.fromkeys(_outermost_first(below, partitions))
        ]
        return {
            path: {one.name: pyarrow.scalar(keys.get(one.name), one.type) for one in fields}
            for path, keys in zip(files, partitions, strict=True)
        }


def _outermost_first(files: Iterable[Path], partitions: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The keys of each path in the order in which they are in it."""
    for path, keys in zip(files, partitions, strict=True):
        inside = [part.partition("=")[0] for part in path.parts]
        yield from (key for key in inside if key in keys)
        yield from keys


def with_values(batch: Any, values: dict[str, Any]) -> Any:
    """``batch`` with a column for each of ``values``, the same in every row.

    The new columns come last, or in the place of one with that name; ``ValueError`` if that has
    another type.
    """
    import pyarrow

    for name, value in values.items():
        column = pyarrow.repeat(value, batch.num_rows)
        at = batch.schema.get_field_index(name)
        if at < 0:
            fields = [*batch.schema, pyarrow.field(name, value.type)]
            schema = pyarrow.schema(fields, batch.schema.metadata)
            batch = pyarrow.RecordBatch.from_arrays([*batch.columns, column], schema=schema)
        elif batch.schema.field(at).type == value.type:
            batch = batch.set_column(at, batch.schema.field(at), column)
        else:
            raise ValueError(
                f"expected column {repr_of(name)} to be {value.type}, as the name of the directory "
                f"says, got {batch.schema.field(at).type} in the file"
            )
    return batch
