"""Databases of SQLite as streams use them: who reads which, and transactions that begin when told.

SQLite says that a database is locked and not by whom. Where that is a source of this process, it
is known here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from os.path import realpath
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlencode

from actors_rs.stages.sinks.files import naming
from actors_rs.texts import text_of

__all__ = ["begin", "connected", "for_reading", "transaction", "writing"]

_readers: dict[int, str] = {}
"""The files that sources of this process read just now, by the identity of the reader."""


def connected(path: str, patience: float = 5.0) -> sqlite3.Connection:
    """A connection that waits up to ``patience`` seconds for others, and begins nothing by itself.

    Python would judge by a statement's first word whether a transaction is due.
    """
    return sqlite3.connect(path, patience, isolation_level=None, check_same_thread=False)


def begin(database: sqlite3.Connection) -> None:
    """Begin a transaction, as the one that writes: to become that later, SQLite may refuse."""
    database.execute("BEGIN IMMEDIATE")


@contextmanager
def transaction(database: sqlite3.Connection, path: str) -> Iterator[None]:
    """What is written inside is committed, or nothing of it if anything raises: see ``writing``."""
    with writing(path):
        begin(database)
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
            told = sqlite3.OperationalError(f"{text_of(error)}: {_who_reads(path)}")
            told.sqlite_errorcode = error.sqlite_errorcode
            told.sqlite_errorname = error.sqlite_errorname
            raise told from error


def _who_reads(path: str) -> str:
    if realpath(path) in tuple(_readers.values()):
        return (
            "a Source.sqlite of this process reads it until its last row. Let it be written "
            "meanwhile, with Sink.sqlite(..., setup='PRAGMA journal_mode = WAL'), or write "
            "into another file"
        )
    return "another connection, of this process or another one, has a transaction open in it"


@contextmanager
def for_reading(path: str) -> Iterator[sqlite3.Connection]:
    """A connection to a database that is there, which cannot write; also ``file:`` addresses."""
    address, file = _read_only(path)
    database = sqlite3.connect(address, uri=True, check_same_thread=False)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)  # ATTACH makes a file that is not there
    try:
        _readers[id(database)] = realpath(file)
        yield database
    finally:
        _readers.pop(id(database), None)
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
