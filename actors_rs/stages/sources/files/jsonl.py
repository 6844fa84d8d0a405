"""jsonl("rows.jsonl")

{"name": "a"} {"name": "b"} |

Gives the JSON values of files, one a line, also of compressed ones, or ``f(value)`` with
``parse=f``. Empty lines are none. A bad line, or one for which ``f`` raises, fails the stream, or
is a dead letter and counted as ``skipped``, or becomes what a function makes of it.

Back-pressure: reads as far as elements are asked for, on a thread of its own.
Completes: at the end of the input.
Fails: when it cannot be read, with the file and the place (ReadError).
Cancels: closes the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from typing import Any

from actors_rs.stages.files.bad_row import OnBadRow
from actors_rs.stages.files.inputs import Inputs
from actors_rs.stages.files.reading import reading
from actors_rs.stages.files.source import RowSource
from actors_rs.texts import named


class Jsonl(RowSource):
    """One JSON value of each line."""

    def __init__(
        self,
        inputs: Inputs,
        encoding: str,
        errors: str,
        on_bad_row: OnBadRow,
        parse: Callable[[Any], Any] | None,
    ) -> None:
        super().__init__(inputs, on_bad_row)
        self._value_of = _value_of if parse is None else partial(_parsed, parse)
        self._encoding = encoding
        self._errors = errors

    def elements(self) -> Iterator[Any]:
        for one in self.files():
            with (
                reading(one.name) as place,
                closing(one.lines(self._encoding, place, errors=self._errors)) as lines,
            ):
                for line in lines:
                    if line.isspace():
                        continue
                    try:
                        value = self._value_of(line)
                    except (ValueError, RecursionError) as error:
                        value = self.bad(one.name, place, line, [], error)
                        if value is None:
                            continue
                    yield value


def _value_of(line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:  # whose own text counts lines within this one
        column = min(error.pos, len(line.removesuffix("\n"))) + 1
        raise ValueError(f"{error.msg}: column {column}") from error


def _parsed(parse: Callable[[Any], Any], line: str) -> Any:
    value = _value_of(line)
    try:
        return parse(value)
    except Exception as error:
        raise ValueError(f"parse: {named(error)}") from error
