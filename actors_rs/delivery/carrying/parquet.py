"""Parquet, a unit a file: complete under its name, or not there.

The file of a unit that is in a ledger has the unit's number in its name, so a unit that is
delivered again replaces what was there. A hidden file tells which run, and which sink of it, the
directory belongs to; others are refused.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from typing import Any, Literal

from actors_rs.delivery.ack import Unit
from actors_rs.delivery.carrying.units import PassesOver, UnitSink
from actors_rs.delivery.outputs import OWNER_FILE, Output
from actors_rs.errors import LedgerError, StreamError
from actors_rs.stages.arrow.match import mismatch
from actors_rs.stages.files.naming import naming
from actors_rs.stages.sinks.files.parquet import Parquet
from actors_rs.stages.sinks.files.part_files import PartFiles
from actors_rs.stages.sinks.files.writing import (
    PendingFile,
    WriteReport,
    expect_file,
)

__all__ = ["UnitParquet"]


class _Part(Parquet):
    """The file of one unit of ``sink``, which is written whole or not at all.

    Its elements have the numbers that they have in the unit; what becomes of one that cannot be
    written, the sink decides.
    """

    def __init__(self, sink: UnitParquet, unit: Unit, passes_over: PassesOver) -> None:
        super().__init__(sink.directory, sink.schema, 2**62)
        self._written = sink.written  # which fits the one that is given
        self.context = sink.context
        self.on_failure = sink.on_failure
        self._sink = sink
        self._unit = unit
        self._passes_over = passes_over

    def add(self, value: Any) -> None:
        """The next element."""
        self._take_schema()
        self.inlet.count += 1
        self.consume(iter((value,)))

    def finish(self) -> WriteReport:
        self._take_schema()
        self._write_rows()
        if self._pending is None or self.inlet.cancelled:  # no row is left, or the sink has failed
            return WriteReport((), 0)
        return super().finish()

    def survives(self, error: BaseException, element: Any, position: int | None, **_: Any) -> bool:
        if not isinstance(error, Exception) or position is None:
            raise error
        if not self._passes_over(position, element, error):
            self.inlet.cancel()  # the sink has failed
        return not self.inlet.cancelled

    def fail(self, error: BaseException, position: int | None = None) -> None:
        self._sink.fail(error, position)
        self.inlet.cancel()

    def _take_schema(self) -> None:
        """Take the sink's schema, which another unit may have settled by now."""
        if self._schema is None and self._sink.written is not None:
            self._schema = self._written = self._sink.written

    def _settle(self, own: Any, *, inferred: bool = False) -> None:
        try:
            with naming(self._directory):
                own = self._sink.schema_for(self._unit, own, inferred=inferred)
        except StreamError as error:  # no element's fault
            self.fail(error)
        else:
            self._schema = self._written = own


class _NumberedPart(_Part):
    """One whose name tells its unit, so that it replaces what was delivered of that before."""

    def __init__(self, sink: UnitParquet, unit: Unit, passes_over: PassesOver, path: Path) -> None:
        super().__init__(sink, unit, passes_over)
        self._path = path

    def _new_file(self) -> PendingFile:
        with naming(self._path):
            expect_file(self._path)
        pending = PendingFile(self._path)
        pending.temporary = self._path.with_name(f".{self._path.name}.tmp")  # a killed run's, too
        return pending


class _LoosePart(_Part):
    """One that gets the first number from ``number`` on that is free; ``None``: from the start."""

    def __init__(
        self, sink: UnitParquet, unit: Unit, passes_over: PassesOver, number: int | None
    ) -> None:
        super().__init__(sink, unit, passes_over)
        self._number = number
        self.number = self._next_number()


class UnitParquet(UnitSink[_Part]):
    """A file for each unit that has rows: ``part-<unit>.parquet`` if that is in a ledger."""

    def __init__(
        self, directory: Path, schema: Any, existing: Literal["append", "refuse"] = "append"
    ) -> None:
        super().__init__()
        self.directory = directory
        self._parts = PartFiles(directory)
        self.schema = schema  # which rows are converted by, if it is given
        self.written: Any = None
        """The schema of all files of this sink, once it is settled; in a ledger, of its run."""
        self.output = Output("parquet", os.fspath(directory))
        self._existing = existing
        self._free: int | None = None
        self._reports: list[WriteReport] = []

    def start(self) -> None:
        with naming(self.directory):
            self._parts.take(f"stage '{self.context.name}'")
        super().start()

    def begin(self, unit: Unit, passes_over: PassesOver) -> _Part:
        if self.written is None:
            with naming(self.directory):
                self._look_up_schema(unit)
        if unit.entry is None:  # it will not come again under this number: others may have it
            part = _LoosePart(self, unit, passes_over, self._free)
            self._free = part.number + 1  # to look anew each time would be slower and slower
            return part
        number = f"{unit.key:05d}" if isinstance(unit.key, int) else str(unit.key)
        return _NumberedPart(self, unit, passes_over, self.directory / f"part-{number}.parquet")

    def add(self, held: _Part, value: Any, /) -> None:
        held.add(value)

    def commit(self, unit: Unit, held: _Part, /, *, last: bool) -> None:
        if not (self._reports or self._run_key):
            with naming(self.directory):
                self._expect_none()
        self._reports.append(held.finish())

    def discard(self, held: _Part, /) -> None:
        held.stop(None)

    def stop(self, error: BaseException | None) -> None:
        super().stop(error)
        self._parts.release()

    def finish(self) -> WriteReport:
        files = sorted(file for report in self._reports for file in report.files)
        return WriteReport(tuple(files), sum(report.rows for report in self._reports))

    def schema_for(self, unit: Unit, own: Any, *, inferred: bool = False) -> Any:
        """The schema of all files of this sink: ``own``, if there is none yet and it fits them.

        Raises ``ValueError`` where it does not. Blocks: it is durable on return.
        """
        if self.written is None:
            self.written = self._parts.schema_beside(own, inferred=inferred)
            if unit.entry is not None:
                mine = self.written.serialize().to_pybytes()
                self.written = _read(unit.entry.schema_of(self.context.name, mine))
        return self.written

    def _look_up_schema(self, unit: Unit) -> None:
        """Find the schema before the first row: in the ledger's entry."""
        if unit.entry is not None:
            self.written = _read(unit.entry.schema_of(self.context.name))
        if self.schema is None:
            return
        if difference := mismatch(self.schema, self.schema_for(unit, self.schema)):
            raise ValueError(
                f"expected the schema that this run has written before, got {difference}: give "
                "that schema, or another ledger and another directory"
            )

    def take_from(self, run_key: str) -> None:
        """Refuse units whose numbers are others' in this directory: they would replace theirs."""
        if "" in (run_key, self._run_key) and (
            self._run_key is not None or (self.directory / OWNER_FILE).exists()
        ):
            raise LedgerError(
                f"stage '{self.context.name}': expected sources that all have one ledger, or none, "
                f"for {self.directory}, got both kinds, whose files would replace each other: "
                "give each its own sink and directory"
            )
        if run_key:
            self._own(f"{run_key} {self.context.name}")
        else:
            with naming(self.directory):
                self._expect_none()

    def _expect_none(self) -> None:
        if self._existing == "refuse":
            self._parts.expect_none()

    def _own(self, me: str) -> None:
        """Make the directory this sink's in this run; ``LedgerError`` if it is another one's."""
        owner = self.directory / OWNER_FILE
        with naming(owner):
            taken = None if owner.exists() else next(self.directory.glob("part-*.parquet"), None)
            if taken is not None:
                theirs = f"without a ledger, such as {taken.name}"
            else:
                _write_first(owner, me)
                theirs = owner.read_text("utf-8")
        if theirs != me:
            raise LedgerError(
                f"{self.directory} already holds the output of another run or sink ({theirs}): "
                f"give this one ({me}) an empty directory, or that which it had before"
            )


def _write_first(path: Path, text: str) -> None:
    """Make ``path`` with ``text`` in one step, unless it exists, made perhaps at this moment."""
    if path.exists():
        return
    handle, written = mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(handle)  # an empty file after a power cut would shut out its own run
        try:
            os.link(written, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without links: two that come at once are not told apart
            os.rename(written, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(written)


def _read(schema: bytes | None) -> Any:
    """A schema as a ledger has it."""
    import pyarrow

    return None if schema is None else pyarrow.ipc.read_schema(pyarrow.py_buffer(schema))
