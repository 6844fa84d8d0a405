"""sqlite("out.db", "INSERT INTO t VALUES (?, ?)", batch=500): one transaction a batch.

Where elements that cannot be written are passed over, those of a batch that holds such a one are
committed one by one.

Back-pressure: asks for a window; a slow database slows the stream down.
Completes: when upstream has completed and the last batch is committed.
Fails: when upstream has failed or the statement does; batches committed before stay.
Cancels: when the run is cancelled; what waits for a batch is not written.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any

from actors_rs.errors import WriteError
from actors_rs.stages.sinks.files import WritingSink, naming


class Sqlite(WritingSink):
    """Runs one statement for each element, a tuple or dict of its parameters.

    A batch is committed whole or not at all; the result is the number of elements committed.
    """

    def __init__(self, path: str | PathLike[str], sql: str, batch: int, setup: str | None) -> None:
        super().__init__()
        self._path = fspath(path)
        self._sql = sql
        self._size = batch
        self._setup = setup
        self._waiting: list[Any] = []
        self._database: sqlite3.Connection | None = None
        self._committed = 0

    def start(self) -> None:
        with naming(self._path):
            self._database = sqlite3.connect(self._path, check_same_thread=False)
            if self._setup is not None:
                self._database.executescript(self._setup)
        super().start()

    def consume(self, elements: Iterator[Any], /) -> None:
        self._waiting.extend(elements)
        while len(self._waiting) >= self._size:
            self._write_next(self._size)

    def finish(self) -> int:
        if self._waiting:
            self._write_next(len(self._waiting))
        self._close()
        return self._committed

    def stop(self, error: BaseException | None) -> None:
        self._close()

    def held(self) -> list[Any]:
        return self._waiting

    def details(self) -> dict[str, Any]:
        return {"committed": self._committed}

    def _write_next(self, count: int) -> None:
        """Write the first ``count`` elements that wait."""
        batch = self._waiting[:count]
        try:
            self._write(batch)
        except WriteError:
            if not self.may_pass_over:
                raise
            self._write_singly(batch)
        del self._waiting[:count]

    def _write_singly(self, batch: list[Any]) -> None:
        first = self.inlet.count - len(self._waiting)
        for offset, element in enumerate(batch):
            try:
                self._write([element])
            except WriteError as error:
                if not self.survives(error, element, first + offset):
                    return

    def _write(self, batch: list[Any]) -> None:
        if self._database is None:
            return
        with naming(self._path), self._database:  # commits, or rolls back if it raises
            self._database.executemany(self._sql, batch)
        self._committed += len(batch)

    def _close(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            database.close()
