"""csv("rows.csv", types={"age": int})

{"name": "a", "age": 7} {"name": "b", "age": 8} |

Gives the rows of CSV files; with a header as dicts, else as lists. Empty lines are none. A field
may be of any length, unless ``csv.field_size_limit`` was set to another limit than its default.
Each file has its own header. A bad row fails the stream, or is a dead letter and counted as
``skipped``, or becomes what a function makes of it.

Back-pressure: reads as far as elements are asked for, on a thread of its own.
Completes: at the end of the input.
Fails: when it cannot be read, with the file and the place (ReadError).
Cancels: closes the file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import Any

from actors_rs.stages.files.csv_rows import CsvFormat, rows_of
from actors_rs.stages.files.inputs import Inputs
from actors_rs.stages.files.reading import reading
from actors_rs.stages.files.source import RowSource

LIMIT_OF_PYTHON = 131_072
"""The default of ``csv.field_size_limit``, which holds for the whole process."""
NO_LIMIT = 2**31 - 1


class Csv(RowSource):
    """Each row with as many fields as the first one of its file has."""

    def __init__(self, inputs: Inputs, form: CsvFormat, encoding: str, errors: str) -> None:
        super().__init__(inputs, form.on_bad_row)
        self._form = form
        self._encoding = encoding
        self._errors = errors

    def elements(self) -> Iterator[Any]:
        if csv.field_size_limit() == LIMIT_OF_PYTHON:
            csv.field_size_limit(NO_LIMIT)
        for one in self.files():
            with (
                reading(one.name) as place,
                closing(one.lines(self._encoding, place, "", self._errors)) as lines,
            ):
                yield from rows_of(lines, self._form, place, partial(self.bad, one.name, place))
