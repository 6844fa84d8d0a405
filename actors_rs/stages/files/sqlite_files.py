"""SQLite databases as streams use them: for reading, and with explicit transactions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode

from actors_rs.stages.files import sqlite_readers
from actors_rs.stages.files.naming import naming
from actors_rs.stages.files.sqlite_locks import (
    STEP_SECONDS,
    Waiter,
    is_write_ahead,
    patiently,
    statements_in,
)

__all__ = [
    "begin",
    "commit",
    "connected",
    "for_reading",
    "set_up",
    "transaction",
]


def connected(path: str) -> sqlite3.Connection:
    """A connection that begins nothing by itself; see ``patiently`` for how it waits for others.

    Python would judge by a statement's first word whether a transaction is due.
    """
    return sqlite3.connect(
        path, timeout=STEP_SECONDS, isolation_level=None, check_same_thread=False
    )


def begin(database: sqlite3.Connection, path: str, waiter: Waiter) -> None:
    """Begin a transaction, as the one that writes: to become that later, SQLite may refuse."""
    patiently(database, path, waiter, partial(database.execute, "BEGIN IMMEDIATE"))


def set_up(database: sqlite3.Connection, path: str, waiter: Waiter, script: str | None) -> None:
    """Run ``script``, and commit if it left a transaction open."""
    for statement in statements_in(script or ""):
        patiently(database, path, waiter, partial(_run, database, path, statement))
    commit(database, path, waiter)


def _run(database: sqlite3.Connection, path: str, statement: str) -> None:
    free_of_sources(database, path)  # also of a source that has begun while it waits
    if "journal_mode" in statement.lower() and not database.in_transaction:
        database.execute("BEGIN EXCLUSIVE")  # waits for others, which the statement does not
        database.rollback()
    database.execute(statement).fetchall()  # a query would read on, and lock the file


def free_of_sources(database: sqlite3.Connection, path: str) -> None:
    """Have sources of this process release ``path`` if they would block a commit."""
    if sqlite_readers.are_there(path) and not is_write_ahead(database):
        sqlite_readers.ask_to_release(path)


@contextmanager
def transaction(database: sqlite3.Connection, path: str, waiter: Waiter) -> Iterator[None]:
    """Commit the writes of the block, or none of them; a ``WriteError`` if the file is at fault."""
    with naming(path):
        begin(database, path, waiter)
        free_of_sources(database, path)
        try:
            with database:
                yield
        finally:
            database.rollback()  # the commit may be what was refused


def commit(database: sqlite3.Connection, path: str, waiter: Waiter) -> None:
    """Commit; waits until sources of this process have released the file."""
    patiently(database, path, waiter, database.commit)


@contextmanager
def for_reading(path: str) -> Iterator[tuple[sqlite3.Connection, str]]:
    """A connection to a database that is there, which cannot write; also ``file:`` addresses.

    With the path of its file.
    """
    address, file = _read_only(path)
    database = sqlite3.connect(address, uri=True, check_same_thread=False)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # ATTACH makes a file that is not there
    try:
        yield database, file
    finally:
        database.close()


def _read_only(path: str) -> tuple[str, str]:
    """The address of ``path`` for reading only, and the path of its file."""
    if not path.startswith("file:"):
        return f"{Path(path).absolute().as_uri()}?mode=ro", path
    name, _, query = path.partition("#")[0].partition("?")
    settings = dict(parse_qsl(query, keep_blank_values=True))
    if settings.get("mode") != "memory" and name != "file::memory:":
        settings["mode"] = "ro"
    return f"{name}?{urlencode(settings)}", _file_of(name)


def _file_of(address: str) -> str:
    file = unquote(address.removeprefix("file:"))
    if file.startswith("//"):  # then comes a host, which may be empty
        file = f"/{file[2:].partition('/')[2]}"
    return file
