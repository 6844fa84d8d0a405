"""A night's work over thousands of Spark partitions, of which some will fail.

Each partition gives lines of text, "partition;number;value". Those that can be read end up in a
Parquet data set, the others in a table of SQLite, each exactly once: a ledger says which partitions
are done, so the same command goes on where an earlier run ended, in whatever way.

The failures of a night can be had by day: functions that raise, workers that are killed, slow
and huge partitions, lines that cannot be read, partitions that never succeed (--help). Exit codes:
0 all done, 1 some partitions were given up or the run failed, 130 stopped by Ctrl-C.
"""

import argparse
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from actors_rs import ActorSystem, Backoff, Graph, Sink
from actors_rs.delivery import Ledger, report_lines, status
from actors_rs.engine.run.interrupt import StopSignals
from actors_rs.errors import ActorsRsError, RunCancelled
from actors_rs.observability.live import live_table
from actors_rs.spark import SparkSessionLost, SparkSource, local_session

SCHEMA = pa.schema([("partition", pa.int64()), ("number", pa.int64()), ("value", pa.float64())])
LINES = pa.schema([("line", pa.string())])
LINES_AT_ONCE = 5_000
SESSIONS = 3  # a JVM that dies is replaced so often

# What Spark computes, and what goes wrong with it


def lines_of(partition: int, options: argparse.Namespace) -> Iterator[str]:
    """The partition's lines: the same ones whenever it is asked."""
    random = Random(partition)
    huge = chosen(partition, "huge", options.huge)
    for number in range(options.rows * (options.huge_factor if huge else 1)):
        yield f"{partition};{number};{random.random():.9f}"
        if random.random() < options.malformed:
            yield f"{partition};{number};not a number"


def chosen(partition: int, what: str, rate: float) -> bool:
    """Whether it hits this partition, whenever it is tried."""
    return Random(f"{what} {partition}").random() < rate


def by_chance(rate: float) -> bool:
    """Whether it hits this attempt; workers are forked, so they need chance of their own."""
    return SystemRandom().random() < rate


def computed(spark: SparkSession, options: argparse.Namespace) -> DataFrame:
    """A DataFrame of lines whose partitions fail as often as the options say."""

    def compute(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        numbers = [number for batch in batches for number in batch.column(0).to_pylist()]
        for partition in numbers:  # one; the input is read to its end, or the worker is not reused
            if chosen(partition, "poison", options.poison):
                raise ValueError(f"the input of partition {partition} is damaged")
            if by_chance(options.slow):
                time.sleep(options.slow_seconds)
            lines = list(lines_of(partition, options))
            for start in range(0, len(lines), LINES_AT_ONCE):
                yield pa.record_batch([pa.array(lines[start : start + LINES_AT_ONCE])], LINES)
            if by_chance(options.error):
                raise ConnectionError(f"partition {partition} lost its connection")
            if by_chance(options.kill):
                os.kill(os.getpid(), signal.SIGKILL)

    numbers = spark.range(0, options.partitions, 1, options.partitions)
    return numbers.mapInArrow(compute, "line string")


# The graph


def parse(lines: pa.RecordBatch) -> tuple[pa.RecordBatch, list[str]]:
    """Rows, and the lines that are none."""
    rows, rejected = [], []
    for line in lines.column(0).to_pylist():
        try:
            partition, number, value = line.split(";")
            rows.append((int(partition), int(number), float(value)))
        except ValueError:
            rejected.append(line)
    columns = zip(*rows, strict=True) if rows else [()] * len(SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)]
    return pa.record_batch(arrays, SCHEMA), rejected


def night(lines: DataFrame, options: argparse.Namespace) -> Graph[Any]:
    """Good rows to Parquet, a file per partition; rejected lines to SQLite, where the ledger is."""
    source = SparkSource.arrow(
        lines,
        in_flight=options.in_flight,
        ordered=False,
        max_attempts=options.max_attempts,
        backoff=Backoff(0.2, 10),
        on_poison="dead_letter",
        partition_timeout=options.timeout,
    ).resume(Ledger(options.out / "night.db"))
    good, bad = source.map(parse).named("parse").broadcast(2)
    rejected = Sink.sqlite(
        options.out / "night.db",
        "INSERT INTO rejected VALUES (?)",
        setup="CREATE TABLE IF NOT EXISTS rejected (line TEXT NOT NULL)",
    )
    return Graph(
        good.map(lambda parsed: parsed[0]).to(Sink.parquet(options.out / "rows", SCHEMA)),
        bad.flat_map(lambda parsed: [(line,) for line in parsed[1]]).to(rejected),
    )


# The night


def main(arguments: Sequence[str] | None = None) -> int:
    """Work until all is done or given up; returns the exit code."""
    options = parsed_options(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    if not sys.stdout.isatty():  # lines instead of the live table
        logging.basicConfig(format="%(message)s", stream=sys.stdout)
        logging.getLogger("actors_rs.live").setLevel(logging.INFO)
    with StopSignals() as stop:
        try:
            for session in range(SESSIONS):
                try:
                    work(options, stop)
                    break
                except SparkSessionLost as lost:
                    print(f"session {session + 1} of {SESSIONS} lost: {lost}", file=sys.stderr)
                    if stop.received:  # the signal has ended the JVM, too
                        break
        except RunCancelled:
            pass  # by Ctrl-C, which the exit code shows
        except ActorsRsError as error:
            print(f"overnight_fan_out.py: {error}", file=sys.stderr)
    code = report(options.out / "night.db")
    return stop.exit_code or code


def work(options: argparse.Namespace, stop: StopSignals) -> None:
    """Run the graph in a session of Spark, to its end."""
    spark = local_session("overnight", master=options.master, short_lived=options.partitions < 500)
    try:
        with ActorSystem() as system:
            run = system.start(night(computed(spark, options), options))
            with live_table(run):
                stop.result_or_drain(run)
    finally:
        with suppress(Exception):  # of a JVM that is dead
            spark.stop()


def report(ledger: Path) -> int:
    """Tell what the ledger says; 0 if all is done."""
    try:
        found = status(ledger)
    except ActorsRsError as error:
        print(error, file=sys.stderr)
        return 1
    print(*report_lines(found, time.time()), sep="\n")
    return 0 if found.counts["committed"] == len(found.partitions) else 1


def parsed_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="overnight_fan_out.py",
        description="Compute many partitions while some of them fail; resumes what is in --out.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--out", type=Path, required=True, metavar="DIR", help="ledger and output")
    add("--partitions", type=int, default=2_000, help="how many there are")
    add("--rows", type=int, default=500, help="rows of one partition")
    add("--in-flight", type=int, default=4, help="partitions computed at a time")
    add("--max-attempts", type=int, default=5, help="tries before a partition is given up")
    add("--timeout", type=float, default=30.0, help="seconds, then a second try begins beside")
    add("--master", default="local[*]", help="the Spark master")
    rates = parser.add_argument_group("what goes wrong, as parts of 1")
    for name, rate, what in (
        ("--error", 0.02, "attempts whose function raises"),
        ("--kill", 0.005, "attempts whose worker is killed"),
        ("--slow", 0.005, "attempts that take --slow-seconds longer"),
        ("--poison", 0.001, "partitions that always fail"),
        ("--huge", 0.005, "partitions with --huge-factor times the rows"),
        ("--malformed", 0.01, "lines that cannot be read, besides the others"),
    ):
        rates.add_argument(name, type=float, default=rate, metavar="RATE", help=what)
    rates.add_argument("--slow-seconds", type=float, default=60.0, metavar="S", help="see --slow")
    rates.add_argument("--huge-factor", type=int, default=100, metavar="N", help="see --huge")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
