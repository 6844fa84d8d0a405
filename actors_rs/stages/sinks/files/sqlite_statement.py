"""One statement of SQLite, run for each row of a transaction; which rows it cannot write.

A transaction is written as a whole. If that fails, the rows are run one by one and taken back,
which finds those at fault; the sink decides about each, and the others are written, again as a
whole. A database that is locked, full or broken, or has no such table, is no row's fault.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from operator import ne
from typing import Any, TypeAlias

from actors_rs.errors import ActorsRsError, RunCancelled
from actors_rs.stages.context import StageContext
from actors_rs.stages.files.naming import naming
from actors_rs.stages.files.sqlite_files import (
    begin,
    commit,
    connected,
    set_up,
    transaction,
)
from actors_rs.texts import class_name_of, repr_of, text_of

__all__ = ["PassesOver", "Statement"]

PassesOver: TypeAlias = Callable[[int, Exception], bool]
"""Whether to go on without the row of this number, which raised. If not, the sink has failed."""
Within: TypeAlias = Callable[[sqlite3.Connection, Callable[[], None]], None]
"""Called in an open transaction; calls its second argument, which writes the rows, or does not."""

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
    """The parameters that the statement ``sql`` takes; raises early, where SQLite is late.

    SQLite writes any object with a buffer as bytes: of a scalar of NumPy, its bytes in memory.
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
                "give None for a missing value"
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
                    f"{repr_of(place)}, got {repr_of(value)}, whose bytes SQLite would "
                    f"write: {_plainly(element)}"
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
            f"Sink.sqlite: expected a tuple or a dict of parameters, got {repr_of(element)}: "
            f".map({made} of it"
        )
    if getattr(kind, "__getitem__", None) is tuple.__getitem__:  # a named tuple, for instance
        return tuple.__iter__(element)
    try:
        return [element[number] for number in range(len(element))]
    except (LookupError, TypeError) as error:
        raise TypeError(
            "Sink.sqlite: a row gives its values by their numbers, from 0 on, got "
            f"{class_name_of(error)}: {text_of(error)} from a {kind.__name__}: .map(tuple) makes a "
            "row of what it iterates over"
        ) from error


def _plainly(element: Any) -> str:
    if hasattr(element, "tolist"):
        return f".tolist() makes a row of plain values of a {class_name_of(element)}"
    return ".item() makes a plain value of it"


def _is_scalar(value: Any) -> bool:
    """Whether what SQLite gets is a scalar of NumPy, or an array of no dimensions."""
    value = sqlite3.adapt(value, sqlite3.PrepareProtocol, value)
    return not isinstance(value, _PLAIN) and getattr(value, "ndim", None) == 0


class _RefusedError(ActorsRsError):
    """A row was refused before SQLite saw it: not for what is wrong with a file."""


class Statement:
    """``sql`` on the database ``path``. One thread at a time; all but ``close`` may block."""

    def __init__(self, path: str, sql: str, setup: str | None) -> None:
        self._path = path
        self._sql = sql
        self._setup = setup
        self._parameters = Parameters(sql)
        self._stage: StageContext
        self._looks = 0  # whether it can be run
        self._database: sqlite3.Connection | None = None

    def open(self, stage: StageContext) -> None:
        """Connect, and run the setup."""
        self._stage = stage
        with naming(self._path):
            self._database = connected(self._path)
            set_up(self._database, self._path, stage, self._setup)

    def close(self) -> None:
        """Later calls do nothing."""
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def write(
        self,
        rows: Sequence[Any],
        passes_over: PassesOver,
        *,
        first_only: bool,
        within: Within = lambda database, run: run(),
    ) -> bool:
        """Run it for ``rows`` in one transaction, without rows that were passed over.

        False if one of them cannot be written and is not passed over; then nothing was written.
        ``first_only``: that is known beforehand, so no second one is looked for. Raises, and has
        written nothing, where no row is at fault; ``TypeError``, ``ValueError`` or ``WriteError``.
        """
        if self._database is None:
            return False
        try:
            self._transact(self._database, rows, within)
        except Exception as error:
            if self.is_of_the_file(error):
                raise
            faults = self._faults(self._database, rows, within, first_only=first_only)
            if not faults and len(rows) == 1:  # it is refused by the commit
                faults = [(0, error)]
            if not faults:
                raise
        else:
            return True
        if not all(passes_over(number, error) for number, error in faults):
            return False
        bad = {number for number, _ in faults}
        good = [row for number, row in enumerate(rows) if number not in bad]
        self._transact(self._database, good, within)
        return True

    def is_of_the_file(self, error: BaseException) -> bool:
        """Whether no row is at fault for ``error``: the next one would fare no better."""
        cause = error.__cause__
        return (
            isinstance(error, RunCancelled)  # it waited for another connection
            or _is_of_the_database(cause)
            or (isinstance(cause, _MAY_BE_OF_THE_STATEMENT) and self._cannot_be_run())
        )

    def _cannot_be_run(self) -> bool:
        """Whether the statement fails without any row: a table that is missing, for instance.

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

    def _transact(
        self,
        database: sqlite3.Connection,
        rows: Sequence[Any],
        within: Within,
    ) -> None:
        refused: list[Exception] = []

        def run() -> None:
            try:
                self._parameters.check(rows)
            except Exception as error:
                refused.append(error)
                raise _RefusedError from error
            self._run_for_all(database, rows)

        with suppress(_RefusedError), transaction(database, self._path, self._stage):
            within(database, run)
            with self._stage.committing():
                commit(database, self._path, self._stage)
        if refused:
            raise refused[0]

    def _run_for_all(self, database: sqlite3.Connection, rows: Sequence[Any]) -> None:
        """As ``executemany``, which CPython 3.13.0 cannot do for a statement with ``RETURNING``."""
        if database.executemany(self._sql, rows[:1]).description is None:
            database.executemany(self._sql, rows[1:])
        else:
            for row in rows[1:]:
                database.execute(self._sql, row)

    def _faults(
        self, database: sqlite3.Connection, rows: Sequence[Any], within: Within, *, first_only: bool
    ) -> list[tuple[int, Exception]]:
        """The numbers of the rows that cannot be written, and why; writes nothing."""
        faults: list[tuple[int, Exception]] = []

        def look() -> None:
            good = []
            for number, row in enumerate(rows):
                if (error := self._fault_of(database, row)) is None:
                    good.append(row)
                    continue
                faults.append((number, error))
                if first_only or _is_of_the_database(error.__cause__):
                    return
                if not database.in_transaction:  # it says OR ROLLBACK, which takes all rows back
                    begin(database, self._path, self._stage)
                    self._run_for_all(database, good)

        try:
            begin(database, self._path, self._stage)
            within(database, look)
        except sqlite3.Error:  # another writer has begun
            return []
        finally:
            database.rollback()
        return faults

    def _fault_of(self, database: sqlite3.Connection, row: Any) -> Exception | None:
        """The error of writing ``row`` after the rows before it."""
        try:
            self._parameters.check((row,))
            with naming(self._path):
                database.execute(self._sql, row)
        except Exception as error:
            return error
        return None
