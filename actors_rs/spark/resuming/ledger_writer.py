"""A run's ledger as its source sees it: opened with the plan, closed at the end.

Reports are only noted, which takes no time; ``write`` writes down all that was noted since the last
time, in one transaction. ``open``, ``write`` and ``close`` block. ``close`` may come while the
planning is still opening, or while another thread writes.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, deque
from collections.abc import Callable, Collection
from contextlib import suppress
from math import ceil
from typing import Any

from actors_rs.delivery import notes
from actors_rs.delivery.ack import Disposition, Unit
from actors_rs.delivery.ledger import Ledger, LedgerRun, commit_within
from actors_rs.delivery.notes import Note
from actors_rs.delivery.outputs import Output
from actors_rs.delivery.reporting import left_over, nothing_left
from actors_rs.delivery.schema import Entry
from actors_rs.errors import RunCancelled
from actors_rs.runtime._logging import logger_called
from actors_rs.runtime._primitives import Lock, Random, monotonic, wall_clock
from actors_rs.spark.plan import PartitionPlan
from actors_rs.spark.repeat.checksum import Checksum
from actors_rs.spark.resuming.describing import without_numbers
from actors_rs.spark.resuming.other_plan import SparkPlan
from actors_rs.spark.resuming.verifying import changed_file, verify_partition
from actors_rs.texts import counted, few, named, text_of

__all__ = ["LedgerWriter"]

logger = logger_called("actors_rs.ledger")


class _UnitEntry:
    """One partition's line in the ledger; counts what is given of it."""

    def __init__(self, run: LedgerRun, partition: int) -> None:
        self.path = run.path
        self.run_key = run.key
        self.schema_of = run.schema_of
        self.delivered = run.delivered
        self.rows = self.size = 0
        self.checksum: str | None = None
        self._run = run.run
        self._partition = partition

    def commit_within(self, database: sqlite3.Connection, /) -> bool:
        """See ``delivery.ack.Entry``."""
        return commit_within(
            database, self._run, self._partition, self.rows, self.size, self.checksum
        )


class LedgerWriter:
    """The ledger of one run of a source."""

    def __init__(
        self,
        ledger: Ledger,
        rows_of: Callable[[Any], int],
        outputs: Collection[Output] = (),
        verify: float = 0.0,
    ) -> None:
        self.committed: frozenset[int] = frozenset()
        self.attempts: dict[int, int] = {}
        """At each partition, in earlier starts of this run."""
        self.starts: tuple[dict[str, Any], ...] = ()
        """All starts in the ledger, the oldest first; this one, the last, as it is now."""
        self._verify = verify
        self._files: dict[str, int] = {}
        self._changed = ""
        self._done: list[Entry] = []
        self._total = 0
        self._notes: deque[tuple[Note, Unit | None]] = deque()
        self._pen = Lock()  # notes that one thread has taken are written before another one closes
        self._ledger = ledger
        self._rows_of = rows_of
        self._outputs = outputs
        self._run: LedgerRun | None = None
        self._closed: tuple[str, str | None, str | None] | None = None

    def check(self) -> None:
        """Raise what can be known to go wrong with ``open`` before anything is planned."""
        self._ledger.check()

    def open(self, plan: PartitionPlan[Any], total: int) -> None:
        """Go on with the ledger's run, or begin one. Raises what ``Ledger.open`` raises.

        Where nothing is left to do, the log says so.
        """
        schema, text = plan.describe()
        self._files = plan.files()
        facts = SparkPlan(schema, total, without_numbers(text), plan.caches())
        run = self._ledger.open(facts, self._outputs)
        report = run.report()
        if done := nothing_left(report):
            logger.info("%s: %s", self._ledger.path, done)
        entries = report.partitions
        self._done = [entry for entry in entries if entry.state == "committed"]
        self.committed = frozenset(entry.partition for entry in self._done)
        self.attempts = {entry.partition: entry.attempts for entry in entries if entry.attempts}
        self.starts = report.starts
        self._total = total
        self._compare_files(run)
        self._run = run  # from here on, another thread may close it
        if self._closed is not None:  # the second caller finds both
            self._finish(run, *self._closed)

    def verify(self, plan: PartitionPlan[Any], tag: str, over: Callable[[], bool]) -> None:
        """Compute some of the partitions that are done again, unless all are. Blocks.

        Raises ``LedgerError`` if one of them has other rows; stops when it is ``over``.
        """
        if self._verify and self._done and len(self._done) < self._total:
            count = len(self._done) if self._changed else ceil(self._verify * len(self._done))
            chosen = Random().sample(self._done, count)
            numbers = few(sorted(entry.partition for entry in chosen))
            which, done = "partition" if count == 1 else "partitions", len(self._done)
            text = "%s: verifying %s %s (%s of %s finished)"
            logger.info(text, self._ledger.path, which, numbers, count, done)
            began = monotonic()
            for number, entry in enumerate(chosen):
                if over():
                    return
                self._open_run().write([notes.verified(number, count)])
                verify_partition(plan, tag, entry, self._rows_of, self._ledger.path, self._changed)
            self._open_run().write([notes.verified(count, count)])
            text, seconds = "%s: verified %s in %.1f s, with the rows they had", monotonic() - began
            logger.info(text, self._ledger.path, counted(count, "partition"), seconds)
            if self._changed:
                self._open_run().write([notes.input_files(self._files)])

    def _compare_files(self, run: LedgerRun) -> None:
        """Note what the run reads, unless files have changed whose partitions may be done."""
        then, now = run.files(), self._files
        self._changed = changed_file(then, now) if 0 < len(self._done) < self._total else ""
        if self._changed:
            text = "%s: %s, which may move rows between partitions: %s"
            verified = "all partitions that are done are verified"
            done = verified if self._verify else "nothing is verified, since verify=0"
            logger.warning(text, self._ledger.path, self._changed, done)
        elif [*now.items()] != [*then.items()]:  # their order counts
            run.write([notes.input_files(now)])

    def unit(self, partition: int, settled: Callable[[Unit, Counter[Disposition]], None]) -> Unit:
        """A unit for ``partition``."""
        unit = Unit(
            partition,
            lambda dispositions: settled(unit, dispositions),
            _UnitEntry(self._open_run(), partition),
        )
        return unit

    def count(self, unit: Unit, chunk: list[Any]) -> None:
        """``chunk`` is given as a part of ``unit``."""
        entry: Any = unit.entry
        entry.rows += sum(map(self._rows_of, chunk))
        entry.size += sum(getattr(element, "nbytes", 0) for element in chunk)

    def summed(self, unit: Unit, checksum: Checksum) -> None:
        """All of ``unit`` was read; ``checksum`` has it."""
        entry: Any = unit.entry
        entry.checksum = checksum.text

    def begun(self, partition: int) -> None:
        """An attempt begins."""
        self._notes.append((notes.begun(partition), None))

    def failed(self, partition: int, error: BaseException, *, poison: bool) -> None:
        """An attempt failed."""
        self._notes.append((notes.failed(partition, text_of(error), poison=poison), None))

    def late(self, partition: int, seconds: float) -> None:
        """Nothing came for ``seconds``, so a second attempt begins beside the first one."""
        why = f"nothing came for {seconds:g} s, so a second attempt began"
        self._notes.append((notes.late(partition, why), None))

    def commit(self, unit: Unit) -> int:
        """Everything that came of ``unit`` is done; how many of its elements are dead letters."""
        entry: Any = unit.entry
        if dead := unit.outcomes[Disposition.DEAD_LETTERED]:
            self._notes.append((notes.dead_lettered(unit.key, dead), None))  # type: ignore[arg-type]
        note = notes.committed(unit.key, entry.rows, entry.size, entry.checksum)  # type: ignore[arg-type]
        self._notes.append((note, unit))
        return dead

    @property
    def waits(self) -> bool:
        """Whether there is something that ``write`` would write."""
        return bool(self._notes)

    def write(self) -> list[Unit]:
        """Write down what was noted so far; the units that are committed by that. Blocks.

        On any one thread, also while other threads note.
        """
        with self._pen:
            taken = []
            with suppress(IndexError):
                while True:
                    taken.append(self._notes.popleft())
            if taken:
                self._open_run().write([note for note, _ in taken])
            units = [unit for _, unit in taken if unit is not None]
            self._note_committed(units)
        return units

    def _note_committed(self, units: Collection[Unit]) -> None:
        if units:
            entries: list[Any] = [unit.entry for unit in units]
            own, rows = self.starts[-1], sum(entry.rows for entry in entries)
            self._note_of_start(committed=own["committed"] + len(units), rows=own["rows"] + rows)

    def _note_of_start(self, **what: Any) -> None:
        self.starts = (*self.starts[:-1], {**self.starts[-1], **what})

    def close(self, error: BaseException | None, *, completed: bool) -> None:
        """Write the end of the run; the log says what is left of one that has not failed.

        Errors are ignored here: the run has ended in any case.
        """
        if error is None:
            state = "completed" if completed else "cancelled"
        else:
            state = "cancelled" if isinstance(error, RunCancelled) else "failed"
        why = None if error is None else text_of(error) or named(error)
        self._closed = (state, why, getattr(error, "code", None) or None)
        if self._run is not None:
            with suppress(Exception):
                self.write()
            with suppress(Exception):
                self._finish(self._run, *self._closed)

    def _finish(self, run: LedgerRun, state: str, why: str | None, code: str | None) -> None:
        if state != "failed":
            with suppress(Exception):  # the end must be written in any case
                if left := left_over(run.report()):
                    logger.info("%s: %s", self._ledger.path, left)
        run.finish(state, why, code)
        self._note_of_start(state=state, error=why, code=code, ended=wall_clock())

    def _open_run(self) -> LedgerRun:
        assert self._run is not None, "the ledger is opened with the plan"
        return self._run
