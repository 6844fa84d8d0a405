"""sqlite("in.db", "SELECT name, age FROM people")

("a", 7) ("b", 8) |

Gives the rows of a query. The database is opened for reading only, and a statement that writes is
refused. As dicts, each column needs a name of its own. A reader blocks writers. So if a
``Sink.sqlite`` of this process wants to write into the same file, the source first copies its
remaining rows into a temporary file. They stay the rows of the moment at which the query began.

Back-pressure: reads as far as elements are asked for, on a thread of its own.
Completes: at the end of the input.
Fails: when it cannot be read, with the file and the place (ReadError).
Cancels: closes the database.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Any

from actors_rs.stages.files.reading import reading
from actors_rs.stages.files.sqlite_files import for_reading
from actors_rs.stages.files.sqlite_readers import Rows
from actors_rs.stages.source import IteratorSource
from actors_rs.texts import few, repr_of


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
        with reading(self._path), for_reading(self._path) as (database, file):
            check_reads(self._query, database)
            cursor = database.execute(self._query, self._parameters)
            rows = Rows(file, cursor, self.context.post)
            if not self._dicts:
                yield from rows
                return
            names = [column[0] for column in cursor.description or ()]
            check_columns(names)
            for row in rows:
                yield dict(zip(names, row, strict=True))


def check_reads(query: str, database: sqlite3.Connection) -> None:
    """Raise ``ValueError`` for a statement that may write, before it is run."""
    try:
        database.executemany(query, ())  # which SQLite's module takes for no other
    except sqlite3.ProgrammingError:
        return
    raise ValueError(f"Source.sqlite: expected a query, got a statement that writes: {query}")


def check_columns(names: list[str]) -> None:
    """Raise ``ValueError`` for names that two columns have: a dict holds one of them."""
    twice = sorted(name for name, times in Counter(names).items() if times > 1)
    if twice:
        repeated = few(map(repr_of, twice))
        raise ValueError(
            f"expected a name for each column, got {repeated} more than once: name them with AS"
        )
