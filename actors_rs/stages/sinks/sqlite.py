"""sqlite("out.db", "INSERT INTO t VALUES (?, ?)", batch=500): one transaction a batch.

A batch is one transaction whatever the statement is, ``WITH ... INSERT`` or an update for instance.
An element is a tuple or a dict of parameters. One that is not, or gives a scalar of NumPy, which
SQLite would take for bytes, cannot be written; a row of pandas does, and ``.tolist()`` of it not.
Nor can ``nan``, for which SQLite would write NULL: give ``None`` for a value that is missing.

A ``Source.sqlite`` of the same file locks it until its last row:
``setup="PRAGMA journal_mode = WAL"`` lets both go on. The error of a locked database says who
holds it.

Where elements that cannot be written are passed over, those of a batch that holds such a one are
committed one by one. A database that is locked, full or broken, or has no such table, is no
element's fault and fails the stage, whatever the policy.

Back-pressure: asks for a window; a slow database slows the stream down.
Completes: when upstream has completed and the last batch is committed.
Fails: when upstream has failed, an element cannot be written or the statement fails; batches
committed before stay.
Cancels: when the run is cancelled; what waits for a batch is not written.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from operator import ne
from os import PathLike, fspath
from typing import Any

from actors_rs.errors import WriteError
from actors_rs.stages.sinks.files import WritingSink
from actors_rs.stages.sqlite_files import begin, connected, transaction, writing
from actors_rs.texts import repr_of, text_of

__all__ = ["Parameters", "Sqlite"]

_OF_THE_DATABASE = frozenset(
    (
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_NOLFS,
        sqlite3.SQLITE_NOTADB,
    )
)
"""Failures that no element is at fault for: the next one would fare no better."""


_MAY_BE_OF_THE_STATEMENT = (sqlite3.OperationalError, sqlite3.ProgrammingError, sqlite3.Warning)
_PLAIN = (int, float, str, bytes)
"""Written as what they are, also where a class of NumPy extends one of them."""


_COMPARABLE = frozenset((*_PLAIN, type(None)))
"""Classes of which only ``nan`` differs from itself."""


def _is_of_the_database(error: BaseException | None) -> bool:
    return getattr(error, "sqlite_errorcode", -1) & 0xFF in _OF_THE_DATABASE


class Parameters:
    """What elements hold for the statement ``sql``: told early, where SQLite tells late or never.

    It writes whatever has a buffer as bytes: of a scalar of NumPy, those it has in memory.
    """

    def __init__(self, sql: str) -> None:
        self._named = frozenset(re.findall(r"[:@$](\w+)", sql))
        self._plain: set[type] = set()
        """Classes that are seen to have no scalars of NumPy among them."""

    def check(self, elements: Sequence[Any], /) -> None:
        """Raise if one of ``elements`` is no row (``TypeError``), or not what would be written."""
        values = list(chain.from_iterable(map(self._values_of, elements)))
        kinds = set(map(type, values))
        if (unknown := kinds - self._plain) or not _COMPARABLE.issuperset(kinds):
            fractions = [value for value in values if isinstance(value, float)]
        else:
            fractions = values if float in kinds else []
        if any(map(ne, fractions, fractions)):
            raise ValueError(
                "Sink.sqlite: expected numbers, got nan, for which SQLite would write NULL: "
                "give None for a value that is missing"
            )
        if unknown:
            for element in elements:
                self._look_at(element, unknown)

    def _look_at(self, element: Any, unknown: set[type]) -> None:
        by_name = isinstance(element, dict)
        for place, value in self._named_in(element) if by_name else enumerate(_row(element), 1):
            if type(value) not in unknown or (by_name and place not in self._named):
                continue
            if not hasattr(value, "ndim") or isinstance(value, _PLAIN):
                self._plain.add(type(value))
            elif _is_scalar(value):
                raise TypeError(
                    f"Sink.sqlite: expected a plain value for parameter "
                    f"{repr_of(place)}, got {repr_of(value)}, of which SQLite would write the "
                    f"bytes: {_plainly(element)}"
                )

    def _values_of(self, element: Any) -> Iterable[Any]:
        if type(element) is dict:
            return element.values()
        if isinstance(element, dict):
            return [value for _, value in self._named_in(element)]
        return _row(element)

    def _named_in(self, element: dict[Any, Any]) -> Iterable[tuple[Any, Any]]:
        """As SQLite asks: a class of its own may give more than it holds, or something else."""
        if type(element) is dict:
            return element.items()
        pairs = []
        for name in self._named:
            with suppress(KeyError):  # SQLite says so, if it is one that it needs
                pairs.append((name, element[name]))
        return pairs


def _row(element: Any) -> Iterable[Any]:
    """The values of a row that is no dict, as SQLite asks for them: by their numbers."""
    kind = type(element)
    if kind is tuple or kind is list:
        return element  # type: ignore[no-any-return]
    no_row = isinstance(element, str | bytes | bytearray | memoryview | Mapping)
    if no_row or not (hasattr(kind, "__getitem__") and hasattr(kind, "__len__")):
        made = (
            "dict) makes a dict" if isinstance(element, Mapping) else "lambda x: (x,)) makes a row"
        )
        raise TypeError(
            f"Sink.sqlite: an element is a tuple or a dict of parameters, got {repr_of(element)}: "
            f".map({made} of it"
        )
    if getattr(kind, "__getitem__", None) is tuple.__getitem__:  # a named tuple, for instance
        return tuple.__iter__(element)
    try:
        return [element[number] for number in range(len(element))]
    except (LookupError, TypeError) as error:
        raise TypeError(
            "Sink.sqlite: a row gives its values by their numbers, from 0 on, got "
            f"{type(error).__name__}: {text_of(error)} from a {kind.__name__}: .map(tuple) makes a "
            "row of what it iterates over"
        ) from error


def _plainly(element: Any) -> str:
    if hasattr(element, "tolist"):
        return f".tolist() makes a row of such ones of a {type(element).__name__}"
    return ".item() makes one of it"


def _is_scalar(value: Any) -> bool:
    """Whether what SQLite gets is a scalar of NumPy, or an array of no dimensions."""
    value = sqlite3.adapt(value, sqlite3.PrepareProtocol, value)
    return not isinstance(value, _PLAIN) and getattr(value, "ndim", None) == 0


class Sqlite(WritingSink):
    """Runs one statement for each element, a tuple or dict of its parameters.

    A batch is committed whole or not at all; the result is the number of elements committed.
    """

    def __init__(self, path: str | PathLike[str], sql: str, batch: int, setup: str | None) -> None:
        super().__init__()
        self._path = fspath(path)
        self._sql = sql
        self._parameters = Parameters(sql)
        self._size = batch
        self._setup = setup
        self._waiting: list[Any] = []
        self._database: sqlite3.Connection | None = None
        self._committed = 0
        self._looks = 0  # at the statement, whether it can be run

    def is_of_the_file(self, error: BaseException) -> bool:
        cause = error.__cause__
        return _is_of_the_database(cause) or (
            isinstance(cause, _MAY_BE_OF_THE_STATEMENT) and self._cannot_be_run()
        )

    def start(self) -> None:
        with writing(self._path):
            self._database = connected(self._path)
            if self._setup is not None:
                self._database.executescript(self._setup)
                self._database.commit()
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
        except Exception as error:
            if self.is_of_the_file(error):
                self.fail(error)
            elif self.may_pass_over:
                self._write_singly(batch)
            else:
                self._fail_for_one_of(batch, error)
        if self.inlet.cancelled:
            return
        del self._waiting[:count]

    def _fail_for_one_of(self, batch: list[Any], error: Exception) -> None:
        """Fail for the element of ``batch`` that caused ``error``, by its own position."""
        offset = self._at_fault(batch, error)
        if offset is None:
            self.fail(error)
            return
        position = self.inlet.count - len(self._waiting) + offset
        self.survives(error, self._waiting.pop(offset), position)

    def _at_fault(self, batch: list[Any], error: Exception) -> int | None:
        """The number of the first element for which ``error`` is raised; writes nothing."""
        database = self._database
        if database is None:
            return None
        try:
            begin(database)
        except sqlite3.Error:  # somebody else has begun to write meanwhile
            return None
        try:
            for offset, element in enumerate(batch):
                try:
                    if isinstance(error, WriteError):
                        database.execute(self._sql, element)
                    else:
                        self._parameters.check((element,))
                except Exception:
                    return offset
        finally:
            database.rollback()
        return None

    def _cannot_be_run(self) -> bool:
        """Whether the statement fails without any element: a table that is missing, for instance.

        Its text is another one each time: one that was prepared before would not be again.
        """
        if self._database is None:
            return False
        self._looks += 1
        try:
            self._database.executemany(f"{self._sql}\n-- {self._looks}", ())
        except sqlite3.Error:
            return True
        finally:
            self._database.rollback()
        return False

    def _write_singly(self, batch: list[Any]) -> None:
        first = self.inlet.count - len(self._waiting)
        for offset, element in enumerate(batch):
            try:
                self._write([element])
            except Exception as error:
                if not self.survives(error, element, first + offset):
                    del self._waiting[: offset + (not self.is_of_the_file(error))]  # what is done
                    return

    def _write(self, batch: list[Any]) -> None:
        if self._database is None:
            return
        self._parameters.check(batch)
        with transaction(self._database, self._path):
            self._database.executemany(self._sql, batch)
            with self.context.committing():
                self._database.commit()
        self._committed += len(batch)

    def _close(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            database.close()
