"""The result of a graph as ``actors-rs run`` prints it: a line or more for each sink."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice, repeat
from pathlib import Path
from pprint import pformat
from typing import TYPE_CHECKING, Any

from actors_rs import Graph, WriteReport
from actors_rs.targets import came
from actors_rs.texts import class_name_of, counted

if TYPE_CHECKING:
    from actors_rs.graph.spec import StageSpec

__all__ = ["printed"]

MOST_FILES = 3
"""Files of a sink that its line names."""
_NAME = r"""("[^"]+"|`[^`]+`|\[[^\]]+\]|\w+)"""
_TABLE = re.compile(
    rf"\b(?:INSERT(?:\s+OR\s+\w+)?|REPLACE)\s+INTO\s+(?P<name>{_NAME}(?:\.{_NAME})?)", re.IGNORECASE
)


def printed(graph: Graph[Any], result: object) -> Iterator[str]:
    """A line or more for each sink of ``graph``; a sink without a result gives none."""
    values = result if isinstance(result, tuple) else (result,)
    for value, sink in zip(values, chain(_sinks_of(graph), repeat(None)), strict=False):
        if isinstance(value, WriteReport):
            yield f"{counted(value.rows, 'row')} in {_files(value.files)}"
        elif sink is not None and sink.kind == "sqlite" and isinstance(value, int):
            yield f"{counted(value, 'row')} in {_table_of(sink)}{sink.target}"
        elif value is not None:
            yield value if isinstance(value, str) else _shown(value)


def _sinks_of(graph: Graph[Any]) -> list[StageSpec | None]:
    """The sink of each result; none where a function of the user's makes it of others."""
    whole, left = graph._results, iter(graph._sinks)
    if whole.parts is not None and whole.combine is not None:
        return []
    parts = [whole] if whole.parts is None else whole.parts
    each = [(part, [*islice(left, part.ends)]) for part in parts if part.ends]
    return [sinks[0] if part.parts is None and part.is_plain else None for part, sinks in each]


def _table_of(sink: StageSpec) -> str:
    """The table that the statement of a sink of SQLite fills, if it is an insert."""
    found = _TABLE.search(getattr(sink.make, "args", ("", ""))[1])
    return f"table {found['name']} of " if found else ""


def _files(files: tuple[str, ...]) -> str:
    if len(files) < 2:
        return files[0] if files else "no files"
    folder, *others = {Path(file).parent for file in files}
    names = files if others else [Path(file).name for file in files]
    where = "" if others else f" of {folder}"
    more = [f"and {len(files) - MOST_FILES} more"] if len(files) > MOST_FILES else []
    return f"{len(files)} files{where}: {', '.join([*names[:MOST_FILES], *more])}"


def _shown(value: object) -> str:
    try:
        return pformat(value)
    except Exception as error:  # from a __repr__ of the user's
        return f"<{class_name_of(value)} that cannot be shown, {came(error)}>"
