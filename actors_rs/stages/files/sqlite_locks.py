"""Waiting for other connections that lock a database, and who they are.

SQLite reports that a database is locked, but not who locks it. Sources of this process that read
it release it on request; for other processes the error gives their numbers. SQLite's own wait
cannot be cancelled, so a wait consists of short steps.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Any, NoReturn, Protocol

from actors_rs.errors import RunCancelled
from actors_rs.stages.files import sqlite_readers
from actors_rs.texts import text_of

__all__ = ["STEP_SECONDS", "Waiter", "is_locked", "is_write_ahead", "patiently", "statements_in"]

LOCK_SECONDS = 60.0
"""How long a sink waits: another one may be writing a large unit into the same file."""
STEP_SECONDS = 0.25
"""How long SQLite waits by itself: a run that ends waits no longer for the sink."""
_QUIET_SECONDS = 5.0
_ADVICE = "write into another file, or give the sink setup='PRAGMA journal_mode = WAL'"
_ONE_WRITER = (
    "a file takes one writer at a time, so let all streams that write into it feed one sink "
    "(merge, Source.merge_hub), or write into another file, or make the other transaction shorter"
)


class Waiter(Protocol):
    """The stage that waits."""

    def stop_reason(self) -> BaseException | None:
        """Why its run ends before its time, if it does."""
        ...

    def warn(self, text: str, /) -> None:
        """Log ``text``."""


def is_locked(error: sqlite3.Error) -> bool:
    """Whether another connection is at fault for ``error``."""
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY


def is_write_ahead(database: sqlite3.Connection) -> bool:
    """Whether its file has a write-ahead log, so that readers and the writer do not meet."""
    ((mode,),) = database.execute("PRAGMA journal_mode")
    return bool(mode == "wal")


def patiently(
    database: sqlite3.Connection, path: str, waiter: Waiter, attempt: Callable[[], Any]
) -> None:
    """Call ``attempt`` until no other connection locks ``path``, for up to ``LOCK_SECONDS``.

    The steps are counted: each is SQLite's own wait, which no clock of the system measures. Steps
    in which sources of this process release the file are not.
    """
    steps = 0
    while True:
        try:
            attempt()
        except sqlite3.OperationalError as error:
            if not is_locked(error):
                raise
            if not (database.in_transaction and sqlite_readers.ask_to_release(path)):
                steps += 1
            if waiter.stop_reason() is not None:
                raise RunCancelled(f"the run ended while {path} was locked") from None
            if steps * STEP_SECONDS >= LOCK_SECONDS:
                _fail(error, _who_holds(database, path))
            if steps * STEP_SECONDS == _QUIET_SECONDS:
                waiter.warn(
                    f"{path} has been locked for {_QUIET_SECONDS:.0f} s, and fails the stage after "
                    f"{LOCK_SECONDS:.0f} s: {_who_holds(database, path)}"
                )
        else:
            return


def statements_in(script: str) -> Iterator[str]:
    """The statements of ``script``, one by one: each can be repeated without those before it."""
    begun = ""
    for piece in script.split(";"):
        begun += piece
        if sqlite3.complete_statement(f"{begun};"):
            yield f"{begun};"
            begun = ""
        else:
            begun += ";"
    if begun := begun.removesuffix(";").strip():
        yield begun


def _fail(error: sqlite3.OperationalError, holder: str) -> NoReturn:
    locked = sqlite3.OperationalError(f"{text_of(error)}: {holder}")
    locked.sqlite_errorcode = error.sqlite_errorcode
    locked.sqlite_errorname = error.sqlite_errorname
    raise locked from error


def _who_holds(database: sqlite3.Connection, path: str) -> str:
    """Who locks ``path``, and what helps: only readers do once a transaction has begun."""
    if sqlite_readers.are_there(path) and database.in_transaction:
        return f"a Source.sqlite of this process reads it and could not close it: {_ADVICE}"
    numbers = ", ".join(map(str, sqlite_readers.holders(path)))
    whose = (
        f"process {numbers}" if numbers else "another connection, of this process or another one,"
    )
    advice = _ADVICE if database.in_transaction else _ONE_WRITER
    return f"{whose} has a transaction open in it: {advice}"
