"""The overnight job in two minutes: faults, SIGKILL in the middle, resumed, and checked.

Prints what it does, and ends with exit code 1 and a sentence if the output is not what a run
without any fault gives. ``python -m stress.demo_faults [--out DIR] [--partitions N]``.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pyarrow.parquet as pq

from actors_rs.delivery import Report, status
from actors_rs.errors import ActorsRsError

NIGHT = Path(__file__).parent / "overnight_fan_out.py"
FAULTS = [
    "--error=0.05",
    "--kill=0.02",
    "--slow=0.01",
    "--slow-seconds=6",
    "--timeout=5",
    "--poison=0.01",
    "--huge=0.01",
    "--huge-factor=50",
    "--malformed=0.01",
]
CURED = ["--poison=0"]
NO_FAULT = ["--error=0", "--kill=0", "--slow=0", "--poison=0", "--huge=0.01", "--huge-factor=50"]
SECONDS = 600.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m stress.demo_faults", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("build/demo-faults"), metavar="DIR")
    parser.add_argument("--partitions", type=int, default=400)
    options = parser.parse_args(arguments)
    shutil.rmtree(options.out, ignore_errors=True)
    with_faults, without = options.out / "with-faults", options.out / "without"
    count = f"--partitions={options.partitions}"

    say(f"1. {options.partitions} partitions with faults, killed (SIGKILL) in the middle")
    before = kill_in_the_middle(with_faults, options.partitions // 2, [count, *FAULTS])
    say(f"   {before.counts['committed']} of {options.partitions} partitions were committed")

    say("2. the same command again: it goes on where the killed one was")
    if run(with_faults, [count, *FAULTS]) not in (0, 1):  # 1: some were given up
        fail("the resumed run did not come to its end")
    after = status(with_faults / "night.db")
    check_nothing_was_repeated(before, after)
    poison = after.counts["poison"]

    say(f"3. the cause of the {poison} poison partitions is cured, the same command once more")
    if run(with_faults, [count, *FAULTS, *CURED]) != 0:
        fail("partitions are left although nothing is poison any more")
    check_nothing_was_repeated(after, status(with_faults / "night.db"))

    say("4. the same work without any fault, to compare")
    if run(without, [count, *NO_FAULT, "--malformed=0.01"]) != 0:
        fail("the run without faults did not come to its end")
    check_equal(with_faults, without)
    return 0


def command(out: Path, options: Sequence[str]) -> list[str]:
    """The example's command line."""
    return [sys.executable, str(NIGHT), f"--out={out}", "--rows=200", *options]


def run(out: Path, options: Sequence[str]) -> int:
    """Run the example to its end; its exit code."""
    return subprocess.run(command(out, options), check=False, timeout=SECONDS).returncode


def kill_in_the_middle(out: Path, committed: int, options: Sequence[str]) -> Report:
    """Start the example, and kill it once ``committed`` partitions are; what its ledger says."""
    with subprocess.Popen(command(out, options)) as night:
        end = time.monotonic() + SECONDS
        while (report := ledger_of(out)) is None or report.counts["committed"] < committed:
            if night.poll() is not None or time.monotonic() > end:
                night.kill()
                fail("the first run ended before it could be killed")
            time.sleep(0.1)
        night.send_signal(signal.SIGKILL)
    return status(out / "night.db")


def ledger_of(out: Path) -> Report | None:
    """What the ledger says, ``None`` while there is none."""
    try:
        return status(out / "night.db")
    except ActorsRsError:
        return None


def check_nothing_was_repeated(before: Report, after: Report) -> None:
    """What was committed must not have been tried again."""
    for old, new in zip(before.partitions, after.partitions, strict=True):
        if old.state == "committed" and old != new:
            fail(f"partition {old.partition} was committed, but worked on again")


def check_equal(out: Path, expected: Path) -> None:
    """Row for row: nothing lost, nothing doubled."""
    rows, wanted = rows_in(out), rows_in(expected)
    if not rows.equals(wanted):
        fail(f"{out / 'rows'} has {rows.num_rows} rows, other ones than {expected / 'rows'}")
    rejected, unwanted = rejected_in(out), rejected_in(expected)
    if rejected != unwanted:
        fail(f"{len(rejected)} lines were rejected, {len(unwanted)} should have been")
    say(f"   equal: {rows.num_rows:,} rows and {len(rejected):,} rejected lines, each there once")


def rows_in(out: Path) -> pa.Table:
    """The good rows, sorted."""
    return pq.read_table(out / "rows").sort_by(
        [("partition", "ascending"), ("number", "ascending")]
    )


def rejected_in(out: Path) -> list[str]:
    """The rejected lines, sorted."""
    with closing(sqlite3.connect(out / "night.db")) as database:
        return [line for (line,) in database.execute("SELECT line FROM rejected ORDER BY line")]


def say(what: str) -> None:
    """A line between those of the runs."""
    print(f"\n== {what}", flush=True)


def fail(why: str) -> NoReturn:
    """End with exit code 1."""
    sys.exit(f"demo-faults: {why}")


if __name__ == "__main__":
    sys.exit(main())
