"""sqlite("in.db", "SELECT name, age FROM people")

("a", 7) ("b", 8) |

Gives the rows of a query. The database is opened for reading only. As dicts, each column needs a
name of its own.

Back-pressure: reads as far as elements are asked for, on a thread of its own.
Completes: at the end of the input.
Fails: when it cannot be read, with the file and the place (ReadError).
Cancels: closes the database.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from actors_rs.stages.reading import reading
from actors_rs.stages.source import IteratorSource


class Sqlite(IteratorSource):
    """Rows as tuples, or as dicts by column."""

    def __init__(
        self,
        path: str | PathLike[str],
        query: str,
        parameters: Sequence[Any] | Mapping[str, Any],
        dicts: bool,
    ) -> None:
        super().__init__()
        self._path = fspath(path)
        self._query = query
        self._parameters = parameters
        self._dicts = dicts

    def elements(self) -> Iterator[Any]:
        with reading(self._path), closing(self._connected()) as database:
            rows = database.execute(self._query, self._parameters)
            if not self._dicts:
                yield from rows
                return
            names = [column[0] for column in rows.description or ()]
            check_columns(names)
            for row in rows:
                yield dict(zip(names, row, strict=True))

    def _connected(self) -> sqlite3.Connection:
        """A connection that does not make an empty database where there is none."""
        given = self._path.startswith("file:")
        uri = self._path if given else f"{Path(self._path).absolute().as_uri()}?mode=ro"
        return sqlite3.connect(uri, uri=True, check_same_thread=False)


def check_columns(names: list[str]) -> None:
    """Raise ``ValueError`` for names that two columns have: a dict holds one of them."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        told = ", ".join(map(repr, twice))
        raise ValueError(
            f"expected a name for each column, got {told} more than once: name them with AS"
        )
