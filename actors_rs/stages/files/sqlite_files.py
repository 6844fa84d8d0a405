"""SQLite databases as streams use them: for reading, and with explicit transactions.

SQLite reports that a database is locked, but not who locks it. Sources of this process that read
it release it on request; for other processes the error gives their numbers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode

from actors_rs.stages.files import sqlite_readers
from actors_rs.stages.sinks.files.writing import naming
from actors_rs.texts import text_of

__all__ = [
    "begin",
    "commit",
    "connected",
    "for_reading",
    "free_of_sources",
    "transaction",
    "writing",
]


def connected(path: str, patience: float = 5.0) -> sqlite3.Connection:
    """A connection that waits up to ``patience`` seconds for others, and begins nothing by itself.

    Python would judge by a statement's first word whether a transaction is due.
    """
    return sqlite3.connect(path, timeout=patience, isolation_level=None, check_same_thread=False)


def begin(database: sqlite3.Connection) -> None:
    """Begin a transaction, as the one that writes: to become that later, SQLite may refuse."""
    database.execute("BEGIN IMMEDIATE")


def free_of_sources(database: sqlite3.Connection, path: str) -> None:
    """Have sources of this process release ``path`` if they would block a commit."""
    if sqlite_readers.are_there(path):
        ((mode,),) = database.execute("PRAGMA journal_mode")
        if mode != "wal":
            sqlite_readers.ask_to_release(path)


@contextmanager
def transaction(database: sqlite3.Connection, path: str) -> Iterator[None]:
    """Commit the writes of the block, or none of them if it raises: see ``writing``."""
    with writing(path):
        begin(database)
        free_of_sources(database, path)
        try:
            with database:
                yield
        finally:
            database.rollback()  # the commit may be what was refused


@contextmanager
def writing(path: str) -> Iterator[None]:
    """What raises inside is a ``WriteError`` that names ``path``, and who has locked it."""
    with naming(path):
        try:
            yield
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
            locked = sqlite3.OperationalError(f"{text_of(error)}: {_who_holds(path)}")
            locked.sqlite_errorcode = error.sqlite_errorcode
            locked.sqlite_errorname = error.sqlite_errorname
            raise locked from error


def commit(database: sqlite3.Connection, path: str) -> None:
    """Commit; waits until sources of this process have released the file."""
    while True:
        try:
            database.commit()
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not (busy and sqlite_readers.ask_to_release(path)):
                raise
        else:
            return


def _who_holds(path: str) -> str:
    advice = "write into another file, or give the sink setup='PRAGMA journal_mode = WAL'"
    if sqlite_readers.are_there(path):
        return f"a Source.sqlite of this process reads it and could not close it: {advice}"
    if numbers := sqlite_readers.holders(path):
        return f"process {', '.join(map(str, numbers))} has a transaction open in it: {advice}"
    return (
        "another connection, of this process or another one, has a transaction open in it: a file "
        "takes one writer at a time, so let all streams that write into it feed one sink (merge, "
        "Source.merge_hub), or write into another file"
    )


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
