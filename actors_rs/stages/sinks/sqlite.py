"""sqlite("out.db", "INSERT INTO t VALUES (?, ?)", batch=500): one transaction a batch.

Where elements that cannot be written are passed over, those of a batch that holds such a one are
committed one by one. A database that is locked, full or broken is no element's fault and fails the
stage, whatever the policy.

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

_OF_THE_DATABASE = frozenset(
    (
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOTADB,
    )
)
"""Failures that no element is at fault for: the next one would fare no better."""


def _is_of_the_database(error: BaseException | None) -> bool:
    return getattr(error, "sqlite_errorcode", -1) & 0xFF in _OF_THE_DATABASE


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
        while len(self._waiting) >= self._size and not self.inlet.cancelled:  # it may have failed
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
        except WriteError as error:
            if _is_of_the_database(error.__cause__):
                self.fail(error)
            elif self.may_pass_over:
                self._write_singly(batch)
            else:
                self._fail_for_one_of(batch, error)
        if self.inlet.cancelled:
            return
        del self._waiting[:count]

    def _fail_for_one_of(self, batch: list[Any], error: WriteError) -> None:
        """Fail for the element of ``batch`` that caused ``error``, by its own position."""
        offset = self._at_fault(batch)
        if offset is None:
            self.fail(error)
            return
        position = self.inlet.count - len(self._waiting) + offset
        self.survives(error, self._waiting.pop(offset), position)

    def _at_fault(self, batch: list[Any]) -> int | None:
        """The number of the first element that is refused; writes nothing."""
        database = self._database
        if database is None:
            return None
        try:
            for offset, element in enumerate(batch):
                try:
                    database.execute(self._sql, element)
                except Exception:
                    return offset
        finally:
            database.rollback()
        return None

    def _write_singly(self, batch: list[Any]) -> None:
        first = self.inlet.count - len(self._waiting)
        for offset, element in enumerate(batch):
            try:
                self._write([element])
            except WriteError as error:
                if _is_of_the_database(error.__cause__):
                    self.fail(error)
                    return
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
