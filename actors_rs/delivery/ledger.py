"""The ledger: which partitions of a long run are done, in one SQLite file.

A run goes over thousands of partitions. The ledger says at any later moment, also after a
``kill -9``, which of them are committed. A run that starts again skips those and repeats the
others. One live process holds a ledger at a time; every process may read it, with ``status``.

A commit is durable when ``commit`` returns: write-ahead log, synchronized with the disk. Notes in
between (a partition has begun, or failed) survive the end of the process, but not a crash of the
machine.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from actors_rs.delivery import notes
from actors_rs.delivery.hold import Hold
from actors_rs.delivery.notes import Note
from actors_rs.delivery.outputs import Output, note_delivered
from actors_rs.delivery.plan import Plan
from actors_rs.delivery.runs import key_of, run_of
from actors_rs.delivery.schema import (
    SCHEMA,
    Report,
    add_columns,
    check_version,
    read_report,
)
from actors_rs.delivery.starts import END_OF_START, add_older_starts, read_starts
from actors_rs.errors import InvalidArgumentError, LedgerError, ReadError, WriteError
from actors_rs.graph.checks import path_of, wrong_value
from actors_rs.runtime._primitives import Lock, monotonic, wall_clock
from actors_rs.texts import one_of, repr_of, text_of

__all__ = ["Ledger", "LedgerRun", "OnOtherPlan", "Plan", "commit_within", "status"]

OnOtherPlan = Literal["refuse", "start_over"]
_END = (
    "UPDATE ledger_runs SET state = :state, error = :error, ended = :now, holder = NULL "
    "WHERE run = :run"
)
_LEFT = "UPDATE ledger_partitions SET state = 'pending' WHERE run = :run AND state = 'running'"
_BUSY_SECONDS = 60.0  # a sink may be writing a large partition into the same file


class Ledger:
    """A ledger file, which need not exist yet. Nothing is opened before ``open``.

    - ``path``: the SQLite file. It may hold tables of your own, too.
    - ``on_other_plan``: for a ledger with another plan, with a run into other sinks, or whose
      output is gone. ``"refuse"`` (default) raises ``LedgerError``; ``"start_over"`` begins a new
      run and keeps the old run's entries for the record. Give the new run an empty output:
      ``start_over`` deletes no rows, and raises ``LedgerError`` where it finds rows of the old run.

    Raises ``ArgumentTypeError`` if ``path`` is no path. Raises ``InvalidArgumentError`` for a path
    that SQLite would not take for a file on the disk: empty, ``":memory:"`` or an address
    (``file:``).

    >>> from actors_rs.delivery import Ledger, status
    >>> from actors_rs.spark import SparkSource
    >>> orders = SparkSource.rows(spark.range(4, numPartitions=2))
    >>> orders.resume(Ledger("night.ledger")).run(Sink.count())
    4
    >>> status("night.ledger").counts["committed"]
    2
    >>> orders.resume(Ledger("night.ledger")).run(Sink.count())
    0
    """

    def __init__(
        self, path: str | os.PathLike[str], *, on_other_plan: OnOtherPlan = "refuse"
    ) -> None:
        if on_other_plan not in get_args(OnOtherPlan):
            choice = one_of(get_args(OnOtherPlan), on_other_plan)
            raise InvalidArgumentError(f"Ledger: on_other_plan must be {choice}")
        self.path = _file_of(path, "Ledger")
        self.on_other_plan: OnOtherPlan = on_other_plan

    def __repr__(self) -> str:
        return f"Ledger({repr_of(self.path)})"

    def open(self, plan: Plan, outputs: Collection[Output] = ()) -> LedgerRun:
        """Go on with the run of ``plan`` that the ledger holds, or begin one. Blocks.

        ``outputs``: where its elements go; empty if that is not known. Waits up to a minute for
        other processes that write into the file.

        Raises ``LedgerError`` in these cases:

        - Another process holds the ledger.
        - It belongs to another plan or to other outputs, or its output is gone.
        - It is to start over, and a database in ``outputs`` has rows of an older run.
        - The file is no ledger, or damaged, or its directory is missing.

        Raises ``WriteError`` if the file cannot be written.
        """
        hold = self._held()
        try:
            with _naming(self.path):
                database = _connected(self.path)
                try:
                    _write_ahead(database)
                    check_version(database, self.path)
                    database.executescript(SCHEMA)
                    add_columns(database)
                    add_older_starts(database)
                    start_over = self.on_other_plan == "start_over"
                    run = run_of(database, self.path, plan, outputs, start_over=start_over)
                    return LedgerRun(self.path, hold, database, run)
                except BaseException:
                    database.close()  # an open database would lock out the next run
                    raise
        except BaseException:
            hold.release()
            raise

    def check(self) -> None:
        """Raise the errors of ``open`` that do not depend on the plan. Blocks. Writes nothing.

        Planning may take long, so this reports early.
        """
        self._check_place()
        if Hold(self.path).is_taken(unknown=False):  # if that cannot be read, open reports it
            raise self._is_held()
        if os.path.isfile(self.path):
            with _naming(self.path), closing(_connected(self.path)) as database:
                check_version(database, self.path)

    def _held(self) -> Hold:
        self._check_place()
        hold = Hold(self.path)
        with _naming(hold.file):
            taken = hold.take()
        if not taken:
            raise self._is_held()
        return hold

    def _check_place(self) -> None:
        folder = os.path.dirname(os.path.abspath(self.path))
        if not os.path.isdir(folder):
            raise LedgerError(
                f"{self.path}: the directory {folder} does not exist: create it, or give the "
                "ledger another path"
            )
        if os.path.isdir(self.path):
            raise LedgerError(
                f"{self.path}: expected a file for the ledger, found a directory: give the path of "
                "a file in it"
            )

    def _is_held(self) -> LedgerError:
        return LedgerError(
            f"{self.path}: another run holds this ledger{_holder_of(self.path)}: wait until that "
            "run has ended, or give this one another ledger and another output"
        )


class LedgerRun:
    """One run in a ledger that this process holds. Every method blocks; any thread."""

    def __init__(self, path: str, hold: Hold, database: sqlite3.Connection, run: int) -> None:
        self.path = path
        self.run = run
        self._hold = hold
        self._database = database
        self.key = key_of(database, run)
        """Identifies this run among all others, also after a restart of the process."""
        self._lock = Lock()
        self._finished = self._closed = False

    def __repr__(self) -> str:
        return f"<LedgerRun {self.run} in {repr_of(self.path)}>"

    def report(self) -> Report:
        """The run as it stands in the file."""
        with self._lock, _naming(self.path):
            report = read_report(self._database)
        if report is None:
            raise LedgerError(
                f"{self.path}: run {self.run} is no longer in the ledger: another program has "
                "deleted its rows"
            )
        return replace(report, path=os.path.abspath(self.path))

    def starts(self) -> tuple[dict[str, Any], ...]:
        """All starts of all runs in the file, the oldest first; this one is the last."""
        with self._lock, _naming(self.path):
            return read_starts(self._database)

    def begun(self, partition: int) -> None:
        """An attempt at ``partition`` begins."""
        self.write([notes.begun(partition)])

    def failed(self, partition: int, error: str, *, poison: bool) -> None:
        """An attempt failed; with ``poison`` there will be no further one in this run."""
        self.write([notes.failed(partition, error, poison=poison)])

    def commit(self, partition: int, rows: int, size: int, checksum: str | None = None) -> None:
        """``partition`` is done, for good: ``rows`` rows of ``size`` bytes. Durable on return."""
        self.write([notes.committed(partition, rows, size, checksum)])

    def delivered(self, output: Output) -> None:
        """Something of this run is in ``output``, for good."""
        with self._lock, _naming(self.path):
            if not self._closed:
                with self._database:
                    note_delivered(self._database, self.run, output, wall_clock())

    def schema_of(self, sink: str, schema: bytes | None = None, /) -> bytes | None:
        """The schema of all that ``sink`` writes in this run: ``schema``, if it has none yet.

        Durable on return. ``None`` only asks for it.
        """
        if schema is not None:
            self.write([notes.schema_of(sink, schema)])
        with self._lock, _naming(self.path):
            if self._closed:
                return schema
            found = self._database.execute(notes.FIND_SCHEMA, (self.run, sink)).fetchone()
        return None if found is None else bytes(found[0])

    def files(self) -> dict[str, int]:
        """The files that the run reads, with their bytes; empty if that was not noted."""
        with self._lock, _naming(self.path):
            query = "SELECT files FROM ledger_runs WHERE run = ?"
            found = self._database.execute(query, (self.run,)).fetchone()
        return dict(json.loads(found[0]))

    def write(self, several: Sequence[Note]) -> None:
        """Write ``several`` in one transaction: one wait for the disk, if any of them needs it.

        Does nothing when the run has been finished.
        """
        durable = any(note.durable for note in several)
        with self._lock, _naming(self.path):
            if self._closed:
                return
            self._database.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with self._database:
                for note in several:
                    values = {"run": self.run, "now": note.now, **note.values}
                    self._database.execute(note.sql, values)

    def finish(self, state: str, error: str | None = None, code: str | None = None) -> None:
        """The run has ended; gives the ledger up, also if that cannot be written.

        ``code`` is the code of the error, such as ``ARS-005``. Later calls do nothing.
        """
        with self._lock:
            finished, self._finished = self._finished, True
        if finished:
            return
        try:
            end = {"state": state, "error": error, "code": code}
            self.write([Note(_LEFT, {}), Note(_END, end), Note(END_OF_START, end)])
        finally:
            with self._lock:
                self._closed = True
                self._database.close()
            self._hold.release()


def commit_within(
    database: sqlite3.Connection,
    run: int,
    partition: int,
    rows: int,
    size: int,
    checksum: str | None = None,
) -> bool:
    """Commit ``partition`` in the transaction that ``database``, the ledger's file, has open.

    False if that was done before.
    """
    note = notes.committed(partition, rows, size, checksum)
    done = database.execute(note.sql, {"run": run, "now": note.now, **note.values})
    return done.rowcount == 1


def status(path: str | os.PathLike[str]) -> Report:
    """The newest run of a ledger, whether a process holds it or not. Blocks; changes nothing in it.

    ``path`` is the ledger's file. A run with the state ``"running"`` and no ``holder`` was killed.
    Reading may merge the write-ahead log of its process into the file. On a read-only disk the
    ledger of an ended run can be read. May be called on any thread.

    Raises ``LedgerError`` if there is no ledger at ``path``, no run in it, or the file is damaged.
    Raises ``ReadError`` if it cannot be read, and for a bad ``path`` the errors of ``Ledger``.

    >>> from actors_rs.delivery import Ledger, status
    >>> from actors_rs.spark import SparkSource
    >>> orders = SparkSource.rows(spark.range(4, numPartitions=2))
    >>> orders.resume(Ledger("night.ledger")).run(Sink.count())
    4
    >>> status("night.ledger").state
    'completed'
    """
    path = _file_of(path, "status")
    if not os.path.isfile(path):
        raise LedgerError(
            f"{path}: expected a ledger, found no such file: a run makes it when it begins"
        )
    held = Hold(path).is_taken(unknown=True)
    with _naming(path, ReadError):
        report = _newest_run(path)
    if report is None:
        raise LedgerError(f"{path}: expected a ledger with a run, found one that no run has used")
    # Asked on both sides: it may have ended, or begun, just while the report was read.
    held = held or Hold(path).is_taken(unknown=True)
    report = replace(report, path=os.path.abspath(path))
    return report if held else replace(report, holder=None)


def _newest_run(path: str) -> Report | None:
    try:
        with closing(_connected(path)) as database:
            return _report_of(database, path)
    except sqlite3.OperationalError as error:
        unwritable = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
        if error.sqlite_errorcode & 0xFF not in unwritable or not _is_complete(path):
            raise
    # SQLite could not make the files that it wants beside this one.
    file = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"
    with closing(sqlite3.connect(file, uri=True)) as database:
        return _report_of(database, path)


def _is_complete(path: str) -> bool:
    """Whether nothing of the ledger is in the log beside it."""
    log = f"{path}-wal"
    return not os.path.exists(log) or os.path.getsize(log) == 0


def _report_of(database: sqlite3.Connection, path: str) -> Report | None:
    if not check_version(database, path):
        raise LedgerError(
            f"{path}: expected a ledger, found a database without one: if a run is starting, ask "
            "again when it has planned its partitions; else give the path of the ledger"
        )
    return read_report(database)


def _file_of(path: str | os.PathLike[str], what: str) -> str:
    """``path`` as a text; raises for what is no path of a file that lasts."""
    file = os.fsdecode(path_of(path, what))
    if file == ":memory:" or file.startswith("file:"):
        raise wrong_value(f"{what}: path must name a file on the disk, got {repr_of(path)}")
    return file


def _write_ahead(database: sqlite3.Connection) -> None:
    """Have the file's changes logged ahead. SQLite waits for nobody to change that: we do."""
    until = monotonic() + _BUSY_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() >= until:
                raise
        database.execute("BEGIN EXCLUSIVE")  # which does wait: for all who read or write
        database.rollback()


def _connected(path: str) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=_BUSY_SECONDS, check_same_thread=False)


def _holder_of(path: str) -> str:
    try:
        holder = status(path).holder
    except (LedgerError, ReadError):
        holder = None
    return "" if holder is None else f" (process {holder})"


@contextmanager
def _naming(path: str, failure: type[ReadError] | type[WriteError] = WriteError) -> Iterator[None]:
    """Say which file it was when SQLite fails."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_NOTADB:
            raise LedgerError(f"{path}: expected a ledger, found a file of another kind") from error
        if code == sqlite3.SQLITE_CORRUPT:
            raise LedgerError(
                f"{path}: the ledger is damaged ({text_of(error)}): restore the file, or start "
                "again with another ledger and an empty output"
            ) from error
        raise failure(path, error) from error
