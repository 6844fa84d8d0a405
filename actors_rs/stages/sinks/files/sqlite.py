"""sqlite("out.db", "INSERT INTO t VALUES (?, ?)", batch=500): one transaction a batch.

A batch is one transaction for any statement, ``WITH ... INSERT`` or an update for instance. An
element is a dict, a tuple, a list or another sequence of parameters; any other fails, also a text.
A scalar of NumPy fails, too, since SQLite would take it for bytes: give ``.tolist()`` of a row of
pandas. ``nan`` fails, since SQLite would write NULL: give ``None`` for a missing value.

A ``Source.sqlite`` of this process that reads the same file releases it, and the sink waits for
that. Readers elsewhere lock it until their last row, unless ``setup="PRAGMA journal_mode = WAL"``
lets both go on. The sink waits 60 s for another writer or reader, or until the run is cancelled;
after 5 s it logs a warning. The error of a locked database names its holder: on Linux, the process.

If a batch fails, its elements are run one by one, which finds those at fault, and taken back; where
these are passed over, the others are one transaction. An error that only the commit finds, a
deferred foreign key, is no single element's fault unless it is alone (``batch=1``). A database that
is locked, full or broken, or has no such table, is no element's fault and fails the stage under any
policy.

Back-pressure: asks for a window; a slow database slows the stream down.
Completes: when upstream has completed and the last batch is committed.
Fails: when upstream has failed, an element cannot be written or the statement fails; batches
committed before stay.
Cancels: when the run is cancelled; elements that wait for a batch are not written.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike, fspath
from typing import Any

from actors_rs.stages.sinks.files.sqlite_statement import Statement
from actors_rs.stages.sinks.files.writing import WritingSink

__all__ = ["Sqlite"]


class Sqlite(WritingSink):
    """Runs one statement for each element, a tuple or dict of its parameters.

    A batch is committed whole or not at all; the result is the number of elements committed.
    """

    def __init__(self, path: str | PathLike[str], sql: str, batch: int, setup: str | None) -> None:
        super().__init__()
        self.made_with = fspath(path), sql, setup
        self._statement = Statement(*self.made_with)
        self._size = batch
        self._waiting: list[Any] = []
        self._committed = 0

    def is_of_the_file(self, error: BaseException) -> bool:
        return self._statement.is_of_the_file(error)

    def start(self) -> None:
        self._statement.open(self.context)
        super().start()

    def consume(self, elements: Iterator[Any], /) -> None:
        self._waiting.extend(elements)
        while len(self._waiting) >= self._size and not self.inlet.cancelled:  # it may have failed
            self._write_next(self._size)

    def finish(self) -> int:
        if self._waiting:
            self._write_next(len(self._waiting))
        self._statement.close()
        return self._committed

    def stop(self, error: BaseException | None) -> None:
        self._statement.close()

    def held(self) -> list[Any]:
        return self._waiting

    def details(self) -> dict[str, Any]:
        return {"committed": self._committed}

    def _write_next(self, count: int) -> None:
        """Write the first ``count`` waiting elements, except elements that are passed over."""
        batch = self._waiting[:count]
        first = self.inlet.count - len(self._waiting)
        decided: set[int] = set()

        def passes_over(number: int, error: Exception) -> bool:
            decided.add(number)
            return self.survives(error, batch[number], first + number)

        written = False
        try:
            written = self._statement.write(batch, passes_over, first_only=not self.may_pass_over)
        except Exception as error:
            self.fail(error)
        if written:
            del self._waiting[:count]
            self._committed += count - len(decided)
        else:
            self._waiting[:count] = [row for n, row in enumerate(batch) if n not in decided]
