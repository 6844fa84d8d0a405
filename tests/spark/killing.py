"""The overnight job as a process that is killed, and what its output must be."""

import signal
import sqlite3
import subprocess
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from actors_rs.delivery import Entry, Report, status
from actors_rs.errors import LedgerError
from stress.overnight_fan_out import lines_of
from tests.spark.jobs import until
from tests.spark.master import MASTER

NIGHT = Path(__file__).parents[2] / "stress" / "overnight_fan_out.py"
FAULTS = ["--malformed=0.5", "--error=0", "--kill=0", "--slow=0", "--poison=0", "--huge=0"]
SECONDS = 300.0


class Night:
    """Runs over one directory, one behind the other: ``partitions`` of ``rows`` rows each.

    Each takes ``seconds`` at least, so that a run cannot end while nobody looks.
    """

    def __init__(self, out: Path, partitions: int, rows: int, seconds: float = 0.0) -> None:
        self.out, self.partitions = out, partitions
        self.options = Namespace(rows=rows, malformed=0.5, huge=0.0, huge_factor=1)
        self._seconds = seconds
        self.process: subprocess.Popen[str] | None = None
        self._log = out / "log"
        self.committed: dict[int, Entry] = {}
        """What the ledger said of the partitions that were committed at the last look."""

    def start(self, program: Sequence[str] = (str(NIGHT),)) -> None:
        """A process that works on, whose ledger is open. ``program`` ends with the night's main."""
        command = [sys.executable, *program, f"--out={self.out}", f"--master={MASTER}"]
        command += [f"--partitions={self.partitions}", f"--rows={self.options.rows}", *FAULTS]
        if self._seconds:
            command += ["--slow=1", f"--slow-seconds={self._seconds}"]
        self.out.mkdir(exist_ok=True)
        with self._log.open("w") as log:  # no pipe: the JVM outlives the kill for a moment
            self.process = process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, text=True
            )
        until(lambda: self._holder() == process.pid or process.poll() is not None, SECONDS)

    def kill_when(self, moment: Callable[[], bool]) -> bool:
        """SIGKILL at ``moment``; False if the run has ended before. Then looks at what is there."""
        process = self._running()
        until(lambda: moment() or process.poll() is not None, SECONDS)
        ended = process.poll() is not None
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.look()
        return not ended

    def finish(self) -> str:
        """Wait for the end; what was printed."""
        code = self._running().wait(SECONDS)
        printed = self._log.read_text()
        assert code == 0, printed
        self.look()
        return printed

    def count(self) -> int:
        """How many partitions are committed now."""
        report = self._report()
        return 0 if report is None else report.counts["committed"]

    def attempts(self) -> int:
        """Attempts so far, at all partitions."""
        report = self._report()
        return 0 if report is None else sum(entry.attempts for entry in report.partitions)

    def look(self) -> None:
        """Compare ledger and output with each other and with what they were at the last look."""
        report = self._report()
        assert report is not None
        committed = {
            entry.partition: replace(entry, attempts_in_start=None)  # each start counts from 0
            for entry in report.partitions
            if entry.state == "committed"
        }
        assert committed.items() >= self.committed.items(), "committed work was done again"
        self.committed = committed
        rows, rejected = self._rows(), self._rejected()
        for partition in range(self.partitions):
            wanted = list(lines_of(partition, self.options))
            good = [line for line in wanted if not line.endswith("r")]
            bad = [line for line in wanted if line.endswith("r")]
            for what, got, expected in (("rows", rows, good), ("rejected", rejected, bad)):
                found = got.get(partition, [])
                if partition in committed or found:
                    assert found == expected, f"{what} of partition {partition}"

    def _rows(self) -> dict[int, list[str]]:
        """The lines that the files hold, by the partition in their names."""
        found = {}
        for file in (self.out / "rows").glob("part-*.parquet"):
            rows: list[dict[str, Any]] = pq.ParquetFile(file).read().to_pylist()
            lines = [f"{r['partition']};{r['number']};{r['value']:.9f}" for r in rows]
            found[int(file.stem.removeprefix("part-"))] = lines
        return found

    def _rejected(self) -> dict[int, list[str]]:
        with closing(sqlite3.connect(self.out / "night.db")) as database:
            lines = [line for (line,) in database.execute("SELECT line FROM rejected")]
        assert max(Counter(lines).values(), default=1) == 1, "a row is there twice"
        found: dict[int, list[str]] = {}
        for line in lines:
            found.setdefault(int(line.partition(";")[0]), []).append(line)
        return found

    def _holder(self) -> int | None:
        report = self._report()
        return None if report is None else report.holder

    def _report(self) -> Report | None:
        try:
            return status(self.out / "night.db")
        except LedgerError:  # there is none yet
            return None

    def _running(self) -> subprocess.Popen[str]:
        assert self.process is not None
        return self.process
