"""csv("rows.csv")

{"name": "a", "age": "7"} {"name": "b", "age": "8"} |

Gives the rows of a CSV file; with a header as dicts, else as lists. Empty lines are none. A field
may be of any length, unless ``csv.field_size_limit`` was set to another limit than its default.

Back-pressure: reads as far as elements are asked for, on a thread of its own.
Completes: at the end of the input.
Fails: when it cannot be read, with the file and the place (ReadError).
Cancels: closes the file.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from os import PathLike
from typing import Any

from actors_rs.stages.files.reading import lines_of, reading
from actors_rs.stages.source import IteratorSource
from actors_rs.texts import repr_of

LIMIT_OF_PYTHON = 131_072
"""The default of ``csv.field_size_limit``, which holds for the whole process."""
NO_LIMIT = 2**31 - 1


class Csv(IteratorSource):
    """Each row with as many fields as the first one has."""

    def __init__(
        self, path: str | PathLike[str], header: bool, delimiter: str, encoding: str
    ) -> None:
        super().__init__()
        self._path = path
        self._header = header
        self._delimiter = delimiter
        self._encoding = encoding

    def elements(self) -> Iterator[Any]:
        if csv.field_size_limit() == LIMIT_OF_PYTHON:
            csv.field_size_limit(NO_LIMIT)
        with (
            reading(self._path) as place,
            closing(lines_of(self._path, self._encoding, place, newline="")) as lines,
        ):
            rows = filter(None, csv.reader(lines, delimiter=self._delimiter, strict=True))
            names = next(rows, []) if self._header else None
            check_names(names or [])
            width = None if names is None else len(names)
            for row in rows:
                width = width or len(row)
                if len(row) != width:
                    raise ValueError(f"expected {width} fields, got {len(row)}")
                yield row if names is None else dict(zip(names, row, strict=True))


def check_names(names: list[str]) -> None:
    """Raise ``ValueError`` for a name that two columns have: a dict holds one of them."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        raise ValueError(f"expected a name for each column, got {repr_of(twice[0])} more than once")
